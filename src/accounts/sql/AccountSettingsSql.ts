/** Driver of {@link AccountSettings}: the service's own database. */
import { Effect, Layer, Record, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Budget } from "../../domain/account/Budget.ts"
import { GuaranteeTerms } from "../../domain/account/Guarantee.ts"
import type { AccountId } from "../../domain/Scope.ts"
import { snakeCase } from "../../domain/wire/Wire.ts"
import { LedgerUnavailable } from "../../ledger/Ledger.ts"
import { mapLedgerErrors } from "../../ledger/sql/LedgerErrors.ts"
import { makeReadCache } from "../../resilience/ReadCache.ts"
import { callAs } from "../../sql/AccountScope.ts"
import { type AccountSetting, AccountSettings, followsService } from "../AccountSettings.ts"

/** Age at which settings are read again, ms. */
const freshMs = 5_000
/** Pause after a failed read, ms, so that an outage does not delay every recommendation. */
const pauseMs = 1_000
const capacity = 10_000

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

const cellsOf = (
  { budget, guarantee, ...others }: Partial<AccountSetting>
): Readonly<Record<string, unknown>> => ({
  ...Record.mapKeys(others, snakeCase),
  ...(guarantee === undefined ? {} : { guarantee: guarantee === null ? null : encodeGuarantee(guarantee) }),
  ...(budget === undefined ? {} : {
    budget_usd: budget?.usd ?? null,
    budget_period: budget?.period ?? null,
    budget_is_hard: budget?.isHard ?? false
  })
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
    const changed = cellsOf(change)
    const names = Object.keys(changed).map((column) => sql`${sql(column)}`)
    const [row] = yield* sql<SettingsRow>`
      insert into account_setting (${sql.csv([sql`account_id`, ...names])})
      select ${sql.csv([sql`${accountId}::text`, ...names])}
      from json_populate_record(null::account_setting, ${JSON.stringify(changed)}::text::json)
      on conflict (account_id) do update set
        ${sql.csv([sql`updated_at = now()`, ...names.map((name) => sql`${name} = excluded.${name}`)])}
      where account_setting.account_id = ${accountId}
      returning ${columnsSql}`
    // While no budget is set, spending is not added up, so a later budget must add it up from the ledger.
    if (change.budget === null) {
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

export const layer: Layer.Layer<never, never, SqlClient.SqlClient> = Layer.effect(AccountSettings, make)
