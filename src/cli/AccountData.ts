/* What the account commands do with an account's data. */
import { Effect, Option, Schema } from "effect"
import { type AppConfig, spoolDatabase } from "./Config.ts"
import type { AccountId } from "../domain/Scope.ts"
import { eraseSpooled } from "../ledger/buffer/SpoolErasure.ts"
import { spoolFolder } from "../ledger/buffer/SpoolFolder.ts"
import * as Main from "./Layers.ts"
import { memorySettings } from "../memory/MemorySettings.ts"
import { reflectOnLane } from "../memory/sql/ReflectionQueue.ts"
import { eraseAccount } from "../sql/account/EraseAccount.ts"
import { eraseActor } from "../sql/account/EraseActor.ts"
import { dropOldLog, vacuumTables } from "../sql/account/Vacuum.ts"

/** The spool of decisions that wait for the database cannot be looked through. */
export class SpoolUnreadable extends Schema.TaggedError<SpoolUnreadable>()("SpoolUnreadable", {
  cause: Schema.Defect()
}) {
  override get message() {
    const why = this.cause instanceof Error ? this.cause.message : String(this.cause)
    return `The spool in the data directory cannot be looked through: ${why}. Nothing was erased`
  }
}

const eraseSpool = (config: AppConfig, accountId: AccountId, userId: string | null) =>
  Effect.tryPromise({
    try: () => eraseSpooled(spoolFolder(config.dataDirectory, spoolDatabase(config)), accountId, userId),
    catch: (cause) => new SpoolUnreadable({ cause })
  })

export interface EraseRequest {
  readonly accountId: AccountId
  /** One actor of the account; null for all of it. */
  readonly userId: string | null
  readonly isCompact: boolean
}

/** Erases what is kept about an account, or one actor of it: spool, rows, and what they left in files. */
export const erase = (config: AppConfig, { accountId, isCompact, userId }: EraseRequest) =>
  Effect.gen(function*() {
    // Before the rows: what another process is just writing from its spool is then among them.
    const spool = yield* eraseSpool(config, accountId, userId)
    const erased = userId === null
      ? yield* eraseAccount(accountId)
      : yield* eraseActor(accountId, userId, ({ lane }) => reflectOnLane({ accountId, lane }, memorySettings))
    yield* vacuumTables(isCompact)
    if (isCompact && Option.isNone(config.databaseUrl)) yield* dropOldLog
    return { erased, spool }
  }).pipe(Effect.provide(Main.storage(config)))
