/*
 * Worlds of known truth in which an account has a guarantee: three kinds of task, a baseline, and two cheaper
 * candidates. The service's own choice and evidence run in them; labels come late, wrong, or not at all.
 */
import { noRestarts } from "../../src/domain/model/ModelIdentity.ts"
import { guaranteed } from "../../src/engine/policies/UnderGuarantee.ts"
import { costObjective } from "../../src/engine/recommend/choice/Objective.ts"
import { defaults } from "../../src/engine/Settings.ts"
import type { Scored } from "../../src/engine/recommend/candidates/Candidate.ts"
import { generator, normal } from "../../src/stats/Generator.ts"
import {
  type GuaranteedTask, type GuaranteeEvidence, noEvidence, withTask
} from "../../src/stats/GuaranteeStates.ts"

/** The success of a world's candidates compared with the baseline's. */
export const worldTypes = [
  "good", "equal", "slightly worse than allowed", "much worse", "drifting", "mixed"
] as const
export type WorldType = typeof worldTypes[number]

const kinds = ["code", "qa", "extraction"]
const models = [
  { modelId: "baseline", costUsd: 1 }, { modelId: "small", costUsd: 0.3 }, { modelId: "tiny", costUsd: 0.1 }
]

export interface GuaranteeWorldOptions {
  readonly type: WorldType
  readonly seed: number
  readonly tasks: number
  /** Largest loss, and confidence. */
  readonly loss: number
  readonly confidence: number
  readonly trialShare: number
  /** Share of labels that say the opposite, and of outcomes that are reported. */
  readonly noise: number
  readonly reported: number
  /** Share of the candidates' failures that labels pass beyond that, as a judge of their family does; else 0. */
  readonly favour?: number
  /** The caller's habit of reporting and of following advice. */
  readonly caller: "honest" | "only successes" | "ignores on hard tasks"
}

/** The results of a world. */
export interface GuaranteeWorldResult {
  /**
   * True if a candidate was the usual pick, before any change of quality, while its success by labels was beyond the
   * loss.
   */
  readonly isFalselyHeld: boolean
  /** The same for its true success, which labels may hide. */
  readonly isTrulyBeyond: boolean
  /** True if the mean loss of all tasks so far, by labels, was ever above the promise. */
  readonly isLossExceeded: boolean
  /** Kinds in which a candidate was ever held, and tasks of the kind until the first. */
  readonly heldAfter: ReadonlyArray<number>
  /** Tasks of a kind from a turn until its candidate was no longer held; Infinity where it still was. */
  readonly leftAfter: ReadonlyArray<number>
  /** Costs per task: of the baseline alone, of the guarantee, of `argmin`, and of the best allowed candidates. */
  readonly baselineUsd: number
  readonly guaranteedUsd: number
  readonly argminUsd: number
  readonly oracleUsd: number
  /** True if `argmin` ever exceeded the same loss. */
  readonly isArgminExceeded: boolean
}

/** Difference of a candidate's success to the baseline's: at first, and after half of the tasks. */
const differencesOf = (type: WorldType, loss: number, uniform: () => number): readonly [number, number] => {
  switch (type) {
    case "good": {
      const gain = 0.02 + 0.05 * uniform()
      return [gain, gain]
    }
    case "equal":
      return [0, 0]
    case "slightly worse than allowed": {
      const worse = -loss - 0.001 - 0.03 * uniform()
      return [worse, worse]
    }
    case "much worse": {
      const worse = -loss - 0.1 - 0.25 * uniform()
      return [worse, worse]
    }
    case "drifting":
      return [0.03, -loss - 0.05 - 0.25 * uniform()]
    case "mixed": {
      const each = worldTypes[Math.floor(uniform() * 5)]!
      return differencesOf(each, loss, uniform)
    }
  }
}

const clamped = (value: number): number => Math.min(0.99, Math.max(0.01, value))

const logit = (p: number): number => Math.log(p / (1 - p))
const logistic = (x: number): number => 1 / (1 + Math.exp(-x))

/** Success of each model in each kind, before and after the middle of the world. */
const truthOf = ({ loss, type }: GuaranteeWorldOptions, uniform: () => number) =>
  kinds.map(() => {
    const baseline = 0.65 + 0.27 * uniform()
    const candidates = [differencesOf(type, loss, uniform), differencesOf(type, loss, uniform)]
    return [0, 1].map((half) => [baseline, ...candidates.map((each) => clamped(baseline + each[half]!))])
  })

/** `argmin` over beliefs that start from a guess of each model, weighing 12 outcomes, as the engine's do. */
const makeArgmin = (truth: ReturnType<typeof truthOf>, uniform: () => number) => {
  const tau = 0.735
  const beliefs = truth.map(([first]) => first!.map((success) => {
    const guess = logistic(logit(success) + 0.35 * normal(uniform))
    return { sum: 12 * guess, weight: 12 }
  }))
  const mean = ({ sum, weight }: { readonly sum: number; readonly weight: number }) => sum / weight
  return {
    pick: (kind: number): number => {
      const own = beliefs[kind]!
      const eligible = own.flatMap((each, model) => mean(each) >= tau ? [model] : [])
      if (eligible.length > 0) return eligible.at(-1)!
      return own.reduce((best, each, model) => mean(each) > mean(own[best]!) ? model : best, 0)
    },
    learn: (kind: number, model: number, success: number): void => {
      const own = beliefs[kind]![model]!
      own.sum += success
      own.weight += 1
    }
  }
}

/** The candidates of a task as the choice reads them; predictions do not decide here. */
const ranked = models.map(({ costUsd, modelId }) =>
  // The choice under a guarantee reads no more of a candidate.
  ({ card: { modelId }, cost: { costUsd }, predictedSuccess: 0.9 }) as unknown as Scored)

