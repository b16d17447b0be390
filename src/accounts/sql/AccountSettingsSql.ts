/** Driver of {@link AccountSettings}: the service's own database. */
import { Cache, Duration, Effect, Exit, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { AccountId } from "../../domain/Scope.ts"
import { mapLedgerErrors } from "../../ledger/sql/LedgerErrors.ts"
import { makeStaleCache } from "../../resilience/StaleCache.ts"
import { type AccountSetting, AccountSettings, followsService } from "../AccountSettings.ts"

/** Longest time until a change by another process is seen; a person waits for it, once. */
const freshness = Duration.seconds(5)
/** Pause after a failed read, so that an outage delays a recommendation only once. */
const pause = Duration.seconds(1)
/** Accounts remembered, count; each takes about a hundred bytes. */
const capacity = 10_000

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient

  const guarded = mapLedgerErrors(sql)

  const last = makeStaleCache<AccountId, AccountSetting>(capacity)

  const select = Effect.fnUntraced(function*(accountId: AccountId) {
    const [row] = yield* guarded(accountId, sql<AccountSetting>`
      select selection_policy as "selectionPolicy", task_text as "taskText" from account_setting
      where account_id = ${accountId}`)
    return row ?? followsService
  })

  const known = yield* Cache.makeWith(select, {
    capacity,
    timeToLive: (exit) => Exit.isSuccess(exit) ? freshness : pause
  })

  return {
    read: (accountId: AccountId) => last.read(accountId, Cache.get(known, accountId)),
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
      yield* Cache.set(known, accountId, setting)
      yield* last.store(accountId, setting)
    })
  }
})

/** In the service's own database, on either engine. */
export const layer: Layer.Layer<never, never, SqlClient.SqlClient> = Layer.effect(AccountSettings, make)
