import { Console, Effect, Option, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { AppConfig, storageName } from "./Config.ts"
import { fail, isHealthy, render } from "./doctor/Finding.ts"
import { reasonOf } from "./doctor/Reason.ts"
import { SelectionPolicy } from "./domain/Recommendation.ts"
import { AccountId } from "./domain/Scope.ts"
import { Keys } from "./keys/Keys.ts"
import { AccountSettings } from "./ledger/AccountSettings.ts"
import * as Main from "./main.ts"
import { diagnose, migrateStorage, retain } from "./operations.ts"

/** The account that a command is about. */
export const instance = Flag.String("instance").pipe(
  Flag.withDescription("The account, 1 to 64 characters of a-z, 0-9 and -"),
  Flag.withSchema(Schema.String.check(Schema.isPattern(/^[a-z0-9-]{1,64}$/)))
)

/**
 * What the service reads. Says first, and beside the answer, which database a command is about to work on:
 * so that whoever meant another one knows, even if it cannot be reached.
 */
export const serviceConfig = Effect.tap(AppConfig, (config) =>
  Console.error(`Storage: ${storageName(config)}`))

export const migrate = Command.make(
  "migrate",
  {
    serviceRole: Flag.String("service-role").pipe(
      Flag.withDescription("A login role that shall be able to run the service with SEXTANT_MIGRATE=off"),
      Flag.optional
    )
  },
  ({ serviceRole }) =>
    Effect.gen(function*() {
      const applied = yield* migrateStorage(yield* serviceConfig, serviceRole)
      for (const name of applied) yield* Console.log(`applied ${name}`)
      if (applied.length === 0) yield* Console.log("the schema is up to date")
      if (Option.isSome(serviceRole)) yield* Console.log(`${serviceRole.value} may run the service`)
    })
).pipe(Command.withDescription("Bring the database's schema, roles and row-level security up to date"))

export const retention = Command.make(
  "retention",
  {
    days: Flag.Int("days").pipe(
      Flag.withDescription("How long decisions are kept; SEXTANT_RETENTION_DAYS, which is 400, by default"),
      Flag.optional
    ),
    isDry: Flag.Boolean("dry-run").pipe(
      Flag.withDescription("Only say what would go"),
      Flag.withDefault(false)
    )
  },
  ({ days, isDry }) =>
    Effect.gen(function*() {
      const config = yield* serviceConfig
      const purged = yield* retain(config, Option.getOrElse(days, () => config.retentionDays), isDry)
      if (purged === null) return yield* Console.log("another process is at it")
      const did = isDry ? "would go" : "gone"
      for (const { accountId, rows, table } of purged) {
        yield* Console.log(accountId === null
          ? `${table}\tpartition\tabout ${rows} rows\t${did}`
          : `${table}\t${accountId}\t${rows} rows\t${did}`)
      }
      if (purged.length === 0) yield* Console.log("nothing is past its time")
    })
).pipe(Command.withDescription("Make the ledger's coming months, and purge what is past its time"))

const followService = "service"

const hasKey = (instance: string) =>
  Effect.gen(function*() {
    const keys = yield* (yield* Keys).list
    return keys.some(({ accountId, revokedAt }) => accountId === instance && revokedAt === null)
  })

const set = Command.make(
  "set",
  {
    instance,
    selectionPolicy: Flag.Literals("selection-policy", [...SelectionPolicy.literals, followService]).pipe(
      Flag.withDescription("How it picks among eligible models; `service` follows SEXTANT_SELECTION_POLICY")
    )
  },
  ({ instance, selectionPolicy }) =>
    Effect.gen(function*() {
      const config = yield* serviceConfig
      const own = selectionPolicy === followService ? null : selectionPolicy
      const isKnown = yield* Effect.gen(function*() {
        yield* (yield* AccountSettings).write(AccountId.make(instance), { selectionPolicy: own })
        // An external memory lists no keys.
        return Option.isSome(config.memoryUrl) || (yield* hasKey(instance))
      }).pipe(Effect.provide(Main.accountSettings(config)))
      const says = own === null ? "follows the service" : `picks by ${own}`
      yield* Console.log(`${instance} ${says}. Running services know within 5 s.`)
      if (!isKnown) {
        yield* Console.error(`Warning: ${instance} has no live key. \`sextant keys list\` shows who has one.`)
      }
    })
).pipe(Command.withDescription("Give an account a setting of its own"))

export const account = Command.make("account").pipe(
  Command.withDescription("Settings of one account"),
  Command.withSubcommands([set])
)

/** Something does not work; what it is has been said. */
export class Unwell extends Schema.TaggedError<Unwell>()("Unwell", {}) {
  override get message() {
    return "Something above has failed"
  }
}

export const doctor = Command.make("doctor", {}, () =>
  Effect.gen(function*() {
    const findings = yield* Effect.gen(function*() {
      return yield* diagnose(yield* AppConfig)
    }).pipe(Effect.catchTag("ConfigError", (error) =>
      Effect.succeed([fail("config", reasonOf(error), "look it up in the README's table of variables")])))
    yield* Console.log(render(findings))
    if (!isHealthy(findings)) return yield* new Unwell()
  })).pipe(Command.withDescription("Check what the service needs; exits with 1 if something fails"))
