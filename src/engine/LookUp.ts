/** A conductor of `recommend/`: what an advice reads from outside, side by side. */
import { Effect } from "effect"
import { noModels, readAccountModels } from "../accounts/AccountModels.ts"
import { type AccountSetting, unreadSettings } from "../accounts/AccountSettings.ts"
import type { ModelRestarts } from "../domain/model/ModelIdentity.ts"
import type { RecommendRequest } from "../domain/Recommendation.ts"
import { type AccountId, laneOf } from "../domain/Scope.ts"
import type { GuaranteeQuery } from "../ledger/GuaranteeEvidence.ts"
import { allHealthy } from "../ledger/ModelsHealth.ts"
import { degrade } from "./Degraded.ts"
import { readAccountSettings, readGuarantee, readHealth, readLaneNumbers } from "./recommend/AccountReads.ts"
import type { Candidate, Classified } from "./recommend/candidates/Candidate.ts"
import { underGuarantee } from "./recommend/choice/GuaranteeGoal.ts"
import { underValue } from "./recommend/choice/Threshold.ts"
import { readAttempts } from "./recommend/ReadAttempts.ts"
import { emptyRecall, recall } from "./recommend/Recall.ts"
import { redactTask, withoutVectors } from "./recommend/RedactTask.ts"
import { type EngineSettings, Settings } from "./Settings.ts"

/** Look-ups that cannot fail begin at once; a defect of one interrupts the others and is passed on. */
const sideBySide = { concurrency: "unbounded" } as const

/** What is known of no guarantee. */
const unguaranteed = Effect.succeed({ value: null, warnings: [] })

/** What the ledger tells of attempts that name no recommendation. */
const unnamed = Effect.succeed({ value: [], warnings: [] })

/** The account's own models and settings, and the request under its own terms or else the account's. */
export const readAccount = Effect.fnUntraced(function*(accountId: AccountId, given: RecommendRequest) {
  const { recallBudgetMs } = yield* Settings
  const [models, own] = yield* Effect.all([
    degrade(readAccountModels(accountId, recallBudgetMs), {
      orElse: () => noModels, warnings: { LedgerUnavailable: "account_models_unavailable" }
    }),
    degrade(readAccountSettings(accountId), {
      orElse: () => unreadSettings, warnings: { LedgerUnavailable: "account_settings_unavailable" }
    })
  ], sideBySide)
  return {
    account: models.value,
    own: own.value,
    accountWarnings: [...models.warnings, ...own.warnings],
    request: underValue(underGuarantee(given, own.value.guarantee), own.value.successValueUsd)
  }
})

/** What is looked up for a request side by side, each look-up within the recall budget. */
export const lookUp = Effect.fnUntraced(function*(
  { laneStart }: EngineSettings,
  accountId: AccountId,
  own: AccountSetting,
  request: RecommendRequest,
  { cluster }: Classified,
  candidates: ReadonlyArray<Candidate>,
  guarantee: GuaranteeQuery | null,
  restarts: ModelRestarts
) {
  const { attempts, task: { task, tags }, userId } = request
  const lane = laneOf(request.namespace)
  const modelIds = candidates.map(({ card }) => card.modelId)
  const isNamed = attempts.some(({ recommendationId }) => recommendationId !== null)
  const [recalled, numbers, redacted, evidence, health, attempted] = yield* Effect.all([
    degrade(recall({ accountId, lane, task, cluster, tags, userId, modelIds, restarts }), {
      orElse: () => emptyRecall,
      warnings: { RecallTimeout: "recall_timeout", MemoryUnavailable: "memory_unavailable" }
    }),
    degrade(readLaneNumbers(accountId, lane), {
      orElse: () => laneStart,
      warnings: { LedgerUnavailable: "lane_numbers_unavailable" }
    }),
    degrade(redactTask(accountId, own, task), {
      orElse: () => withoutVectors,
      warnings: { MemoryUnavailable: { log: "A task is kept without its vectors" } }
    }),
    guarantee === null ? unguaranteed : degrade(readGuarantee(guarantee), {
      orElse: () => null,
      warnings: { LedgerUnavailable: "guarantee_unavailable" }
    }),
    degrade(readHealth(accountId), {
      orElse: () => allHealthy, warnings: { LedgerUnavailable: { log: "Every model counts as healthy" } }
    }),
    isNamed
      ? degrade(readAttempts(accountId, attempts), {
        orElse: () => [], warnings: { LedgerUnavailable: "attempts_unavailable" }
      })
      : unnamed
  ], sideBySide)
  return {
    lane, recalled: recalled.value, recallWarnings: recalled.warnings,
    numbers: numbers.value, numbersWarnings: numbers.warnings,
    redacted: redacted.value,
    health: health.value,
    evidence: evidence.value, evidenceWarnings: evidence.warnings,
    attempted
  }
})

/** What the ledger knows of each attempt, or a warning that it could not be read. */
export type Attempted = Effect.Success<ReturnType<typeof lookUp>>["attempted"]
