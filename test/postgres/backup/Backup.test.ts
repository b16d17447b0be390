import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { execFileSync } from "node:child_process"
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { makeBackup } from "../../../src/postgres/backup/MakeBackup.ts"
import { verifyBackup } from "../../../src/postgres/backup/ReadBackup.ts"
import { restoreBackup } from "../../../src/postgres/backup/RestoreBackup.ts"
import { endOfArchive, fileEntry } from "../../../src/postgres/backup/Tar.ts"
import { unpackBackup } from "../../../src/postgres/backup/UnpackBackup.ts"
import { layerEmbedded } from "../../../src/postgres/embedded/EmbeddedDatabase.ts"
import { layerPostgres } from "../../../src/sql/Database.ts"
import { migrations, newestMigration } from "../../../src/sql/Migrations.ts"
import { openEmbedded } from "../../../src/postgres/embedded/EmbeddedPostgres.ts"
import type { ServerAddress } from "../../../src/sql/IdleTimeoutStream.ts"
import { addressOf } from "../../../src/sql/IdleTimeoutStream.ts"
import { dataDirectory, onServer, temporaryDirectory } from "../../support/Databases.ts"
import { findBinaries, scopedCluster } from "../../support/PostgresCluster.ts"

const binaries = findBinaries()

/** A server with our schema in its `postgres` database. */
const server = Effect.gen(function*() {
  const cluster = yield* scopedCluster()
  yield* Effect.provide(Effect.void, layerPostgres(Redacted.make(cluster.url)))
  return cluster
})

const silent = { onWriting: () => {}, onVerifying: () => {} }
const can = { major: 15, migration: 1_000 }

const back = (address: ServerAddress, path: string) => makeBackup(address, "postgres", path, silent)

/** Replaces the log's first segments four times, as minutes of use do; nothing else of this process runs meanwhile. */
const passMinutes = (address: ServerAddress) => {
  const [host, port] = "path" in address ? [dirname(address.path), 5432] : [address.host, address.port]
  const minute = ["create table if not exists used (n int)", "insert into used select generate_series(1, 50000)",
    "select pg_switch_wal()", "checkpoint"]
  const statements = Array.from({ length: 4 }, () => minute).flat().flatMap((each) => ["-c", each])
  execFileSync("psql", ["-h", host, "-p", String(port), "-U", "postgres", "-v", "ON_ERROR_STOP=1", "-q", ...statements],
    { stdio: ["ignore", "ignore", "inherit"] })
}

/** Two backups at once, held up in the middle while the server makes checkpoints; yields their paths. */
const heldUp = (address: ServerAddress, folder: string) => {
  const paths = ["one.tar", "two.tar"].map((name) => join(folder, name))
  return Effect.as(Effect.forEach(paths, (path) => {
    let isHeld = false
    return makeBackup(address, "postgres", path, {
      ...silent,
      onWriting: () => {
        if (!isHeld) passMinutes(address)
        isHeld = true
      }
    })
  }, { concurrency: "unbounded", discard: true }), paths)
}

/** The message of the failure that an effect ends with. */
const messageOf = <A, E extends Error, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), (error) => {
    const { cause } = error
    return cause instanceof Error ? `${error.message}: ${cause.message}` : error.message
  })

