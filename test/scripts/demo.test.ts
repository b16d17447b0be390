import { assert, describe, it } from "@effect/vitest"
import { trafficOf } from "../../scripts/demo/traffic.ts"
import { teams } from "../../scripts/demo/teams.ts"
import { decline, modelIds, truthOf } from "../../scripts/demo/truth.ts"

const month = trafficOf(1, 600)
const told = ({ resultOf, ...call }: (typeof month)[number]) => ({ ...call, result: resultOf("gpt-5", null) })

describe("the demo's month", () => {
  it("is the same for the same seed, whatever was looked at first, and another for another", () => {
    const again = trafficOf(1, 600)
    again.at(-1)?.resultOf("gpt-5-nano", null)
    assert.deepStrictEqual(month.map(told), again.map(told))
    assert.notDeepEqual(month.map(told), trafficOf(2, 600).map(told))
  })

  it("keeps to namespaces of its own, which all teams use by their shares", () => {
    assert.closeTo(teams.reduce((sum, { share }) => sum + share, 0), 1, 1e-9)
    for (const { namespace, share } of teams) {
      assert.match(namespace, /^demo-/)
      assert.closeTo(month.filter((call) => call.namespace === namespace).length / 600, share, 0.06)
    }
  })

  it("holds unreported calls, labels of every source, failures with a trace, and network trouble", () => {
    const results = month.map(({ resultOf }) => resultOf("gpt-5-nano", null))
    assert.isTrue(month.some(({ isReported }) => !isReported))
    for (const label of ["gate", "human", "judge", "none", null]) assert.isTrue(month.some((call) => call.label === label))
    assert.isTrue(results.some(({ notes }) => notes?.includes("Traceback") === true))
    assert.isTrue(results.some(({ errorCause }) => errorCause === "infra"))
    assert.deepStrictEqual([...new Set(results.map(({ outcome }) => outcome))].sort(), ["failure", "partial", "success"])
  })
})

it("a model gets worse in the decline for one team alone, and no success rate leaves (0, 1)", () => {
  const truth = truthOf(2)
  const call = { kind: "bug", taskType: "code", namespace: decline.namespace } as const
  const [before, after] = [0.1, 0.9].map((time) => truth({ ...call, time }, "gpt-5", "gpt-5"))
  assert.strictEqual(after, decline.successRate)
  assert.isAbove(before ?? 0, 0.5)
  assert.strictEqual(truth({ ...call, namespace: "demo-legal", time: 0.9 }, "gpt-5", "gpt-5"), before)
  assert.strictEqual(truth({ ...call, time: 0.9 }, "gpt-5", null), before)
  for (const modelId of modelIds) {
    const rate = truth({ ...call, time: 0 }, modelId, null)
    assert.isTrue(rate > 0 && rate < 1)
  }
})
