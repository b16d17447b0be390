// The example of a gate and a judge, run as its README says, with everything up and with the service down.
import { assert, it } from "@effect/vitest"
import { stagedExample } from "../packages/client/support/StagedExample.ts"
import { linkPackages } from "./world.ts"

const name = "verdicts"
const { linesOf, world } = stagedExample(name)
linkPackages(name)

it("The gate hands the invoice on until its schema is met, and the judge's verdicts arrive without a word of the answers", async () => {
  const lines = await linesOf()
  assert.deepStrictEqual(lines.slice(0, 3), [
    "gate: middle fails", "gate: dear passes", `result: {"total": 120, "currency": "EUR"}`
  ])
  assert.match(lines.at(-1) ?? "", /^judged: 2, for \$0\.\d+, reports lost: 0$/)
  assert.lengthOf(lines.filter((line) => /^judge: \w+ 0\.9$/.test(line)), 2)
  assert.deepStrictEqual(world.service.asked[0]?.verification, { kind: "gate", pass_wrong: 0.1, fail_right: 0 })
  const verdicts = world.service.reports.filter(({ sent }) => sent.evidence_source !== "none")
  assert.deepStrictEqual(verdicts.map(({ sent }) => `${sent.evidence_source} ${sent.outcome}`), [
    "gate failure", "gate success", "judge success", "judge success"
  ])
  assert.isTrue(world.service.reports.every(({ answer }) => answer.accepted && answer.warnings?.length === 0))
  assert.notMatch(JSON.stringify(world.service.reports.map(({ sent }) => sent)), /EUR|SCORE|does what was asked/)
  // No bill of the judge is in a report.
  assert.isTrue(verdicts.every(({ sent }) => sent.actual_cost_usd === undefined))
})

it("The default model has one attempt when the service is down, and nothing is judged", async () => {
  world.service.set("down")
  assert.deepStrictEqual((await linesOf()).filter((line) => !line.startsWith("answer:")), [
    "gate: cheap fails", "no result: no_model", "judged: 0, for $0, reports lost: 0"
  ])
  assert.isFalse(world.provider.asked.some(({ model }) => model === "judge"))
})
