/* Six workloads with known truth: what advice says of their kinds of task, and what is so. */
import type { DecisionCandidate } from "../../src/domain/Decision.ts"
import type { Advice } from "../../src/domain/reports/Advice.ts"
import { adviceOf } from "../../src/reports/advice/Advice.ts"
import { kindsOf } from "../../src/reports/advice/AdviceArms.ts"
import type { ArmSums } from "../../src/reports/advice/ArmSums.ts"
import { generator, normal } from "../../src/stats/Generator.ts"
import { logit, sigmoid } from "../../src/stats/Logit.ts"
import { tellRule } from "../../src/stats/VerdictsNeeded.ts"

const dayMs = 86_400_000
const days = 30
const now = days * dayMs

/** Models from the dearest, which is the usual one, and what a call costs, mean, USD. */
const costs = [0.03, 0.012, 0.004, 0.001, 0.0003]
const nameOf = (model: number): string => `m${model}`

/** The parameters of a workload's kinds of task, in logits unless another unit is named. */
interface Workload {
  /** True success of each model at a mean task, before ease; the usual model is the first. */
  readonly success: (uniform: () => number) => ReadonlyArray<number>
  /** The newest decision's prediction of its success. */
  readonly predicted: (success: number, model: number, uniform: () => number) => number
  /**
   * Spreads of the ease that predictions see and of the ease that they do not see, and how strongly seen ease sends
   * tasks to cheaper models.
   */
  readonly seenSpread: number
  readonly hiddenSpread: number
  readonly routing: number
  /** How strongly unseen ease sends tasks to cheaper models. */
  readonly hiddenRouting: number
}

const noisy = (by: number) => (success: number, _model: number, uniform: () => number): number =>
  sigmoid(logit(success) + by * normal(uniform))
const plain = { seenSpread: 0, hiddenSpread: 0, routing: 0, hiddenRouting: 0, predicted: noisy(0.5) }
const usualOf = (uniform: () => number): number => 0.6 + 0.35 * uniform()
const below = (gapOf: (model: number, uniform: () => number) => number) => (uniform: () => number) => {
  const usual = usualOf(uniform)
  return costs.map((_, model) => Math.min(0.99, Math.max(0.02, model === 0 ? usual : usual - gapOf(model, uniform))))
}

/** Each is a little less than the usual model where it is cheaper. */
const littleWorse = below((model, uniform) => model * (0.06 * uniform()))

export const workloads: { readonly [Name in string]: Workload } = {
  "models alike": { ...plain, success: below((_, uniform) => 0.02 * (uniform() - 0.5)) },
  "cheaper is worse": { ...plain, success: below((model, uniform) => model * (0.02 + 0.08 * uniform())) },
  // The hardest to tell: each is a little more than the tolerance worse.
  "just too much worse": { ...plain, success: below((_, uniform) => 0.052 + 0.03 * uniform()) },
  "cheaper is better": { ...plain, success: below((_, uniform) => -0.1 * uniform()) },
  "priors that flatter": {
    ...plain,
    success: below((model, uniform) => model * (0.04 + 0.06 * uniform())),
    predicted: (_success, _model, uniform) => 0.9 + 0.08 * uniform()
  },
  // Within a kind of task the policy sends the easier tasks to the cheaper models.
  "easy tasks to cheap models": {
    ...plain, seenSpread: 0.7, hiddenSpread: 0.7, routing: 0.45, success: littleWorse
  }
}

/** A caller that itself sends easier tasks to cheaper models, by what no prediction sees. */
export const unseenRouting: Workload = { ...plain, hiddenSpread: 1, hiddenRouting: 0.3, success: littleWorse }

