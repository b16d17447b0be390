import { Clock, Console, Effect, Option, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { AppConfig, serving, storageName } from "./Config.ts"
import { diagnoseDeeply } from "./doctor/DeepDoctor.ts"
import { fail, isHealthy, render } from "./doctor/Check.ts"
import { problemsOf } from "./doctor/ErrorLine.ts"
import { SelectionPolicy } from "../domain/Recommendation.ts"
import { AccountId } from "../domain/Scope.ts"
import { stricter, TaskText } from "../domain/text/TaskText.ts"
import { Keys } from "../accounts/Keys.ts"
import { AccountSettings } from "../accounts/AccountSettings.ts"
import * as Main from "./Layers.ts"
import { sweepNow } from "../memory/sql/TextSweep.ts"
import { attachMonth, diagnose, migrateStorage, retain } from "./Operations.ts"
import type { PurgeReport } from "../sql/retention/Retention.ts"

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

const gone = { detached: "detached", dropped: "dropped", deleted: "deleted" } as const
const wouldGo = {
  detached: "would be detached, and dropped a day later",
  dropped: "would be dropped",
  deleted: "would be deleted"
} as const

const sayPurge = Effect.fnUntraced(function*({ purged, refusal, waiting }: PurgeReport, isDry: boolean) {
  const isOnlySaid = isDry || refusal !== null
  for (const { accountId, fate, rows, table } of purged) {
    const what = accountId === null ? `partition\tabout ${rows} rows` : `${accountId}\t${rows} rows`
    yield* Console.log(`${table}\t${what}\t${isOnlySaid ? wouldGo[fate] : gone[fate]}`)
  }
  const handled = new Set(isOnlySaid ? purged.map(({ table }) => table) : [])
  for (const { dropsAt, rows, table } of waiting.filter((each) => !handled.has(each.table))) {
    const when = dropsAt === null
      ? "kept, since it is not known when"
      : `dropped from ${dropsAt.toISOString()} on`
    yield* Console.log(`${table}\tpartition\tabout ${rows} rows\tdetached, ${when}`)
  }
  if (purged.length === 0 && waiting.length === 0) yield* Console.log("nothing is past its time")
})

/** Retention did nothing: what it was about to drop speaks against a clock. */
export class RetentionRefused extends Schema.TaggedError<RetentionRefused>()("RetentionRefused", {
  says: Schema.String
}) {
  override get message() {
    return `Refused: ${this.says}. If the database's clock is right and this shall go, `
      + "repeat it with --force."
  }
}

const Month = Schema.String.check(Schema.isPattern(/^\d{4}-(0[1-9]|1[0-2])$/))

export const retention = Command.make(
  "retention",
  {
    days: Flag.Int("days").pipe(
      Flag.withDescription("How long decisions are kept; SEXTANT_RETENTION_DAYS, which is 400, by default"),
      Flag.optional
    ),
    isDry: Flag.Boolean("dry-run").pipe(
      Flag.withDescription("Only say what would go, and what is detached and waits to be dropped"),
      Flag.withDefault(false)
    ),
    isForced: Flag.Boolean("force").pipe(
      Flag.withDescription("Do it although the clock or the amount is not believed"),
      Flag.withDefault(false)
    ),
    attached: Flag.String("attach").pipe(
      Flag.withDescription("Put a detached month, such as 2025-08, back into use, and do nothing else"),
      Flag.withSchema(Month),
      Flag.optional
    )
  },
  ({ attached, days, isDry, isForced }) =>
    Effect.gen(function*() {
      const config = yield* serviceConfig
      if (Option.isSome(attached)) {
        const tables = yield* attachMonth(config, attached.value.replace("-", "_"))
        for (const table of tables ?? []) yield* Console.log(`${table}\tattached`)
        if (tables === null) yield* Console.log("another process is at it")
        return
      }
      const report = yield* retain(config, {
        days: Option.getOrElse(days, () => config.retentionDays), isDry, isForced
      })
      if (report === null) return yield* Console.log("another process is at it")
      yield* sayPurge(report, isDry)
      const { refusal } = report
      if (refusal === null) return
      if (!isDry) return yield* new RetentionRefused({ says: refusal.says })
      yield* Console.log(`it would be refused without --force: ${refusal.says}`)
    })
).pipe(Command.withDescription("Make the ledger's coming months, and purge what is past its time"))

const followService = "service"

const ownOf = <A extends string>(given: A | typeof followService): A | null =>
  given === followService ? null : given

export class NothingToSet extends Schema.TaggedError<NothingToSet>()("NothingToSet", {}) {
  override get message() {
    return "Say what to set: --selection-policy or --task-text"
  }
}

const hasKey = (instance: string) =>
  Effect.gen(function*() {
    const keys = yield* (yield* Keys).list
    const nowMs = yield* Clock.currentTimeMillis
    return keys.some(({ accountId, expiresAt, revokedAt }) =>
      accountId === instance && revokedAt === null && (expiresAt === null || expiresAt.getTime() > nowMs))
  })

export const accountSet = Command.make(
  "set",
  {
    instance,
    selectionPolicy: Flag.Literals("selection-policy", [...SelectionPolicy.literals, followService]).pipe(
      Flag.withDescription("How it picks among eligible models; `service` follows SEXTANT_SELECTION_POLICY"),
      Flag.optional
    ),
    taskText: Flag.Literals("task-text", [...TaskText.literals, followService]).pipe(
      Flag.withDescription("What is kept of its tasks; `none` takes out at once what is there. An account may"
        + " be stricter than SEXTANT_TASK_TEXT, never laxer"),
      Flag.optional
    )
  },
  ({ instance, selectionPolicy, taskText }) =>
    Effect.gen(function*() {
      const change = {
        ...(Option.isSome(selectionPolicy) ? { selectionPolicy: ownOf(selectionPolicy.value) } : {}),
        ...(Option.isSome(taskText) ? { taskText: ownOf(taskText.value) } : {})
      }
      if (Object.keys(change).length === 0) return yield* new NothingToSet()
      const config = yield* serviceConfig
      const accountId = AccountId.make(instance)
      const { isKnown, trimmed } = yield* Effect.gen(function*() {
        yield* (yield* AccountSettings).write(accountId, change)
        return {
          trimmed: change.taskText === "none"
            ? yield* sweepNow({ ...config, isMemoryHere: Option.isNone(config.memoryUrl) }, accountId)
            : null,
          // An external memory lists no keys.
          isKnown: Option.isSome(config.memoryUrl) || (yield* hasKey(instance))
        }
      }).pipe(Effect.provide(Main.accountSettings(config)))
      const says = [
        ...(change.selectionPolicy === undefined ? [] : [
          change.selectionPolicy === null ? "follows the service" : `picks by ${change.selectionPolicy}`
        ]),
        ...(change.taskText === undefined ? [] : [
          change.taskText === null
            ? `keeps of its tasks what the service does (${config.taskText})`
            : `keeps ${stricter(config.taskText, change.taskText) === "none" ? "no word" : "an excerpt"}`
              + ` of its tasks${change.taskText === "excerpt" && config.taskText === "none"
                ? ", because SEXTANT_TASK_TEXT is none" : ""}`
        ])
      ].join(", and ")
      yield* Console.log(`${instance} ${says}. Running services know within 5 s.`)
      if (trimmed !== null) yield* Console.log(`The words of ${trimmed.tasks} tasks were taken out.`)
      if (!isKnown) {
        yield* Console.error(`Warning: ${instance} has no live key. \`sextant keys list\` shows who has one.`)
      }
    })
).pipe(Command.withDescription("Give an account a setting of its own"))

/** Something does not work; what it is has been said. */
export class Unwell extends Schema.TaggedError<Unwell>()("Unwell", {}) {
  override get message() {
    return "Something above has failed"
  }
}

const isDeep = Flag.Boolean("deep").pipe(
  Flag.withDescription("Also read every table and index of the database once; changes nothing"),
  Flag.withDefault(false)
)

export const doctor = Command.make("doctor", { isDeep }, ({ isDeep }) =>
  Effect.gen(function*() {
    const findings = yield* Effect.gen(function*() {
      const config = yield* AppConfig
      const first = yield* diagnose(config)
      return isDeep ? [...first, ...yield* diagnoseDeeply(config)] : first
    }).pipe(Effect.catchTag("ConfigError", () =>
      // All that would keep the service from its start, the keys that it is given included.
      Effect.map(Effect.flip(serving(AppConfig)), (error) =>
        problemsOf(error).map((problem) =>
          fail("config", problem, "look the variable up in docs/configuration.md")))))
    yield* Console.log(render(findings))
    if (!isHealthy(findings)) return yield* new Unwell()
  })).pipe(Command.withDescription("Check what the service needs; exits with 1 if something fails"))
