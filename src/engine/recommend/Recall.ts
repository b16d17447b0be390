/** Stage 3: recalls similar past outcomes of the candidates. */
import { Effect, Schema } from "effect"
import { excerptOf } from "../../domain/Task.ts"
import { Memory, type MemoryUnavailable, type Recalled, type RecallQuery } from "../../memory/Memory.ts"
import { noNeighbours } from "../../memory/Neighbours.ts"
import { deadline } from "../../resilience/Deadline.ts"
import { attribute } from "../../telemetry/SemanticConventions.ts"
import { annotate } from "../../telemetry/Spans.ts"
import { stage } from "../../telemetry/Tracing.ts"
import { Settings } from "../Settings.ts"

export class RecallTimeout extends Schema.TaggedError<RecallTimeout>()("RecallTimeout", {
  budgetMs: Schema.Finite
}) {}

export const emptyRecall: Recalled = {
  neighbours: noNeighbours,
  measurements: noNeighbours,
  tallies: new Map(),
  laneSize: 0
}

export const recall = Effect.fnUntraced(function*(
  query: Omit<RecallQuery, "perModel">
): Effect.fn.Return<Recalled, RecallTimeout | MemoryUnavailable, Memory | Settings> {
  const { recallBudgetMs, recallPerModel } = yield* Settings
  const memory = yield* Memory
  yield* annotate((capturesContent) =>
    capturesContent ? { [attribute.genAiQueryText]: excerptOf(query.task) } : {})
  const recalled = yield* memory.recall({ ...query, perModel: recallPerModel }).pipe(
    deadline(recallBudgetMs, () => new RecallTimeout({ budgetMs: recallBudgetMs }))
  )
  yield* annotate(() => ({
    [attribute.candidates]: query.modelIds.length,
    [attribute.neighbours]: recalled.neighbours.length,
    [attribute.laneSize]: recalled.laneSize
  }))
  return recalled
}, stage("recall"))
