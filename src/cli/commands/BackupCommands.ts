/* `sextant backup` and `sextant restore`, for the embedded database of a data directory. */
import { Console, Effect, Layer, Option, References } from "effect"
import { Argument, Command } from "effect/cli"
import { existsSync } from "node:fs"
import { resolve, sep } from "node:path"
import { makeBackup } from "../../postgres/backup/MakeBackup.ts"
import { type BackupContent, verifyBackup } from "../../postgres/backup/ReadBackup.ts"
import { restoreBackup } from "../../postgres/backup/RestoreBackup.ts"
import { clusterIn } from "../../postgres/embedded/Cluster.ts"
import { DatabaseServer } from "../../sql/DatabaseServer.ts"
import type { AppConfig } from "../Config.ts"
import { sayInterrupted } from "../Interrupted.ts"
import { withProgress } from "../Progress.ts"
import { refusal } from "../Refusal.ts"
import { databaseServer } from "../Storage.ts"
import { serviceConfig, switchFlag } from "./Flags.ts"

const databaseUrlIsSet = "DATABASE_URL is set: back up and restore that database with PostgreSQL's own tools "
  + "(pg_dump, or base backups with point-in-time recovery), see docs/backup.md"

/** The configuration; fails where the database is not the embedded one. */
const embeddedConfig = Effect.filterOrFail(
  serviceConfig,
  ({ databaseUrl }) => Option.isNone(databaseUrl),
  () => refusal(databaseUrlIsSet)
)

const file = Argument.String("file").pipe(Argument.withDescription("The backup's file"))

const warningsOnly = Layer.succeed(References.MinimumLogLevel, "Warn")

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`

const contentLine = ({ bytes, files, header }: BackupContent): string => {
  const { madeAt, postgresql, schema, sextant } = header
  return `${files} files, ${megabytes(bytes)}, of ${madeAt}: Sextant ${sextant}, `
    + `schema ${schema.migration} (${schema.name}), PostgreSQL ${postgresql.version}`
}

const nothingChanged = () => "Nothing was created or changed"

/**
 * Fails where the data directory has no database, or the backup's file would lie inside it. It runs before
 * the server is started, which would create a database where there is none.
 */
const checkPaths = ({ dataDirectory }: AppConfig, path: string) =>
  Effect.gen(function*() {
    const cluster = clusterIn(resolve(dataDirectory))
    if (!existsSync(cluster)) {
      return yield* refusal(`There is no database in ${dataDirectory}: check SEXTANT_DATA_DIR`)
    }
    if (resolve(path).startsWith(cluster + sep)) {
      return yield* refusal(`${cluster} belongs to PostgreSQL: write the backup to another folder`)
    }
  })

const backUp = (path: string) =>
  Effect.gen(function*() {
    const { address } = yield* DatabaseServer
    return yield* withProgress("Writing", (onWriting) =>
      withProgress("Verifying", (onVerifying) =>
        makeBackup(address(), "postgres", path, { onWriting, onVerifying })))
  })

export const backup = Command.make("backup", { file }, ({ file }) =>
  Effect.gen(function*() {
    const config = yield* embeddedConfig
    yield* checkPaths(config, file)
    const content = yield* backUp(file).pipe(
      Effect.provide(databaseServer(config).pipe(Layer.provide(warningsOnly)))
    )
    yield* Console.log(`Backed up to ${file}, and verified: ${contentLine(content)}`)
  }).pipe(sayInterrupted(nothingChanged)))

const isForced = switchFlag("force", "Move an existing database aside, and keep it")
const isDry = switchFlag("dry-run", "Only read the backup from beginning to end, and verify it")

const checkOnly = (path: string) =>
  Effect.flatMap(withProgress("Verifying", (report) => verifyBackup(path, report)), (content) =>
    Console.log(`${path} is a complete backup: ${contentLine(content)}`))

export const restore = Command.make("restore", { file, isDry, isForced }, ({ file, isDry, isForced }) =>
  Effect.gen(function*() {
    if (isDry) return yield* checkOnly(file)
    const config = yield* embeddedConfig
    const { dataDirectory } = config
    const { decisions, header, movedTo, outcomes } = yield* withProgress(
      "Restoring",
      (onProgress) => restoreBackup({ path: file, dataDirectory, isForced, onProgress })
    ).pipe(Effect.provide(warningsOnly))
    yield* Console.log(`Restored into ${dataDirectory}: ${decisions} decisions, ${outcomes} of them with an `
      + `outcome, as of ${header.madeAt}`)
    for (const path of movedTo) yield* Console.log(`The previous data was moved to ${path}`)
    yield* Console.log("You can start Sextant now: it brings an older schema up to date")
  }).pipe(sayInterrupted(nothingChanged)))
