// The commands `sextant backup` and `sextant restore`, for the embedded database of a data directory.
import { Console, Effect, Layer, Option, References, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { existsSync } from "node:fs"
import { resolve, sep } from "node:path"
import { type AppConfig, spoolDatabase } from "./Config.ts"
import { spoolFolder } from "../ledger/buffer/SpoolFolder.ts"
import * as Main from "./Layers.ts"
import { serviceConfig } from "./Commands.ts"
import { withProgress } from "./Progress.ts"
import { type BackupContent, verifyBackup } from "../sql/backup/ReadBackup.ts"
import { makeBackup } from "../sql/backup/MakeBackup.ts"
import { restoreBackup, type Restored } from "../sql/backup/RestoreBackup.ts"
import { DatabaseServer } from "../sql/DatabaseServer.ts"
import { clusterIn } from "../sql/embedded/Cluster.ts"

/** The command is not for this configuration, and did nothing. */
export class NotHere extends Schema.TaggedError<NotHere>()("NotHere", { reason: Schema.String }) {
  override get message() {
    return this.reason
  }
}

const elsewhere = "DATABASE_URL is set: back that database up and restore it with PostgreSQL's own tools "
  + "(pg_dump, or base backups with point-in-time recovery), see docs/backup.md"

/** The configuration, of an embedded database alone. */
const embeddedConfig = Effect.filterOrFail(
  serviceConfig,
  ({ databaseUrl }) => Option.isNone(databaseUrl),
  () => new NotHere({ reason: elsewhere })
)

const file = Argument.String("file").pipe(Argument.withDescription("The backup's file"))

const quiet = Layer.succeed(References.MinimumLogLevel, "Warn")

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`

const contentLine = ({ bytes, files, header }: BackupContent): string => {
  const { madeAt, postgresql, schema, sextant } = header
  return `${files} files, ${megabytes(bytes)}, of ${madeAt}: Sextant ${sextant}, `
    + `schema ${schema.migration} (${schema.name}), PostgreSQL ${postgresql.version}`
}

/** As shells have it of a command that Ctrl-C ended. */
const interruptedCode = 130

/** A service that is stopped has done its work; a backup or a restore that is stopped has not. */
const whole = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.onInterrupt(work, () =>
    Effect.andThen(
      Console.error("Interrupted: nothing was made or changed"),
      Effect.sync(() => {
        process.exitCode = interruptedCode
      })
    ))

/** Before a server is started, which would make a database where there is none. */
const check = ({ dataDirectory }: AppConfig, path: string) =>
  Effect.gen(function*() {
    const cluster = clusterIn(resolve(dataDirectory))
    if (!existsSync(cluster)) {
      const reason = `There is no database in ${dataDirectory}: check SEXTANT_DATA_DIR`
      return yield* new NotHere({ reason })
    }
    if (resolve(path).startsWith(cluster + sep)) {
      return yield* new NotHere({ reason: `${cluster} is PostgreSQL's own: write the backup elsewhere` })
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
    yield* check(config, file)
    const content = yield* backUp(file).pipe(
      Effect.provide(Main.databaseServer(config).pipe(Layer.provide(quiet)))
    )
    yield* Console.log(`Backed up to ${file}, and verified: ${contentLine(content)}`)
  }).pipe(whole)).pipe(
    Command.withDescription("Back up the embedded database into a new file, while it serves or not")
  )

const isForced = Flag.Boolean("force").pipe(
  Flag.withDescription("Move a database that is there aside, and keep it"),
  Flag.withDefault(false)
)

const isDry = Flag.Boolean("dry-run").pipe(
  Flag.withDescription("Only read the backup from beginning to end, and say whether it is whole"),
  Flag.withDefault(false)
)

const checkOnly = (path: string) =>
  Effect.flatMap(withProgress("Verifying", (report) => verifyBackup(path, report)), (content) =>
    Console.log(`${path} is a whole backup: ${contentLine(content)}`))

const waitingLine = ({ before, files, folder }: NonNullable<Restored["waiting"]>): string =>
  `${files} ${files === 1 ? "file" : "files"} in ${folder} hold recommendations that were acknowledged in an `
  + `outage and are not in a database yet. To have them written, move the folder back before the start: `
  + `mv '${folder}' '${before}'`

export const restore = Command.make("restore", { file, isDry, isForced }, ({ file, isDry, isForced }) =>
  Effect.gen(function*() {
    if (isDry) return yield* checkOnly(file)
    const config = yield* embeddedConfig
    const { dataDirectory } = config
    const spool = spoolFolder(resolve(dataDirectory), spoolDatabase(config))
    const { decisions, header, movedTo, outcomes, waiting } = yield* withProgress("Restoring", (onProgress) =>
      restoreBackup({ path: file, dataDirectory, spool, isForced, onProgress })).pipe(Effect.provide(quiet))
    yield* Console.log(`Restored into ${dataDirectory}: ${decisions} decisions, ${outcomes} of them with an `
      + `outcome, as of ${header.madeAt}`)
    for (const path of movedTo) yield* Console.log(`What was there before is kept in ${path}`)
    if (waiting !== null) yield* Console.log(waitingLine(waiting))
    yield* Console.log("Start Sextant: it brings an older schema up to date")
  }).pipe(whole)).pipe(Command.withDescription("Restore a backup into a data directory that nobody uses"))
