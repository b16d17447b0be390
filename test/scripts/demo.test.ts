import { assert, describe, it } from "@effect/vitest"
import { trafficOf } from "../../scripts/demo/traffic.ts"
import { teams } from "../../scripts/demo/teams.ts"
import { decline, latencyOf, modelIds, truthOf } from "../../scripts/demo/truth.ts"

const month = trafficOf(1, 600)
const told = ({ latencyOf, resultOf, ...call }: (typeof month)[number]) =>
  ({ ...call, ms: latencyOf("gemini-3.7-flash"), result: resultOf("gemini-3.7-flash", null) })

describe("the demo's month", () => {
  it("is the same for the same seed, whatever was looked at first, and another for another", () => {
    const again = trafficOf(1, 600)
    again.at(-1)?.resultOf("claude-haiku-5-5", null)
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

  it("says how long each call takes, longer with a slower model and with more tokens", () => {
    for (const call of month) assert.isAbove(call.latencyOf("claude-opus-5"), call.latencyOf("gemini-3.7-flash"))
    assert.isAbove(latencyOf("gpt-4.1", 2_000, 0.5), latencyOf("gpt-4.1", 1_000, 0.5))
    assert.strictEqual(latencyOf("gpt-4.1", 900, 0.5), 10_600)
  })

  it("holds unreported calls, labels of every source, failures with a trace, and network trouble", () => {
    const results = month.map(({ resultOf }) => resultOf("claude-haiku-5-5", null))
    assert.isTrue(month.some(({ isReported }) => !isReported))
    for (const label of ["gate", "human", "judge", "none", null]) assert.isTrue(month.some((call) => call.label === label))
    assert.isTrue(results.some(({ notes }) => notes?.includes("Traceback") === true))
    assert.isTrue(results.some(({ errorCause }) => errorCause === "infra"))
    assert.deepStrictEqual([...new Set(results.map(({ outcome }) => outcome))].sort(), ["failure", "partial", "success"])
  })
})

it("a guaranteed team reports every call, and allows the model that it names as its own", () => {
  const guaranteed = teams.filter(({ isGuaranteed }) => isGuaranteed)
  assert.isAbove(guaranteed.length, 1)
  for (const { baselineModelId, feedbackShare, labels, models } of guaranteed) {
    assert.strictEqual(feedbackShare, 1)
    assert.include(models, baselineModelId)
    assert.isTrue(labels.every((label) => label === "gate" || label === "human"))
  }
  for (const { models } of teams) for (const modelId of models) assert.include(modelIds, modelId)
  for (const call of month.filter(({ team }) => team.isGuaranteed)) {
    assert.isNull(call.resultOf("gpt-4.1", null).errorCause)
    assert.isFalse(call.isOverruled)
    assert.isTrue(call.isReported)
  }
})

it("checks of a team that makes attempts pass or fail, and better models pass more", () => {
  const calls = trafficOf(1, 3_000).filter(({ team }) => team.attempts !== null)
  assert.isAbove(calls.length, 100)
  for (const call of calls) assert.notStrictEqual(call.resultOf("gpt-5.4-mini", null).outcome, "partial")
  const solved = (modelId: string) => calls.filter((call) => call.resultOf(modelId, null).outcome === "success").length
  assert.isAbove(solved("claude-opus-5"), solved("gpt-5.4-mini"))
})

it("a model gets worse in the decline for one team alone, and no success rate leaves (0, 1)", () => {
  const truth = truthOf(2)
  const call = { kind: "bug", taskType: "code", namespace: decline.namespace } as const
  const [before, after] = [0.1, 0.9].map((time) => truth({ ...call, time }, "gemini-3.7-flash", "gemini-3.7-flash"))
  assert.strictEqual(after, decline.successRate)
  assert.isAbove(before ?? 0, 0.5)
  assert.strictEqual(truth({ ...call, namespace: "demo-support", time: 0.9 }, "gemini-3.7-flash", "gemini-3.7-flash"), before)
  assert.strictEqual(truth({ ...call, time: 0.9 }, "gemini-3.7-flash", null), before)
  for (const modelId of modelIds) {
    const rate = truth({ ...call, time: 0 }, modelId, null)
    assert.isTrue(rate > 0 && rate < 1)
  }
})