describe.skipIf(binaries === null)("a backup of a PostgreSQL", () => {
  it.live("holds every file that its manifest names, is closed to others, and never replaces a file", () =>
    Effect.gen(function*() {
      const { url } = yield* server
      const folder = yield* temporaryDirectory
      const path = join(folder, "one.tar")
      const seen: Array<number> = []
      const made = yield* makeBackup(addressOf(url), "postgres", path, {
        ...silent, onWriting: (done) => seen.push(done)
      })
      assert.strictEqual(made.header.postgresql.major, 15)
      assert.deepStrictEqual(made.header.schema, { migration: newestMigration, name: migrations.at(-1)?.name })
      assert.isAbove(made.files, 900)
      assert.isAbove(seen.length, 10)
      assert.strictEqual(statSync(path).mode & 0o777, 0o600)
      assert.deepStrictEqual(yield* verifyBackup(path, () => {}), made)

      assert.match(yield* messageOf(back(addressOf(url), path)), /exists, and is not overwritten/)
      const unpacked = yield* unpackBackup(path, join(folder, "unpacked"), can, () => {})
      assert.deepStrictEqual(unpacked, made)
      assert.isTrue(existsSync(join(folder, "unpacked", "global", "pg_control")))
      assert.isTrue(existsSync(join(folder, "unpacked", "backup_label")))
      assert.deepStrictEqual(readdirSync(folder).sort(), ["one.tar", "unpacked"])

      yield* damages(path, folder)
    }), 300_000)

  it.live("outlasts the checkpoints that two slow backups at once fall into, and leaves no slot behind", () =>
    Effect.gen(function*() {
      const { url } = yield* server
      const folder = yield* temporaryDirectory
      for (const path of yield* heldUp(addressOf(url), folder)) yield* verifyBackup(path, () => {})
      while ((yield* onServer(url, "select from pg_replication_slots")).length > 0) yield* Effect.sleep("20 millis")
    }), 300_000)

  it.live("is restored after checkpoints fell into it, when it is of the embedded database", () =>
    Effect.gen(function*() {
      const [from, to, folder] = yield* Effect.all([dataDirectory, temporaryDirectory, temporaryDirectory])
      const [, path = ""] = yield* Effect.scoped(Effect.gen(function*() {
        yield* Effect.provide(Effect.void, layerEmbedded(from))
        const { socketPath } = yield* openEmbedded(from)
        return yield* heldUp({ path: socketPath }, folder)
      }))
      yield* restoreBackup({ path, dataDirectory: to, isForced: false, onProgress: () => {} })
      const rows = Effect.flatMap(SqlClient.SqlClient, (sql) => sql<{ readonly rows: number }>`select count(*)::int as rows from used`)
      const [used] = yield* Effect.provide(rows, layerEmbedded(to, "ignore"))
      assert.isAtLeast(used?.rows ?? 0, 200_000)
    }), 300_000)

  it.live("leaves nothing behind when the server has no schema of ours, or is not there", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryDirectory
      const path = join(folder, "one.tar")
      assert.match(yield* messageOf(back({ host: "127.0.0.1", port: 9 }, path)), /ECONNREFUSED/)
      const { url } = yield* server
      yield* onServer(url, "drop table sextant_migration")
      assert.match(yield* messageOf(back(addressOf(url), path)), /there is no database of Sextant in it/)
      assert.deepStrictEqual(readdirSync(folder), [])
    }), 300_000)
})

/** Each way to spoil a backup is found, by verifying and by restoring, and named. */
const damages = (path: string, folder: string) =>
  Effect.gen(function*() {
    const whole = readFileSync(path)
    const at = (name: string) => whole.indexOf(Buffer.from(`${name}\0`))
    const flipped = (name: string, offset: number) => {
      const copy = Buffer.from(whole)
      copy[at(name) + offset] = (copy[at(name) + offset] ?? 0) ^ 1
      return copy
    }
    const segment = /pg_wal\/[0-9A-F]{24}/.exec(whole.toString("latin1"))?.[0] ?? ""
    const cases: ReadonlyArray<readonly [content: Buffer, says: RegExp]> = [
      [flipped("global/pg_control", 600), /global\/pg_control: is damaged/],
      [flipped("base/1/1259", 9_000), /base\/1\/1259: is damaged/],
      [flipped(segment, 900_000), /pg_wal\/[0-9A-F]{24}: is damaged/],
      [flipped("backup_manifest", 800), /backup_manifest: is damaged or missing/],
      [flipped("sextant-checksums.json", 560), /sextant-checksums.json|is missing/],
      [whole.subarray(0, 5_000_000), /ends before its last entry/],
      [whole.subarray(0, 700), /ends before its last entry/],
      [Buffer.alloc(0), /ends before its last entry/],
      [Buffer.from("not a backup at all".repeat(100)), /header of an entry is damaged/],
      [Buffer.concat([fileEntry("notes.txt", Buffer.from("hello"), 0), endOfArchive]), /no backup of Sextant/],
      [Buffer.concat([whole.subarray(0, -1024), fileEntry("base/1/evil", Buffer.from("x"), 0), endOfArchive]),
        /base\/1\/evil: is not in the manifest/]
    ]
    for (const [i, [content, says]] of cases.entries()) {
      const spoilt = join(folder, "spoilt.tar")
      writeFileSync(spoilt, content)
      assert.match(yield* messageOf(verifyBackup(spoilt, () => {})), says)
      // Both read it in the same way.
      if (i % 5 === 0) assert.match(yield* messageOf(unpackBackup(spoilt, join(folder, "again"), can, () => {})), says)
      assert.isFalse(existsSync(join(folder, "again")))
    }
    assert.match(yield* messageOf(unpackBackup(path, join(folder, "again"), { ...can, major: 18 }, () => {})),
      /of PostgreSQL 15\.\d+, and this Sextant runs PostgreSQL 18; move the data with `sextant account export`/)
    assert.match(yield* messageOf(unpackBackup(path, join(folder, "again"), { ...can, migration: 0 }, () => {})),
      /with schema \d+ \(\w+\), and this build knows schemas up to 0/)
    assert.isFalse(existsSync(join(folder, "again")))
    assert.match(yield* messageOf(verifyBackup(join(folder, "none.tar"), () => {})), /ENOENT/)
  })
