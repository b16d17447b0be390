/* Erases an account's data, or one user's of it: the operation behind `sextant account erase`. */
import { Effect, Option } from "effect"
import type { AccountId } from "../../domain/Scope.ts"
import { eraseAccount } from "../../privacy/EraseAccount.ts"
import { eraseActor } from "../../privacy/EraseActor.ts"
import { dropOldLog, vacuumTables } from "../../privacy/Vacuum.ts"
import type { AppConfig } from "../Config.ts"
import * as Layers from "../Layers.ts"
import { storage } from "../Storage.ts"

interface EraseRequest {
  readonly accountId: AccountId
  /** One user of the account; null for all of the account. */
  readonly userId: string | null
  /** Rewrites the tables, so that their files keep no erased byte. */
  readonly isCompact: boolean
}

/** Erases what is stored about an account, or one user of it: rows, and freed file space. */
export const erase = (config: AppConfig, { accountId, isCompact, userId }: EraseRequest) =>
  Effect.gen(function*() {
    const erased = userId === null
      ? yield* eraseAccount(accountId)
      : yield* eraseActor(accountId, userId, ({ lane }) => Layers.reflectOnLane({ accountId, lane }))
    yield* vacuumTables(isCompact)
    if (isCompact && Option.isNone(config.databaseUrl)) yield* dropOldLog
    return erased
  }).pipe(Effect.provide(storage(config)))
