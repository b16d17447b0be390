/** The criteria of a plan of attempts, and the candidates given earlier attempts. */
import type { CatalogSnapshot } from "../../../domain/model/Model.ts"
import type { RecommendRequest } from "../../../domain/Recommendation.ts"
import type { RecommendWarning } from "../../../domain/Warning.ts"
import { spreadOf } from "../../../stats/DifficultySpread.ts"
import type { LaneNumbers } from "../../../stats/LaneNumbers.ts"
import { asksForPlan, type AttemptCriteria, attemptCriteria } from "../../policies/AttemptCriteria.ts"
import type { EngineSettings } from "../../Settings.ts"
import type { Classified, Predicted } from "../candidates/Candidate.ts"
import type { LedgerAttempt } from "../ReadAttempts.ts"
import { condition } from "./Condition.ts"
import { knownAttempts } from "./KnownAttempts.ts"

/** The task and evidence of the candidates' predictions. */
interface PredictedTask {
  readonly request: RecommendRequest
  readonly classified: Classified
  readonly snapshot: CatalogSnapshot
  readonly numbers: LaneNumbers
  /** The ledger's record of each attempt; null if it could not be read. */
  readonly attempted: ReadonlyArray<LedgerAttempt | null> | null
}

interface AfterAttempts {
  /** The criteria of a plan; null if the request is not about attempts. */
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
  const { attempts, verification } = request
  const known = knownAttempts(settings, snapshot, attempts, verification, ledger ?? [])
  const spread = spreadOf(numbers.spreadEvidence, settings.difficultySpread)
  const task = { classified, snapshot, spread }
  const { candidates, ...conditioned } = condition(settings, predicted, known, task)
  return {
    attempts: attemptCriteria(settings, request, conditioned),
    candidates,
    warnings: ledger === null || known.unknown === 0 ? [] : [`unknown_attempts:${known.unknown}`]
  }
}
