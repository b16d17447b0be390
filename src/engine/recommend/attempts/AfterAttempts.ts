/** Updates the candidates and the criteria of a plan with the verdicts of earlier attempts at the task. */
import { findModel } from "../../../catalog/Lookup.ts"
import { modelIdOf } from "../../../domain/model/ModelVariant.ts"
import type { CatalogSnapshot } from "../../../domain/model/Model.ts"
import type { RecommendRequest } from "../../../domain/Recommendation.ts"
import { unitOf } from "../../../domain/Task.ts"
import * as Rounding from "../../../domain/Rounding.ts"
import type { RecommendWarning } from "../../../domain/Warning.ts"
import * as Beta from "../../../stats/Beta.ts"
import * as Logit from "../../../stats/Logit.ts"
import { spreadOf, spreads } from "../../../stats/DifficultySpread.ts"
import type { LaneNumbers } from "../../../stats/LaneNumbers.ts"
import * as TaskDifficulty from "../../../stats/TaskDifficulty.ts"
import {
  asksForPlan, type AttemptCriteria, attemptCriteria, type AttemptKnowledge
} from "../../policies/AttemptCriteria.ts"
import type { EngineSettings } from "../../Settings.ts"
import type { Classified, Predicted } from "../candidates/Candidate.ts"
import { type PriorRule, priorFactsOf, priorOf } from "../prediction/Prior.ts"
import type { LedgerAttempt } from "../ReadAttempts.ts"
import { type AttemptVerdict, type KnownAttempt, knownAttempts, type KnownAttempts } from "./KnownAttempts.ts"

type ConditionRule = PriorRule & Pick<EngineSettings, "repeatShare">

interface Conditioned {
  readonly candidates: ReadonlyArray<Predicted>
  readonly known: AttemptKnowledge
}

interface AttemptedTask {
  readonly classified: Classified
  readonly snapshot: Pick<CatalogSnapshot, "models" | "shared">
  /** Standard deviation of the difficulty that the text does not show, logit. */
  readonly spread: number
}

const candidateOf = <A extends Predicted>(candidates: ReadonlyArray<A>, modelId: string): A | undefined =>
  candidates.find(({ card }) => card.modelId === modelId)
    ?? candidates.find(({ card }) => card.modelId === modelIdOf(modelId))

/** A model outside the catalog has the reference prior at medium difficulty. */
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
 * Returns the predictions after the attempts, unchanged if no attempt was judged. The `forecast` keeps the
 * earlier prediction, because learning compares outcomes with it.
 */
const condition = (
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
    return { candidates, known: { ...known, weights: TaskDifficulty.unjudged, bySpread: () => [] } }
  }
  const { repeatShare } = settings
  const first = ids.map((id) =>
    candidateOf(candidates, id)?.predictedSuccess ?? priorElsewhere(settings, task, id))
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
    candidates: candidates.map((each) => repredicted(each, next(each))),
    known: {
      ...known,
      weights,
      bySpread: (modelId) => {
        const candidate = candidates.find(({ card }) => card.modelId === modelId)
        return candidate === undefined ? [] : spreads.map((spread) => at(spread).next(candidate))
      }
    }
  }
}

interface PredictedTask {
  readonly request: RecommendRequest
  readonly classified: Classified
  readonly snapshot: CatalogSnapshot
  readonly numbers: LaneNumbers
  /** The ledger's records of the attempts; null if they were not read. */
  readonly attempted: ReadonlyArray<LedgerAttempt | null> | null
}

interface AfterAttempts {
  /** The criteria of the plan; null if the request asks for no plan. */
  readonly attempts: AttemptCriteria | null
  readonly candidates: ReadonlyArray<Predicted>
  readonly warnings: ReadonlyArray<RecommendWarning>
}

export const afterAttempts = (
  settings: EngineSettings,
  { attempted: ledger, classified, numbers, request, snapshot }: PredictedTask,
  predicted: ReadonlyArray<Predicted>
): AfterAttempts => {
  if (!asksForPlan(request)) return { attempts: null, candidates: predicted, warnings: [] }
  const made = knownAttempts(settings, snapshot, request.attempts, request.verification, ledger ?? [])
  const spread = spreadOf(numbers.spreadEvidence, settings.difficultySpread)
  const { candidates, known } = condition(settings, predicted, made, { classified, snapshot, spread })
  return {
    attempts: attemptCriteria(settings, request, known),
    candidates,
    warnings: ledger === null || made.unknown === 0 ? [] : [`unknown_attempts:${made.unknown}`]
  }
}
