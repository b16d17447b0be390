// The example that fixes a failing test, run as its README says, with the service up and down.
import { assert, beforeAll, it } from "@effect/vitest"
import { stagedExample } from "../packages/client/support/StagedExample.ts"
import { linkPackages } from "./world.ts"

const name = "verify-and-escalate"

const { linesOf, world } = stagedExample(name)

beforeAll(() => linkPackages(name))

it("Each model that fails hands the test on to a better one, which is told of it, until the test passes", async () => {
  const lines = await linesOf()
  assert.deepStrictEqual(lines.slice(0, 3), [
    "cheap: the test fails", "middle: the test fails", "dear: the test passes"
  ])
  assert.match(lines[3] ?? "", /^fixed by dear, attempts: 3, cost: \$0\.\d+$/)
  assert.strictEqual(lines[4], "reports lost: 0")
  assert.deepStrictEqual(
    world.provider.asked.map(({ body: { messages } }) => (messages as ReadonlyArray<unknown>).length), [1, 3, 5]
  )
  const verdicts = world.service.reports.filter(({ sent }) => sent.evidence_source === "gate")
  assert.deepStrictEqual(
    verdicts.map(({ answer, sent }) => [sent.chosen_model_id, sent.outcome, answer.accepted]),
    [["cheap", "failure", true], ["middle", "failure", true], ["dear", "success", true]]
  )
  assert.deepStrictEqual(
    world.service.asked.map(({ attempts }) => attempts?.map(({ recommendation_id }) => recommendation_id)),
    [0, 1, 2].map((count) => verdicts.slice(0, count).map(({ sent }) => sent.recommendation_id))
  )
})

it("A provider that is out takes no attempt: another model makes it", async () => {
  world.provider.set("middle", 503)
  const lines = await linesOf()
  assert.strictEqual(lines.at(-3), "dear: the test passes")
  assert.isFalse(lines.some((line) => line.startsWith("middle")))
})

it("The default model alone tries when the service is down, and nothing is reported", async () => {
  world.service.set("down")
  assert.deepStrictEqual(await linesOf(), [
    "cheap: the test fails", "not fixed: no_model, attempts: 1, cost: not known", "reports lost: 0"
  ])
  assert.lengthOf(world.service.reports, 0)
})
