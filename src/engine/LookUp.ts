/** Part of the pipeline: reads what a recommendation needs from memory and ledger, side by side. */
import { Effect } from "effect"
import { noModels, readAccountModels } from "../accounts/AccountModels.ts"
import { type AccountSetting, unreadSettings } from "../accounts/AccountSettings.ts"
import type { ModelRestarts } from "../domain/model/ModelIdentity.ts"
import type { RecommendRequest } from "../domain/Recommendation.ts"
import { type AccountId, laneOf } from "../domain/Scope.ts"
import type { Cluster } from "../domain/Task.ts"
import { allHealthy } from "../ledger/ModelsHealth.ts"
import { inStep } from "../resilience/CooperativeYield.ts"
import { degrade, type Notes } from "./Notes.ts"
import { guaranteeOf } from "./policies/GuaranteeCriteria.ts"
import { readAccountSettings, readGuarantee, readHealth, readLaneNumbers } from "./recommend/AccountReads.ts"
import { readAttempts } from "./recommend/ReadAttempts.ts"
import { emptyRecall, recall } from "./recommend/Recall.ts"
import { redactTask, withoutVectors } from "./recommend/RedactTask.ts"
import type { Filtered } from "./recommend/Filter.ts"
import { Settings } from "./Settings.ts"

const sideBySide = { concurrency: "unbounded" } as const

const unused = Effect.succeed(null)

/** Reads the account's own models and its settings from the ledger, side by side. */
export const readAccount = Effect.fnUntraced(function*(notes: Notes, accountId: AccountId) {
  const { recallBudgetMs } = yield* Settings
  const read = yield* Effect.all([
    degrade(notes.place(), readAccountModels(accountId, recallBudgetMs), {
      orElse: () => noModels, warnings: { LedgerUnavailable: "account_models_unavailable" }
    }),
    degrade(notes.place(), readAccountSettings(accountId), {
      orElse: () => unreadSettings, warnings: { LedgerUnavailable: "account_settings_unavailable" }
    })
  ], sideBySide)
  yield* inStep
  return read
})

/** The input of the look-ups, once the candidates are known. */
interface LookUpQuery extends Pick<Filtered, "candidates" | "snapshot"> {
  readonly accountId: AccountId
  readonly own: AccountSetting
  readonly request: RecommendRequest
  readonly cluster: Cluster
  readonly restarts: ModelRestarts
}

/** Reads memory and ledger side by side for the filtered candidates, each within a recall's time limit. */
export const lookUp = Effect.fnUntraced(function*(notes: Notes, query: LookUpQuery) {
  const { accountId, candidates, cluster, own, request, restarts, snapshot } = query
  const { attempts, task: { task, tags }, userId } = request
  const { laneStart } = yield* Settings
  const lane = laneOf(request.namespace)
  const modelIds = candidates.map(({ card }) => card.modelId)
  const guarantee = guaranteeOf(accountId, request, { candidates, snapshot }, restarts)
  const evidenceQuery = guarantee?.evidenceQuery ?? null
  yield* inStep
  const [recalled, numbers, redacted, evidence, health, attempted] = yield* Effect.all([
    degrade(notes.place(), recall({ accountId, lane, task, cluster, tags, userId, modelIds, restarts }), {
      orElse: () => null,
      warnings: { RecallTimeout: "recall_timeout", MemoryUnavailable: "memory_unavailable" }
    }),
    degrade(notes.place(), readLaneNumbers(accountId, lane), {
      orElse: () => laneStart, warnings: { LedgerUnavailable: "lane_numbers_unavailable" }
    }),
    degrade(notes, redactTask(accountId, own, task), {
      orElse: () => withoutVectors,
      warnings: { MemoryUnavailable: { log: "A task is kept without its vectors" } }
    }),
    evidenceQuery === null ? unused : degrade(notes.place(), readGuarantee(evidenceQuery), {
      orElse: () => null, warnings: { LedgerUnavailable: "guarantee_unavailable" }
    }),
    degrade(notes, readHealth(accountId), {
      orElse: () => allHealthy, warnings: { LedgerUnavailable: { log: "Every model counts as healthy" } }
    }),
    attempts.length === 0 ? unused : degrade(notes.place(), readAttempts(accountId, attempts), {
      orElse: () => null, warnings: { LedgerUnavailable: "attempts_unavailable" }
    })
  ], sideBySide)
  yield* inStep
  return {
    recalled: recalled ?? emptyRecall, isRecalled: recalled !== null,
    numbers, redacted, guarantee, evidence, health, attempted
  }
})