/** Longest wait for a label, tasks; labels come evenly within half of it. */
const labelWait = 400

/** Tasks between two looks at the evidence: it is a few seconds old. */
const lookEvery = 20

/** Runs one world. */
export const guaranteeWorld = (options: GuaranteeWorldOptions): GuaranteeWorldResult => {
  const { caller, confidence, favour = 0, loss, noise, reported, seed, tasks, trialShare } = options
  const uniform = generator(seed)
  const truth = truthOf(options, uniform)
  const argmin = makeArgmin(truth, uniform)
  const rule = { ...defaults.guaranteeRule, loss, alpha: 1 - confidence }
  const isTurning = truth.map(([before, after]) => before!.map((success, model) => success !== after![model]))

  let evidence: GuaranteeEvidence = noEvidence
  const waiting: Array<{ readonly task: GuaranteedTask; readonly dueAt: number }> = []
  let next = 0
  const seen = kinds.map(() => 0)
  const heldAfter = new Map<number, number>()
  const leftAfter = new Map<number, number>()
  const sinceTurn = kinds.map(() => 0)
  const heldAtTurn = kinds.map(() => -1)
  let [isFalselyHeld, isTrulyBeyond, isLossExceeded, isArgminExceeded] = [false, false, false, false]
  let [guaranteedUsd, argminUsd, oracleUsd, lossSum, argminLossSum] = [0, 0, 0, 0, 0]

  for (let at = 0; at < tasks; at++) {
    if (at % lookEvery === 0) {
      while (next < waiting.length && waiting[next]!.dueAt <= at) {
        evidence = withTask(rule, evidence, waiting[next++]!.task)
      }
    }
    const kind = Math.floor(uniform() * kinds.length)
    const half = at * 2 < tasks ? 0 : 1
    const actual = truth[kind]![half]!
    // What labels show of a success, where some of them say the opposite.
    const labelled = actual.map((success, model) =>
      success * (1 - 2 * noise) + noise + (model > 0 ? favour * (1 - success) : 0))
    const criteria = {
      baselineModelId: "baseline", maxQualityLoss: loss, confidence, trialShare, isPaired: false,
      isUncounted: false, restarts: noRestarts, kind: kinds[kind]!, evidence
    }
    const choice = guaranteed(defaults, costObjective, criteria, ranked, 0.735, uniform())!
    const indexOf = (modelId: string) => models.findIndex((each) => each.modelId === modelId)
    const [picked, usual] = [indexOf(choice.pick.card.modelId), indexOf(choice.usual.card.modelId)]
    seen[kind]! += 1

    const isBeyond = labelled[usual]! < labelled[0]! - loss - 1e-9
    const isSteady = half === 0 || !isTurning[kind]![usual]
    isFalselyHeld ||= isBeyond && isSteady
    isTrulyBeyond ||= isSteady && actual[usual]! < actual[0]! - loss - 1e-9
    if (usual > 0 && !heldAfter.has(kind)) heldAfter.set(kind, seen[kind]!)
    if (half === 1) {
      if (sinceTurn[kind] === 0) heldAtTurn[kind] = isBeyond ? usual : -1
      sinceTurn[kind]! += 1
      if (heldAtTurn[kind]! > 0 && usual !== heldAtTurn[kind] && !leftAfter.has(kind)) {
        leftAfter.set(kind, sinceTurn[kind]!)
      }
    }

    const argminPick = argmin.pick(kind)
    argmin.learn(kind, argminPick, uniform() < labelled[argminPick]! ? 1 : 0)
    argminUsd += models[argminPick]!.costUsd
    guaranteedUsd += models[picked]!.costUsd
    const allowed = models.flatMap((each, model) => labelled[model]! >= labelled[0]! - loss ? [each.costUsd] : [])
    oracleUsd += Math.min(...allowed)
    lossSum += labelled[0]! - labelled[picked]!
    argminLossSum += labelled[0]! - labelled[argminPick]!
    // A mean of a few tasks says nothing: one failed trial is a loss of one.
    if (at >= 1_000) {
      isLossExceeded ||= lossSum / (at + 1) > loss
      isArgminExceeded ||= argminLossSum / (at + 1) > loss
    }

    const isHard = uniform() < 0.3
    // On hard tasks every model does worse, and such a caller runs the baseline whatever is recommended.
    const isIgnored = caller === "ignores on hard tasks" && isHard && picked > 0
    const success = uniform() < labelled[picked]! ? 1 : 0
    const isReported = !isIgnored && uniform() < reported && (caller !== "only successes" || success === 1)
    const label = isReported ? success : null
    const { trial } = choice
    waiting.push({
      dueAt: at + (isReported ? Math.floor(uniform() * labelWait / 2) : labelWait),
      task: {
        kind: kinds[kind]!,
        candidate: trial?.candidateModelId ?? null,
        trial: trial?.candidateModelId === undefined || trial.candidateModelId === null ? null : {
          share: picked > 0 ? choice.propensity : 1 - choice.propensity,
          ran: picked > 0 ? "candidate" : "baseline",
          candidate: picked > 0 ? label : null,
          baseline: picked > 0 ? null : label
        }
      }
    })
  }
  for (const [kind, model] of heldAtTurn.entries()) {
    if (model > 0 && !leftAfter.has(kind)) leftAfter.set(kind, Infinity)
  }
  return {
    isFalselyHeld, isTrulyBeyond, isLossExceeded, isArgminExceeded,
    heldAfter: [...heldAfter.values()],
    leftAfter: [...leftAfter.values()],
    baselineUsd: models[0]!.costUsd,
    guaranteedUsd: guaranteedUsd / tasks,
    argminUsd: argminUsd / tasks,
    oracleUsd: oracleUsd / tasks
  }
}
