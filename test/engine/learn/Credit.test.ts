import { assert, it } from "@effect/vitest"
import { reinforcementWrite } from "../../../src/engine/learn/Credit.ts"
import type { CombinedFeedback } from "../../../src/engine/learn/FeedbackContext.ts"
import { defaults } from "../../../src/engine/Settings.ts"
import { decision, feedback, combined } from "../../support/builders.ts"

const drove = (count: number, modelId: string) =>
  Array.from({ length: count }, (_, i) => ({ entryId: `${modelId}-${i}`, modelId, weight: i }))
const both = decision({ neighbours: [...drove(12, "cheap"), ...drove(3, "dear")] })

const crediting = (about: CombinedFeedback) => {
  const write = reinforcementWrite(about, defaults)
  return write?.kind === "reinforce" ? write.body : null
}

it("the chosen model's neighbours are credited, the eight heaviest first", () => {
  const asked = crediting(combined({ decision: both }))
  assert.deepStrictEqual(asked?.entryIds, [11, 10, 9, 8, 7, 6, 5, 4].map((i) => `cheap-${i}`))
  assert.deepStrictEqual([asked?.lane, asked?.quality], [both.lane, 1])
})

it("a vote is the actor's for whom the decision was made, at the time of the feedback", () => {
  const about = combined({ decision: decision({ neighbours: drove(1, "cheap"), userId: "ann" }) })
  const asked = crediting(about)
  assert.deepStrictEqual([asked?.userId, asked?.occurredAt], ["ann", about.now])
})

it("a chosen model that was not recommended credits its own neighbours, an unknown model none", () => {
  const of = (chosenModelId: string) =>
    crediting(combined({ decision: both, request: feedback({ chosenModelId }) }))
  assert.deepStrictEqual(of("dear")?.entryIds, ["dear-2", "dear-1", "dear-0"])
  assert.isNull(of("new"))
})

it("late feedback, telemetry and infrastructure faults credit no neighbour", () => {
  for (const about of [
    combined({ decision: both, afterMs: 7 * 86_400_000 + 1 }),
    combined({ decision: both, request: feedback({ evidenceSource: "none" }) }),
    combined({ decision: both, request: feedback({ outcome: "failure", errorCause: "infra" }) })
  ]) {
    assert.isNull(crediting(about))
  }
})