/** @param observedShare of the calls that telemetry alone tells of, in [0, 1] */
const kindAt = (workload: Workload, cluster: string, uniform: () => number, observedShare: number) => {
  const { hiddenRouting, hiddenSpread, predicted, routing, seenSpread, success } = workload
  const levels = success(uniform)
  const predictions = levels.map((level, model) => predicted(level, model, uniform))
  const calls = Math.round(200 * 20 ** uniform())
  const verdictShare = 0.05 + 0.95 * uniform()
  // Of the calls that the usual model does not run.
  const shares = costs.map((_, model) => model === 0 ? 0 : uniform() ** 2)
  const usualShare = 0.5 + 0.4 * uniform()
  const total = shares.reduce((sum, each) => sum + each, 0)
  const sums = costs.map((_, model): ArmSums => ({
    lane: "sextant:team", cluster, modelId: nameOf(model), nCalls: 0, firstMs: 0, nVerdicts: 0, weight: 0,
    successWeight: 0, predictedWeight: 0, predicted: 0, nCosted: 0, costUsd: 0, costSquares: 0, estimatedUsd: 0, newestId: null
  }))
  const none = { nCalls: 0, nVerdicts: 0, weight: 0, successWeight: 0 }
  const told = sums.map((sum): ArmSums => ({ ...sum, observed: none }))
  const usualTasks: Array<number> = []
  for (let call = 0; call < calls; call++) {
    const seen = seenSpread * normal(uniform)
    const hidden = hiddenSpread * normal(uniform)
    const ease = seen + hidden
    const isUsual = uniform() < sigmoid(logit(usualShare) - routing * seen - hiddenRouting * hidden)
    let left = uniform() * total
    const model = isUsual ? 0 : Math.max(1, shares.findIndex((share) => (left -= share) < 0))
    if (model === 0) usualTasks.push(ease)
    const isTold = observedShare > 0 && uniform() < observedShare
    const from = isTold ? told : sums
    const own = from[model]!
    const cost = costs[model]! * Math.exp(0.9 * normal(uniform) - 0.405)
    const hasVerdict = uniform() < verdictShare
    const isRight = uniform() < sigmoid(logit(levels[model]!) + ease)
    from[model] = {
      ...own, nCalls: own.nCalls + 1, nCosted: own.nCosted + 1, costUsd: own.costUsd + cost,
      costSquares: own.costSquares + cost ** 2, nVerdicts: own.nVerdicts + (hasVerdict ? 1 : 0),
      weight: own.weight + (hasVerdict ? 1 : 0), successWeight: own.successWeight + (hasVerdict && isRight ? 1 : 0),
      predictedWeight: own.predictedWeight + (hasVerdict && !isTold ? 1 : 0),
      predicted: own.predicted + (hasVerdict && !isTold ? sigmoid(logit(predictions[model]!) + seen) : 0)
    }
    if (isTold) {
      const { nCalls, nVerdicts, successWeight, weight } = from[model]
      from[model] = { ...from[model], observed: { nCalls, nVerdicts, successWeight, weight } }
    }
  }
  const candidates = costs.map((estCostUsd, model): DecisionCandidate => ({
    modelId: nameOf(model), predictedSuccess: predictions[model]!, estCostUsd, isEligible: true
  }))
  // The success of each model on the tasks that the usual one runs, which a move would bring it.
  const truths = levels.map((level) =>
    usualTasks.reduce((sum, ease) => sum + sigmoid(logit(level) + ease), 0) / usualTasks.length)
  return { arms: [...sums, ...told].filter(({ nCalls }) => nCalls > 0), candidates, truths }
}

/** A row of advice beside what is so. */
export interface Judged {
  readonly row: Advice
  /** The candidate's true success less the usual model's, on the tasks that the usual one runs. */
  readonly difference: number
  /** True if it is cheaper in truth, and worse by less than the tolerance. */
  readonly isRight: boolean
}

const kindsOfWorld = 8

/** The rows of a world of a workload, judged. */
export const adviceWorld = (workload: Workload, seed: number, observedShare = 0) => {
  const uniform = generator(seed)
  const made = Array.from({ length: kindsOfWorld }, (_, at) => kindAt(workload, `qa:${at}`, uniform, observedShare))
  const clusterOf = (cluster: string) => made[Number(cluster.slice(3))]!
  const kinds = kindsOf(made.flatMap(({ arms }) => arms), now, days)
  const rows = adviceOf(kinds.map((kind) => ({ kind, candidates: clusterOf(kind.cluster).candidates, heldId: null })), "acme")
  const judged = rows.map((row): Judged => {
    const { truths } = clusterOf(row.cluster)
    const [usual, candidate] = [row.usual, row.candidate].map(({ modelId }) => Number(modelId.slice(1)))
    const difference = truths[candidate!]! - truths[usual!]!
    return { row, difference, isRight: difference > -tellRule.tolerance && costs[candidate!]! < costs[usual!]! }
  })
  return judged
}
