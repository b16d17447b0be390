import { Effect } from "effect"
import { layerInProcess } from "../../scripts/bench/arena/service.ts"
import { type Answered, workloadFigures } from "../../scripts/bench/arena/workload-figures.ts"
import { answer, catalogOf } from "../../scripts/bench/arena/workload-run.ts"
import { type WorkloadName, workloadOf } from "../../scripts/bench/arena/workloads.ts"
import { threshold } from "../../src/engine/policies/Criteria.ts"
import { defaults } from "../../src/engine/Settings.ts"
import { generator } from "../../src/stats/Generator.ts"

/** A workload in which some of the feedback lies. */
export interface Poisoning {
  readonly workload: WorkloadName
  readonly seed: number
  readonly prompts: number
  readonly slider: number
  /** Actors who lie, in turns; honest feedback names none. 0 hides the lies among it. */
  readonly liars: number
}

/** Runs the engine over the workload. A `share` of the reports is the opposite of the truth. */
const answersOf = (poisoning: Poisoning & { readonly share: number }) => {
  const workload = workloadOf(poisoning.workload, poisoning.seed, poisoning.prompts)
  const tau = threshold(defaults, poisoning.slider, null)
  // The prompts of a lower share that lie are among those of a higher one.
  const random = generator(poisoning.seed + 77)
  const lies = workload.prompts.map(() => random() < poisoning.share)
  return Effect.gen(function*() {
    const answered: Array<Answered> = []
    for (const [i, prompt] of workload.prompts.entries()) {
      const isLying = lies[i] === true
      const userId = isLying && poisoning.liars > 0 ? `liar-${i % poisoning.liars}` : null
      answered.push(yield* answer(workload, prompt, poisoning.slider, tau, { isLying, userId }))
    }
    return { answered, lies }
  }).pipe(Effect.provide(layerInProcess(catalogOf(workload.models), {})))
}

const underOf = (answered: ReadonlyArray<Answered>): number => workloadFigures(answered).under

/**
 * The cost of the lies for honest callers, in points of true quality. It is their loss against the best assignment of
 * models to kinds at the same cost, minus the loss of the same prompts on the same seed without a lie.
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
