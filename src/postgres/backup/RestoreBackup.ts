// Restores a backup: unpacks, verifies and opens it beside the database, and only then replaces the database.
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { chownSync, existsSync, mkdirSync, renameSync, rmSync } from "node:fs"
import { join } from "node:path"
import { layerEmbedded } from "../../postgres/embedded/EmbeddedDatabase.ts"
import { clusterIn, type ClusterPlace, restoringIn } from "../embedded/Cluster.ts"
import { takeLock } from "../embedded/DirectoryLock.ts"
import { attempt } from "../embedded/EmbeddedFailure.ts"
import { inTurn, placeOf, usersLock } from "../embedded/EmbeddedPostgres.ts"
import { majorOf } from "../embedded/Programs.ts"
import { findServer, stopServer } from "../embedded/Server.ts"
import { openSocketPath } from "../embedded/SocketPath.ts"
import { newestMigration } from "../../sql/Migrations.ts"
import { syncPath } from "../../sql/SyncToDisk.ts"
import type { BackupHeader, OnProgress } from "./BackupFormat.ts"
import { unpackBackup } from "./UnpackBackup.ts"

/** Nothing was restored or changed; `reason` says why. */
export class RestoreRefused extends Schema.TaggedError<RestoreRefused>()("RestoreRefused", {
  reason: Schema.String
}) {
  override get message() {
    return this.reason
  }
}

interface RestoreRequest {
  readonly path: string
  readonly dataDirectory: string
  /** Whether an existing database is moved away. */
  readonly isForced: boolean
  readonly onProgress: OnProgress
}

/** The result of a restore. */
export interface Restored {
  readonly header: BackupHeader
  readonly decisions: number
  readonly outcomes: number
  /** The paths to which the earlier data were moved. */
  readonly movedTo: ReadonlyArray<string>
}

/**
 * The file that names the process of a socket. PostgreSQL leaves it in a backup, since it only excludes
 * default names.
 */
const socketLock = ".s.PGSQL.5432.lock"

/** Locks the directory for this process until the scope closes. */
const alone = ({ directory, who }: ClusterPlace) =>
  Effect.acquireRelease(
    Effect.flatMap(
      attempt(`${directory} cannot be locked`, () => takeLock(join(directory, usersLock), "exclusive", who)),
      (lock) => lock === null
        ? new RestoreRefused({ reason: `A service or a command works on ${directory}: stop it first` })
        : Effect.succeed(lock)
    ),
    ({ release }) => Effect.sync(release)
  )

/** Stops a PostgreSQL that outlived its service; one that this process cannot stop is a reason to refuse. */
const endServer = (place: ClusterPlace) =>
  inTurn(place, Effect.gen(function*() {
    if (!existsSync(place.cluster)) return
    const socket = yield* attempt(`${place.cluster} cannot be opened`, () => openSocketPath(place.cluster))
    yield* Effect.gen(function*() {
      const server = yield* findServer(place, socket.path)
      if (server === null) return
      if (!server.isVisible) {
        const reason = `Another PostgreSQL works on ${place.cluster}: stop it first`
        return yield* new RestoreRefused({ reason })
      }
      yield* stopServer(place)
    }).pipe(Effect.ensuring(Effect.sync(() => socket.close())))
  }))

/** Opens the cluster where it was unpacked: PostgreSQL makes it consistent, and forces it to disk. */
const open = (folder: string) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const [row] = yield* sql<{ readonly decisions: number; readonly outcomes: number }>`
      select count(*)::int as decisions, count(feedback_at)::int as outcomes from decision`
    return row ?? { decisions: 0, outcomes: 0 }
  }).pipe(Effect.provide(layerEmbedded(folder, "ignore")), Effect.scoped)

/** Puts the restored cluster in its place, and moves what was there to a name with the time. */
const swap = ({ cluster, directory }: ClusterPlace, unpacked: string) =>
  attempt(`${directory} cannot be written`, () => {
    const time = new Date().toISOString().replace(/[:.]/g, "-")
    const movedTo = existsSync(cluster) ? [join(directory, `postgresql.before-restore-${time}`)] : []
    for (const to of movedTo) renameSync(cluster, to)
    renameSync(unpacked, cluster)
    syncPath(directory)
    return { movedTo }
  })

/**
 * Restores a backup into a data directory that no process uses. Until the last step, which renames, the
 * directory is unchanged: a restore that fails or is interrupted changes nothing in it.
 */
export const restoreBackup = ({ dataDirectory, isForced, onProgress, path }: RestoreRequest) =>
  Effect.scoped(Effect.gen(function*() {
    const place = yield* placeOf(dataDirectory)
    yield* alone(place)
    if (existsSync(place.cluster) && !isForced) {
      return yield* new RestoreRefused({
        reason: `There is a database in ${place.cluster}: nothing was changed. `
          + "With --force it is moved aside, and kept"
      })
    }
    yield* endServer(place)
    const restoring = restoringIn(place.directory)
    yield* Effect.acquireRelease(
      attempt(`${place.directory} cannot be written`, () => {
        rmSync(restoring, { recursive: true, force: true })
        mkdirSync(restoring, { mode: 0o700 })
        if (place.who !== null) chownSync(restoring, place.who.uid, place.who.gid)
      }),
      () => Effect.sync(() => rmSync(restoring, { recursive: true, force: true }))
    )
    const unpacked = clusterIn(restoring)
    const can = { major: Number(majorOf(place.programs)), migration: newestMigration }
    const { header } = yield* unpackBackup(path, unpacked, can, onProgress)
    // A cluster that was backed up while it served names its process, which may run and is not this one's.
    yield* attempt(`${unpacked} cannot be written`, () => rmSync(join(unpacked, socketLock), { force: true }))
    const counted = yield* open(restoring)
    const restored: Restored = { header, ...counted, ...(yield* swap(place, unpacked)) }
    return restored
  }))
