import { Effect } from "effect"
import { layerInProcess, Service } from "../../scripts/bench/arena/service.ts"
import { type Answered, workloadFigures } from "../../scripts/bench/arena/workload-figures.ts"
import { type Contender, type WorkloadName, workloadOf } from "../../scripts/bench/arena/workloads.ts"
import { threshold } from "../../src/engine/recommend/choice/Threshold.ts"
import { defaults } from "../../src/engine/Settings.ts"
import { generator } from "../../src/stats/Generator.ts"

/** Feedback of which a share lies. */
export interface Poisoning {
  readonly workload: WorkloadName
  readonly seed: number
  readonly prompts: number
  readonly slider: number
  /** Actors who lie, in turns; honest feedback names none. 0 hides the lies among it. */
  readonly liars: number
}

const inputTokens = 500
const outputTokens = 300

const costOf = ({ inputUsdPerMtok, outputUsdPerMtok }: Contender): number =>
  (inputTokens * inputUsdPerMtok + outputTokens * outputUsdPerMtok) / 1e6

const catalogOf = (models: ReadonlyArray<Contender>): string =>
  JSON.stringify({
    models: models.map(({ inputUsdPerMtok, modelId, outputUsdPerMtok }) => ({
      model_id: modelId,
      provider: "arena",
      input_cost_per_mtok: inputUsdPerMtok,
      output_cost_per_mtok: outputUsdPerMtok,
      context_window: 128_000
    }))
  })

/** The engine over the workload, answer by answer; a `share` of what it is told is the opposite of the truth. */
const answersOf = (poisoning: Poisoning & { readonly share: number }) => {
  const workload = workloadOf(poisoning.workload, poisoning.seed, poisoning.prompts)
  const costsUsd = workload.models.map(costOf)
  const tau = threshold(defaults, poisoning.slider, null)
  // The prompts of a lower share that lie are among those of a higher one.
  const random = generator(poisoning.seed + 77)
  const lies = workload.prompts.map(() => random() < poisoning.share)
  return Effect.gen(function*() {
    const service = yield* Service
    const answered: Array<Answered> = []
    for (const [i, prompt] of workload.prompts.entries()) {
      const liar = lies[i] === true && poisoning.liars > 0 ? `liar-${i % poisoning.liars}` : null
      const advice = yield* service.recommend({
        task: {
          task: prompt.text, task_type: prompt.taskType, difficulty: "medium", expected_input_tokens: inputTokens,
          expected_output_tokens: outputTokens
        },
        user_id: liar,
        cost_quality_tradeoff: poisoning.slider,
        explain: false,
        allow_llm_escalation: false,
        constraints: { candidate_models: workload.models.map(({ modelId }) => modelId) }
      })
      const pick = workload.models.findIndex(({ modelId }) => modelId === advice.modelId)
      const outcome = prompt.outcomes[pick] ?? 0
      const told = lies[i] === true ? 1 - outcome : outcome
      yield* service.feedback({
        recommendation_id: advice.recommendationId,
        chosen_model_id: advice.modelId,
        outcome: told === 1 ? "success" : "failure",
        quality_score: told,
        evidence_source: "gate",
        input_tokens: inputTokens,
        output_tokens: outputTokens,
        actual_cost_usd: costsUsd[pick] ?? 0
      })
      answered.push({
        choice: { truth: workload.tables[prompt.table] ?? [], costsUsd, threshold: tau },
        table: prompt.table,
        pick,
        predicted: advice.predicted,
        outcome
      })
    }
    return { answered, lies }
  }).pipe(Effect.provide(layerInProcess(catalogOf(workload.models), {})))
}

const underOf = (answered: ReadonlyArray<Answered>): number => workloadFigures(answered).under

/**
 * What the lies cost those who told none: true quality lost against the best assignment of models to kinds at
 * the same cost, in points, beyond what the same prompts lose on the same seed without a lie.
 */
export const regretRise = (poisoning: Poisoning, shares: ReadonlyArray<number>) =>
  Effect.gen(function*() {
    const clean = yield* answersOf({ ...poisoning, share: 0 })
    return yield* Effect.forEach(shares, (share) =>
      Effect.map(answersOf({ ...poisoning, share }), ({ answered, lies }) => {
        const isHonest = (_: Answered, i: number) => poisoning.liars === 0 || lies[i] !== true
        return underOf(clean.answered.filter(isHonest)) - underOf(answered.filter(isHonest))
      }))
  })
