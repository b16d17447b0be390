import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { engineService, recommend } from "./EngineService.ts"

const task = { task: "Summarise this report in three sentences", task_type: "summarization" }

it.live("an answer beside an incumbent says why it is left or kept, and no other answer does", () =>
  Effect.gen(function*() {
    const ask = (over: Record<string, unknown>) => Effect.map(recommend({ task, ...over }), ({ body }) => body as any)
    const plain = yield* ask({})
    const pick = plain.recommended_model.model_id
    assert.isNull(plain.switch_reason)
    assert.isNull((yield* ask({ incumbent_model_id: pick })).switch_reason)
    assert.isNull((yield* ask({ incumbent_model_id: "a-model-that-no-catalog-knows" })).switch_reason)
    for (const { model_id } of plain.ranked.slice(1)) {
      const beside = yield* ask({ incumbent_model_id: model_id })
      const isKept = beside.recommended_model.model_id === model_id
      assert.include(isKept ? ["within_noise", "warm_cache"] : ["cost", "threshold"], beside.switch_reason)
      const barred = yield* ask({ incumbent_model_id: model_id, constraints: { excluded_models: [model_id] } })
      assert.deepStrictEqual([barred.recommended_model.model_id, barred.switch_reason], [pick, "capability"])
    }
  }).pipe(Effect.provide(engineService({}))), 60_000)
