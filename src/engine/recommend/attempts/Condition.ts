/** The candidates' predictions given the verdicts of earlier attempts at the task. */
import { findModel } from "../../../catalog/Lookup.ts"
import { modelIdOf } from "../../../domain/model/ModelVariant.ts"
import type { CatalogSnapshot } from "../../../domain/model/Model.ts"
import { unitOf } from "../../../domain/Task.ts"
import * as Rounding from "../../../domain/Rounding.ts"
import * as Beta from "../../../stats/Beta.ts"
import * as Logit from "../../../stats/Logit.ts"
import { spreads } from "../../../stats/DifficultySpread.ts"
import * as TaskDifficulty from "../../../stats/TaskDifficulty.ts"
import type { EngineSettings } from "../../Settings.ts"
import type { Classified, Predicted } from "../candidates/Candidate.ts"
import { type PriorRule, priorFactsOf, priorOf } from "../prediction/Prior.ts"
import type { AttemptVerdict, KnownAttempt, KnownAttempts } from "./KnownAttempts.ts"

/** The share of independent repeats, and the priors of models that are no candidates. */
type ConditionRule = PriorRule & Pick<EngineSettings, "repeatShare">

/** The belief about the task, and its candidates' predictions. */
export interface Conditioned {
  readonly candidates: ReadonlyArray<Predicted>
  /** Attempts that were made, count, and their task; null if it is not known. */
  readonly made: number
  readonly taskKey: string | null
  /** How probable each difficulty is after the attempts, of sum 1. */
  readonly weights: Float64Array
  /** Spread of difficulty that the text does not tell, logit. */
  readonly spread: number
  /** The candidates that have run, and those of them whose run was judged: their next is a repeat. */
  readonly ran: ReadonlySet<string>
  readonly judged: ReadonlySet<string>
  /** The models of attempts that failed, each once, in their order. */
  readonly failed: ReadonlyArray<string>
  /** Predicted success of the candidate's next run at each of `spreads`; empty if no attempt was judged. */
  readonly bySpread: (modelId: string) => ReadonlyArray<number>
}

/** The task that the attempts were made at. */
interface AttemptedTask {
  readonly classified: Classified
  readonly snapshot: Pick<CatalogSnapshot, "models" | "shared">
  /** Spread of difficulty that the text does not tell, logit. */
  readonly spread: number
}

/**
 * The candidate that made an attempt. A candidate without a level stands for all levels of its model.
 * Undefined for another model.
 */
const candidateOf = <A extends Predicted>(candidates: ReadonlyArray<A>, modelId: string): A | undefined =>
  candidates.find(({ card }) => card.modelId === modelId)
    ?? candidates.find(({ card }) => card.modelId === modelIdOf(modelId))

/** The prior of a model that is no candidate. If the catalog lacks it, the prior of a model without facts. */
const priorElsewhere = (
  settings: PriorRule,
  { classified, snapshot }: AttemptedTask,
  modelId: string
): number => {
  const card = findModel(snapshot, modelId) ?? findModel(snapshot, modelIdOf(modelId))
  return card === undefined
    ? Logit.sigmoid(settings.priorLevelLogit)
    : priorOf(settings, priorFactsOf(settings, card, unitOf(classified.cluster)), classified)
}

/** The candidate with another prediction, and the interval that belongs to it. */
const repredicted = (candidate: Predicted, success: number): Predicted => {
  const predictedSuccess = Rounding.probability(success)
  const { high, low } = Beta.interval95(Beta.ofMean(predictedSuccess, candidate.sampleSize))
  return {
    ...candidate, predictedSuccess, optimisticSuccess: predictedSuccess, highPriorSuccess: predictedSuccess,
    successLow: low, successHigh: high,
    forecast: { ...candidate.forecast, given: predictedSuccess }
  }
}

/**
 * The candidates given the attempts. Their `forecast` keeps the unconditional prediction, because an outcome
 * is taught as one of any such task. Without a judged attempt the predictions do not change.
 */
export const condition = (
  settings: ConditionRule,
  candidates: ReadonlyArray<Predicted>,
  { attempts, made, taskKey }: Omit<KnownAttempts, "unknown">,
  task: AttemptedTask
): Conditioned => {
  const idOf = ({ modelId }: KnownAttempt) => candidateOf(candidates, modelId)?.card.modelId ?? modelId
  const ids = [...new Set(attempts.map(idOf))]
  const isJudged = (each: KnownAttempt): each is KnownAttempt & { readonly verdict: AttemptVerdict } =>
    each.verdict !== null
  const judged = attempts.filter(isJudged)
    .map((each): TaskDifficulty.JudgedAttempt => ({ model: ids.indexOf(idOf(each)), ...each.verdict }))
  const nameOf = ({ model }: TaskDifficulty.JudgedAttempt) => ids[model]!
  const known = {
    made, taskKey,
    spread: task.spread,
    ran: new Set(ids),
    judged: new Set(judged.map(nameOf)),
    failed: [...new Set(judged.filter(({ passed }) => !passed).map(nameOf))]
  }
  if (judged.length === 0) {
    return { ...known, candidates, weights: TaskDifficulty.unjudged, bySpread: () => [] }
  }
  const { repeatShare } = settings
  const first = ids.map((id) =>
    candidateOf(candidates, id)?.predictedSuccess ?? priorElsewhere(settings, task, id))
  /** At this spread of difficulty: the difficulty after the attempts, and a candidate's next run. */
  const at = (spread: number) => {
    const curves = first.map((success) => TaskDifficulty.curveOf(success, spread))
    const weights = TaskDifficulty.after(judged, curves, repeatShare)
    const next = ({ card: { modelId }, predictedSuccess }: Predicted): number => {
      const own = ids.indexOf(modelId)
      const curve = own === -1
        ? TaskDifficulty.curveOf(predictedSuccess, spread)
        : TaskDifficulty.nextRun(curves[own]!, judged, own, repeatShare)
      return TaskDifficulty.meanUnder(weights, curve)
    }
    return { weights, next }
  }
  const { next, weights } = at(task.spread)
  return {
    ...known,
    weights,
    candidates: candidates.map((each) => repredicted(each, next(each))),
    bySpread: (modelId) => {
      const candidate = candidates.find(({ card }) => card.modelId === modelId)
      return candidate === undefined ? [] : spreads.map((spread) => at(spread).next(candidate))
    }
  }
}
