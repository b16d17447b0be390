/* `sextant migrate`, `sextant retention` and `sextant doctor`. */
import { Console, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import type { PurgeReport } from "../../retention/Retention.ts"
import { AppConfig, servingConfig } from "../Config.ts"
import { fail, isHealthy, renderChecks } from "../doctor/Check.ts"
import { configErrorLines } from "../doctor/ErrorLine.ts"
import { migrateStorage, runChecks, runRetention } from "../Operations.ts"
import { refusal } from "../Refusal.ts"
import { serviceConfig, switchFlag, textFlag } from "./Flags.ts"

export const migrate = Command.make(
  "migrate",
  {
    serviceRole: textFlag(
      "service-role", "A login role to grant what it needs to run the service with SEXTANT_MIGRATE=off"
    )
  },
  ({ serviceRole }) =>
    Effect.gen(function*() {
      const applied = yield* migrateStorage(yield* serviceConfig, serviceRole)
      for (const name of applied) yield* Console.log(`applied ${name}`)
      if (applied.length === 0) yield* Console.log("the schema is up to date")
      if (Option.isSome(serviceRole)) yield* Console.log(`${serviceRole.value} may run the service`)
    })
)

const printPurge = Effect.fnUntraced(function*({ purged, refusal }: PurgeReport, isDry: boolean) {
  const isPlanned = isDry || refusal !== null
  for (const { accountId, fate, rows, table } of purged) {
    const what = accountId === null ? `partition\tabout ${rows} rows` : `${accountId}\t${rows} rows`
    yield* Console.log(`${table}\t${what}\t${isPlanned ? `would be ${fate}` : fate}`)
  }
  if (purged.length === 0) yield* Console.log("nothing is past its retention")
})

/** `sextant retention`: makes coming partitions and purges rows; with `--dry-run`, only lists the rows. */
export const retention = Command.make(
  "retention",
  {
    days: Flag.Int("days").pipe(
      Flag.withDescription("Days that decisions are kept; by default SEXTANT_RETENTION_DAYS, which is 400"),
      Flag.optional
    ),
    isDry: switchFlag("dry-run", "Only list what would be purged"),
    isForced: switchFlag("force", "Purge although the database's clock may be wrong")
  },
  ({ days, isDry, isForced }) =>
    Effect.gen(function*() {
      const config = yield* serviceConfig
      const report = yield* runRetention(config, {
        days: Option.getOrElse(days, () => config.retentionDays), isDry, isForced
      })
      if (report === null) return yield* Console.log("another process runs retention now: nothing was done")
      yield* printPurge(report, isDry)
      if (report.refusal === null) return
      if (isDry) return yield* Console.log(`without --force this is refused: ${report.refusal}`)
      return yield* refusal(`Refused: ${report.refusal}. If the database's clock is right and you want to `
        + "purge this, repeat the command with --force.")
    })
)

export const doctor = Command.make("doctor", {}, () =>
  Effect.gen(function*() {
    const checks = yield* Effect.flatMap(AppConfig, runChecks).pipe(Effect.catchTag("ConfigError", () =>
      // The doctor names every wrong variable, including bootstrap keys.
      Effect.map(Effect.flip(servingConfig(AppConfig)), (error) =>
        configErrorLines(error).map((problem) =>
          fail("config", problem, "correct the variable: docs/running/configuration.md lists them")))))
    yield* Console.log(renderChecks(checks))
    if (!isHealthy(checks)) return yield* refusal("A check above has failed")
  }))
