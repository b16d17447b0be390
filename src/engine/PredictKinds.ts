/* Driver of `Predictor`: runs the stages before the choice for a kind of task, without a real task. */
import { Effect, Layer } from "effect"
import { readAccountModels } from "../accounts/AccountModels.ts"
import { accountCatalog } from "../catalog/AccountCatalog.ts"
import { Catalog } from "../catalog/Catalog.ts"
import type { DecisionCandidate } from "../domain/Decision.ts"
import { namespaceOf } from "../domain/LaneName.ts"
import { variantName } from "../domain/model/ModelVariant.ts"
import { RecommendRequest } from "../domain/Recommendation.ts"
import * as RecommendationId from "../domain/RecommendationId.ts"
import type { AccountId } from "../domain/Scope.ts"
import { type Cluster, difficultyOf, taskTypeOf, unitOf } from "../domain/Task.ts"
import { monotonicMs } from "../domain/Time.ts"
import { RecentTasks } from "../memory/RecentTasks.ts"
import { type KindName, Predictor } from "../reports/Predictor.ts"
import { assess } from "./Assess.ts"
import { CheckHistory } from "./CheckHistory.ts"
import { type AdviceServices, advicePorts, withPorts } from "./Ports.ts"
import { Settings } from "./Settings.ts"

/** Maximum number of predicted models if the request names no models. Chosen. */
const listedMax = 24
/** Maximum number of model ids that a request may name. */
const namedMax = 64

/** Makes a request whose text hardly resembles any task, so that mostly estimates for task groups count. */
const requestOf = ({ cluster, lane }: KindName, modelIds: ReadonlyArray<string> | null) => {
  const kind = cluster as Cluster // The ledger's, or the classifier's.
  return RecommendRequest.make({
    namespace: namespaceOf(lane),
    task: {
      task: cluster, taskType: taskTypeOf(kind), difficulty: difficultyOf(kind), unit: unitOf(kind)
    },
    maxCandidates: modelIds === null ? listedMax : namedMax,
    allowLlmEscalation: false,
    explain: false,
    constraints: modelIds === null ? {} : { candidateModels: modelIds.slice(0, namedMax).map(variantName) }
  })
}

/** A prediction for a report is about no real task, so it does not count among repeated tasks. */
const uncounted = RecentTasks.of({
  note: ({ atMs }) => Effect.succeed({ alike: 1, alikeSinceMs: atMs, sameRecalls: 0 })
})

const candidates = Effect.fn("Predictor.candidates")(function*(
  accountId: AccountId,
  kind: KindName,
  modelIds: ReadonlyArray<string> | null
): Effect.fn.Return<ReadonlyArray<DecisionCandidate>, never, AdviceServices> {
  const beganMs = yield* monotonicMs
  const { createdAtMillis, recommendationId } = yield* RecommendationId.next
  const identity = {
    accountId, beganMs, recommendationId, createdAt: new Date(createdAtMillis), workflowId: null
  }
  const assessed = assess(identity, requestOf(kind, modelIds)).pipe(
    Effect.catchTag("NoCandidateModels", () => Effect.succeed(null)),
    Effect.provideService(RecentTasks, uncounted)
  )
  return ((yield* assessed)?.candidates ?? []).map(({ card, cost, predictedSuccess }) => ({
    modelId: card.modelId, predictedSuccess, estCostUsd: cost.costUsd, isEligible: true
  }))
})

const catalog = Effect.fnUntraced(function*(accountId: AccountId) {
  const { recallBudgetMs } = yield* Settings
  const document = yield* readAccountModels(accountId, recallBudgetMs).pipe(
    Effect.map((stored) => stored.document),
    Effect.catch((failure) => Effect.as(Effect.logWarning("An account's models are not read", failure), null))
  )
  const { snapshot } = yield* Catalog
  const shared = yield* snapshot
  return document === null ? shared : accountCatalog(shared, document)
})

/** Reports may read memory for longer, because missing evidence would change their figures. */
const patiently = Effect.updateService(Settings, (settings) =>
  ({ ...settings, recallBudgetMs: Math.max(settings.recallBudgetMs, settings.reportBudgetMs) }))

export const layer = Layer.effect(Predictor, Effect.gen(function*() {
  const provided = withPorts(yield* Effect.context<AdviceServices>(), advicePorts)
  return {
    catalog: (accountId) => provided(patiently(catalog(accountId))),
    candidates: (accountId, kind, modelIds) => provided(patiently(candidates(accountId, kind, modelIds)))
  }
})).pipe(Layer.provide(CheckHistory.layer))
