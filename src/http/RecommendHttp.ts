/* Handles `POST /v1/recommend` and `POST /v1/recommend/workflow`. */
import { Clock, Effect } from "effect"
import type { Api } from "../api/Api.ts"
import { CurrentCaller } from "../api/Authorization.ts"
import * as Problems from "../api/Problems.ts"
import type { AccountId } from "../domain/Scope.ts"
import { nameOf, quoted } from "../domain/text/Text.ts"
import type { NoCandidateModels } from "../engine/NoCandidateModels.ts"
import { Recommender } from "../engine/Recommender.ts"
import type { BudgetExhausted } from "../ledger/Ledger.ts"
import { ownTurn } from "../resilience/CooperativeYield.ts"
import type { Handlers } from "./Endpoints.ts"
import { AddUnits } from "./limits/Admitting.ts"
import { retryAfter } from "./limits/Retry.ts"

/** Maximum number of unknown model ids that one `detail` names. */
const idsMax = 5

const noCandidateModels = ({ removals, stepId, unknownIds }: NoCandidateModels) => {
  const removed = removals.map(({ constraint, count, unknown }) =>
    `${constraint} removed ${count}${unknown === 0 ? "" : ` (${unknown} unknown)`}`)
  const more = unknownIds.length - idsMax
  const unknown = [...unknownIds.slice(0, idsMax).map(nameOf), ...(more > 0 ? [`${more} more`] : [])]
  const parts = [
    `No models match the supplied constraints${stepId === null ? "" : ` of step ${quoted(stepId)}`}`,
    ...(removed.length > 0 ? [removed.join(", ")] : []),
    ...(unknown.length > 0 ? [`not in the catalog: ${unknown.join(", ")}`] : [])
  ]
  return Effect.fail(new Problems.NoCandidateModels({ detail: parts.join("; ") }))
}

const budgetExhausted = Effect.fnUntraced(function*({ endsAtMs, period, usd }: BudgetExhausted) {
  yield* retryAfter((endsAtMs - (yield* Clock.currentTimeMillis)) / 1_000)
  return yield* new Problems.BudgetExhausted({
    detail: `The account's budget of ${usd} USD for this ${period} has too little left; the ${period} ends `
      + `at ${new Date(endsAtMs).toISOString()}`
  })
})

/** Admits the work as this number of units, one per recommendation, and then runs it. */
const withUnits = (units: number) => <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.gen(function*() {
    yield* (yield* AddUnits)(units)
    return yield* work
  })

const asCaller = <A>(
  answer: (caller: AccountId) => Effect.Effect<A, BudgetExhausted | NoCandidateModels>
) =>
  CurrentCaller.use(({ accountId }) => answer(accountId)).pipe(
    Effect.catchTags({ BudgetExhausted: budgetExhausted, NoCandidateModels: noCandidateModels })
  )

export const handlers = Effect.gen(function*() {
  const recommender = yield* Recommender
  return {
    recommend: ({ payload }) => asCaller((caller) => recommender.recommend(caller, payload)),
    recommendWorkflow: ({ payload }) =>
      asCaller((caller) => recommender.recommendWorkflow(caller, payload)).pipe(
        Effect.tap(ownTurn),
        withUnits(payload.steps.length)
      )
  } satisfies Handlers<typeof Api.groups.recommend>
})
