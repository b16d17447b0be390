/* Handles `GET` and `PUT /v1/account/models`, and `GET` of the account's budget and guarantees. */
import { Effect } from "effect"
import { AccountBudgets } from "../accounts/AccountBudgets.ts"
import { AccountModelsStore } from "../accounts/AccountModels.ts"
import { AccountSettings } from "../accounts/AccountSettings.ts"
import { budgetAnswerOf, noBudget } from "../accounts/BudgetAnswer.ts"
import { guaranteeAnswerOf } from "../accounts/GuaranteeAnswer.ts"
import { modelsAnswerOf, writtenAnswerOf } from "../accounts/ModelsAnswer.ts"
import type { Api } from "../api/Api.ts"
import { CurrentCaller } from "../api/Authorization.ts"
import { joinedProblems } from "../api/Detail.ts"
import { UnusableModels } from "../api/Problems.ts"
import { problemsOf } from "../catalog/AccountCatalog.ts"
import { Catalog } from "../catalog/Catalog.ts"
import { type AccountId, laneOf } from "../domain/Scope.ts"
import { GuaranteeEvidences } from "../ledger/GuaranteeEvidence.ts"
import { LedgerUnavailable } from "../ledger/Ledger.ts"
import type { Handlers } from "./Endpoints.ts"
import { unavailable } from "./limits/Retry.ts"

/** Maximum time that a request waits for the store of accounts, ms. */
const storeTimeoutMs = 5_000

const inTime = <A>(answer: Effect.Effect<A, LedgerUnavailable>) =>
  answer.pipe(
    LedgerUnavailable.within(storeTimeoutMs),
    Effect.catch(unavailable("The store of accounts"))
  )

export const budgetOf = Effect.fnUntraced(function*(accountId: AccountId) {
  const { budget } = yield* (yield* AccountSettings).read(accountId)
  return budget === null ? noBudget : budgetAnswerOf(yield* (yield* AccountBudgets).read(accountId, budget))
})

export const guaranteesOf = Effect.fnUntraced(function*(accountId: AccountId, namespace: string | null) {
  const { guarantee } = yield* (yield* AccountSettings).read(accountId)
  const { restarts } = yield* (yield* AccountModelsStore).read(accountId)
  const lane = namespace === null ? null : laneOf(namespace)
  return guaranteeAnswerOf(guarantee, yield* (yield* GuaranteeEvidences).list(accountId, lane), restarts)
})

export const handlers = Effect.gen(function*() {
  const catalog = yield* Catalog
  const store = yield* AccountModelsStore
  const ports = yield* Effect.context<never>()
  return {
    accountModels: () =>
      CurrentCaller.use(({ accountId }) => inTime(store.read(accountId))).pipe(
        Effect.zipWith(catalog.snapshot, (stored, shared) => modelsAnswerOf(shared, stored))
      ),
    setAccountModels: ({ payload }) =>
      Effect.gen(function*() {
        const { accountId } = yield* CurrentCaller
        const shared = yield* catalog.snapshot
        const problems = problemsOf(shared, payload)
        if (problems.length > 0) return yield* new UnusableModels({ detail: joinedProblems(problems) })
        return writtenAnswerOf(shared, yield* inTime(store.write(accountId, payload, shared)))
      }),
    accountBudget: () =>
      CurrentCaller.use(({ accountId }) => inTime(Effect.provide(budgetOf(accountId), ports))),
    accountGuarantee: ({ query: { namespace = null } }) =>
      CurrentCaller.use(({ accountId }) =>
        inTime(Effect.provide(guaranteesOf(accountId, namespace), ports)))
  } satisfies Handlers<typeof Api.groups.account>
})
