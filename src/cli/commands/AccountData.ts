/* Erases an account's data, or one user's of it: the operation behind `sextant account erase`. */
import { Effect, Option } from "effect"
import type { AccountId } from "../../domain/Scope.ts"
import { messageOf } from "../../domain/text/ErrorMessage.ts"
import { eraseAccount } from "../../privacy/EraseAccount.ts"
import { eraseActor } from "../../privacy/EraseActor.ts"
import { dropOldLog, vacuumTables } from "../../privacy/Vacuum.ts"
import { databaseNow } from "../../sql/DatabaseNow.ts"
import type { AppConfig } from "../Config.ts"
import * as Layers from "../Layers.ts"
import { refusal } from "../Refusal.ts"
import { storage } from "../Storage.ts"

const eraseSpool = (config: AppConfig, accountId: AccountId, userId: string | null, now: Date) =>
  Effect.tryPromise({
    try: () => Layers.eraseSpooled(config, accountId, userId, now),
    catch: (cause) => {
      const why = messageOf(cause)
      return refusal(`The spool in the data directory cannot be searched: ${why}. Nothing was erased`, cause)
    }
  })

interface EraseRequest {
  readonly accountId: AccountId
  /** One user of the account; null for all of the account. */
  readonly userId: string | null
  /** Rewrites the tables, so that their files keep no erased byte. */
  readonly isCompact: boolean
}

/**
 * Erases what is stored about an account, or one user of it: spooled decisions, rows, and freed file space.
 */
export const erase = (config: AppConfig, { accountId, isCompact, userId }: EraseRequest) =>
  Effect.gen(function*() {
    // The spool is erased first, so that decisions which another process writes from it meanwhile are among
    // the rows that are erased next.
    const spool = yield* eraseSpool(config, accountId, userId, yield* databaseNow)
    const erased = userId === null
      ? yield* eraseAccount(accountId)
      : yield* eraseActor(accountId, userId, ({ lane }) => Layers.reflectOnLane({ accountId, lane }))
    yield* vacuumTables(isCompact)
    if (isCompact && Option.isNone(config.databaseUrl)) yield* dropOldLog
    return { erased, spool }
  }).pipe(Effect.provide(storage(config)))
