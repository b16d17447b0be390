/** Driver of {@link AccountSettings}: the service's own database. */
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Budget } from "../../domain/account/Budget.ts"
import { GuaranteeTerms } from "../../domain/account/Guarantee.ts"
import type { AccountId } from "../../domain/Scope.ts"
import { LedgerUnavailable } from "../../ledger/Ledger.ts"
import { mapLedgerErrors } from "../../ledger/sql/LedgerErrors.ts"
import { makeReadCache } from "../../resilience/ReadCache.ts"
import { callAs } from "../../sql/AccountScope.ts"
import { type AccountSetting, AccountSettings, followsService } from "../AccountSettings.ts"

/** Longest time until a change by another process is seen, ms; a person waits for it, once. */
const freshMs = 5_000
/** Pause after a failed read, ms, so that an outage delays a recommendation only once. */
const pauseMs = 1_000
/** Accounts remembered, count; each takes about a hundred bytes. */
const capacity = 10_000

/** The columns of an account's settings; a guarantee in its form on the wire. */
interface SettingsRow extends Omit<AccountSetting, "budget" | "guarantee"> {
  readonly budgetUsd: number | null
  readonly budgetPeriod: Budget["period"] | null
  readonly budgetIsHard: boolean
  readonly guarantee: unknown
}

const columns = `selection_policy as "selectionPolicy", task_text as "taskText", budget_usd as "budgetUsd",
  budget_period as "budgetPeriod", budget_is_hard as "budgetIsHard", guarantee,
  success_value_usd as "successValueUsd"`

const decodeGuarantee = Schema.decodeUnknownEffect(Schema.NullOr(GuaranteeTerms))
const encodeGuarantee = Schema.encodeSync(GuaranteeTerms)

const settingOf = Effect.fnUntraced(function*(row: SettingsRow | undefined) {
  if (row === undefined) return followsService
  const { budgetIsHard: isHard, budgetPeriod: period, budgetUsd: usd, guarantee, ...setting } = row
  return {
    ...setting,
    budget: usd === null || period === null ? null : { usd, period, isHard },
    guarantee: yield* decodeGuarantee(guarantee)
  }
})

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const columnsSql = sql.literal(columns)

  const guarded = mapLedgerErrors(sql)

  const select = (accountId: AccountId) =>
    guarded(accountId, sql<SettingsRow>`select ${columnsSql} from account_setting_of(${accountId})`.pipe(
      Effect.flatMap(([row]) => settingOf(row))
    ), callAs)

  const known = yield* makeReadCache<AccountSetting, LedgerUnavailable>({
    capacity, freshMs, pauseMs, late: LedgerUnavailable.timedOut
  })

  const store = Effect.fnUntraced(function*(accountId: AccountId, change: Partial<AccountSetting>) {
    const { budget, guarantee, selectionPolicy, successValueUsd, taskText } = change
    const document = guarantee === undefined || guarantee === null
      ? null
      : JSON.stringify(encodeGuarantee(guarantee))
    const [row] = yield* sql<SettingsRow>`
      insert into account_setting (account_id, selection_policy, task_text, budget_usd, budget_period,
        budget_is_hard, guarantee, success_value_usd)
      values (${accountId}, ${selectionPolicy ?? null}, ${taskText ?? null}, ${budget?.usd ?? null},
        ${budget?.period ?? null}, ${budget?.isHard ?? false}, ${document}::text::jsonb,
        ${successValueUsd ?? null})
      on conflict (account_id) do update set updated_at = now(),
        selection_policy = case when ${selectionPolicy !== undefined}::boolean
          then excluded.selection_policy else account_setting.selection_policy end,
        task_text = case when ${taskText !== undefined}::boolean
          then excluded.task_text else account_setting.task_text end,
        budget_usd = case when ${budget !== undefined}::boolean
          then excluded.budget_usd else account_setting.budget_usd end,
        budget_period = case when ${budget !== undefined}::boolean
          then excluded.budget_period else account_setting.budget_period end,
        budget_is_hard = case when ${budget !== undefined}::boolean
          then excluded.budget_is_hard else account_setting.budget_is_hard end,
        guarantee = case when ${guarantee !== undefined}::boolean
          then excluded.guarantee else account_setting.guarantee end,
        success_value_usd = case when ${successValueUsd !== undefined}::boolean
          then excluded.success_value_usd else account_setting.success_value_usd end
      where account_setting.account_id = ${accountId}
      returning ${columnsSql}`
    // While there is no budget nothing is added up, so that the next one must begin with the ledger.
    if (budget === null) {
      yield* sql`delete from spend_hour where account_id = ${accountId}`
      yield* sql`delete from spend_change where account_id = ${accountId}`
    }
    return yield* settingOf(row)
  })

  return {
    read: (accountId: AccountId) => known.read(accountId, () => select(accountId)),
    write: Effect.fnUntraced(function*(accountId: AccountId, change: Partial<AccountSetting>) {
      yield* known.store(accountId, yield* guarded(accountId, store(accountId, change)))
    })
  }
})

/** In the service's own database, on either engine. */
export const layer: Layer.Layer<never, never, SqlClient.SqlClient> = Layer.effect(AccountSettings, make)
