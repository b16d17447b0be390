/** Driver of {@link AccountSettings}: the service's own database. */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { AccountId } from "../../domain/Scope.ts"
import { mapLedgerErrors } from "../../ledger/sql/LedgerErrors.ts"
import { makeFreshCache } from "../../resilience/StaleCache.ts"
import { callAs } from "../../sql/AccountScope.ts"
import { type AccountSetting, AccountSettings, followsService } from "../AccountSettings.ts"

/** Longest time until a change by another process is seen, ms; a person waits for it, once. */
const freshMs = 5_000
/** Pause after a failed read, ms, so that an outage delays a recommendation only once. */
const pauseMs = 1_000
/** Accounts remembered, count; each takes about a hundred bytes. */
const capacity = 10_000

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient

  const guarded = mapLedgerErrors(sql)

  const select = Effect.fnUntraced(function*(accountId: AccountId) {
    const [row] = yield* guarded(accountId, sql<AccountSetting>`
      select selection_policy as "selectionPolicy", task_text as "taskText"
      from account_setting_of(${accountId})`, callAs)
    return row ?? followsService
  })

  const known = yield* makeFreshCache(select, { capacity, freshMs, pauseMs })

  return {
    read: known.read,
    write: Effect.fnUntraced(function*(accountId: AccountId, change: Partial<AccountSetting>) {
      const { selectionPolicy, taskText } = change
      const [setting = followsService] = yield* guarded(accountId, sql<AccountSetting>`
        insert into account_setting (account_id, selection_policy, task_text)
        values (${accountId}, ${selectionPolicy ?? null}, ${taskText ?? null})
        on conflict (account_id) do update set updated_at = now(),
          selection_policy = case when ${selectionPolicy !== undefined}::boolean
            then excluded.selection_policy else account_setting.selection_policy end,
          task_text = case when ${taskText !== undefined}::boolean
            then excluded.task_text else account_setting.task_text end
        where account_setting.account_id = ${accountId}
        returning selection_policy as "selectionPolicy", task_text as "taskText"`)
      yield* known.store(accountId, setting)
    })
  }
})

/** In the service's own database, on either engine. */
export const layer: Layer.Layer<never, never, SqlClient.SqlClient> = Layer.effect(AccountSettings, make)
