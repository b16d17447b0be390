import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Redacted, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { connect } from "node:net"
import { layerPostgres, layerPostgresAdditional } from "../../src/sql/Database.ts"
import { addressOf } from "../../src/sql/IdleTimeoutStream.ts"
import { makeProxy, none } from "../faults/proxy.ts"
import { freshDatabase, layerPostgresServing, onServer, postgresServer } from "../support/Databases.ts"
import { tcpServer } from "../support/TcpServer.ts"

/** Defaults with each of which a promise breaks. */
const bad = [
  "synchronous_commit = off", "search_path = nowhere", "row_security = off", "standard_conforming_strings = off",
  "session_replication_role = replica", "default_transaction_isolation = serializable",
  "TimeZone = 'Pacific/Kiritimati'", "statement_timeout = 1", "lock_timeout = 1",
  "idle_in_transaction_session_timeout = 1", "idle_session_timeout = 300"
]

/** A database whose sessions have these defaults. */
const databaseWith = (defaults: ReadonlyArray<string>) =>
  Effect.tap(freshDatabase(postgresServer ?? ""), ({ name }) =>
    Effect.forEach(defaults, (each) => onServer(postgresServer ?? "", `alter database ${name} set ${each}`)))

const names = [
  "synchronous_commit", "search_path", "row_security", "standard_conforming_strings", "session_replication_role",
  "default_transaction_isolation", "TimeZone", "statement_timeout"
]

const inForce = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly value: string }>`
    select current_setting(name) as value from unnest(${names}::text[]) as name`
  return rows.map(({ value }) => value)
})

const wanted = (...limit: ReadonlyArray<string>) =>
  ["on", "\"$user\", public", "on", "on", "origin", "read committed", "UTC", ...limit]

const said = (packet: Buffer): ReadonlyArray<string> =>
  packet.subarray(8).toString("utf8").split("\0").filter((_, i) => i % 2 === 0).filter((name) => name !== "")

const limits = ["statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout"]

/** A packet without the time limits. */
const without = (packet: Buffer): Buffer => {
  const parts = packet.subarray(8).toString("utf8").split("\0")
  const kept = parts.flatMap((name, i) =>
    i % 2 === 0 && name !== "" && !limits.includes(name) ? [`${name}\0${parts[i + 1]}\0`] : [])
  const body = Buffer.from(`${kept.join("")}\0`)
  const head = Buffer.from(packet.subarray(0, 8))
  head.writeInt32BE(body.length + 8, 0)
  return Buffer.concat([head, body])
}

const refusal = (name: string): Buffer => {
  const fields = Buffer.from(`SFATAL\0C08P01\0Munsupported startup parameter: ${name}\0\0`)
  const head = Buffer.from("E\0\0\0\0")
  head.writeInt32BE(fields.length + 4, 1)
  return Buffer.concat([head, fields])
}

/** A pooler as PgBouncer is: it drops the time limits, as it was told to, and refuses what it does not know. */
const pooler = (url: string) =>
  tcpServer((near) =>
    void near.once("data", (packet: Buffer) => {
      const known = ["user", "database", "application_name", "client_encoding", ...limits]
      const unknown = said(packet).find((name) => !known.includes(name))
      if (unknown !== undefined) return void near.end(refusal(unknown))
      const far = connect({ ...addressOf(url) })
      far.write(without(packet))
      far.on("error", () => near.destroy()).on("close", () => near.destroy()).pipe(near)
      near.on("close", () => far.destroy()).pipe(far)
    }))

const at = (url: string, port: number) => {
  const through = new URL(url)
  through.host = `127.0.0.1:${port}`
  return Redacted.make(through.href)
}

/** A pool that serves requests is there before its server has answered it: until then its statements fail at once. */
const eventually = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.retry(effect, Schedule.spaced("50 millis"))

describe.skipIf(postgresServer === null)("a connection to PostgreSQL", () => {
  it.live("has what the promises rest on, whatever the database's defaults and whatever it is for", () =>
    Effect.gen(function*() {
      const { url } = yield* databaseWith(bad)
      assert.deepStrictEqual(yield* Effect.provide(inForce, layerPostgres(url)), wanted("0"))
      assert.deepStrictEqual(yield* Effect.provide(eventually(inForce), layerPostgresServing(url, "require")), wanted("10s"))
      assert.deepStrictEqual(yield* Effect.provide(eventually(inForce), layerPostgresAdditional(url, 2)), wanted("10s"))
    }), 60_000)

  it.live("keeps a stronger commit and a path that leads to a schema", () =>
    Effect.gen(function*() {
      const { url } = yield* databaseWith(["synchronous_commit = remote_apply", "search_path = own, public"])
      yield* onServer(Redacted.value(url), "create schema own")
      const serving = layerPostgresServing(url)
      const [commit, path] = yield* Effect.provide(eventually(inForce), serving)
      assert.deepStrictEqual([commit, path], ["remote_apply", "own, public"])
      const tables = yield* onServer(Redacted.value(url), "select from own.decision")
      assert.deepStrictEqual(tables, [])
    }), 60_000)

  it.live("has it too when the server was out at the start, and is not opened before that is known", () =>
    Effect.gen(function*() {
      const { url } = yield* databaseWith(bad)
      const proxy = yield* makeProxy(Number(new URL(Redacted.value(url)).port || 5432))
      yield* proxy.set({ kind: "refuse" })
      const serving = yield* Effect.forkChild(Layer.build(layerPostgresServing(at(Redacted.value(url), proxy.port))))
      const pool = yield* Fiber.join(serving)
      assert.strictEqual((yield* Effect.flip(Effect.provide(inForce, pool))).reason._tag, "ConnectionError")
      yield* proxy.set(none)
      assert.deepStrictEqual(yield* eventually(Effect.provide(inForce, pool)), wanted("10s"))
    }), 60_000)

  it.live("passes a pooler that refuses unknown parameters, as long as the defaults are right", () =>
    Effect.gen(function*() {
      const good = yield* databaseWith([])
      const before = yield* pooler(Redacted.value(good.url))
      const through = at(Redacted.value(good.url), before.port)
      const [commit] = yield* Effect.provide(eventually(inForce), layerPostgresServing(through))
      assert.strictEqual(commit, "on")

      const { name, url } = yield* databaseWith(["synchronous_commit = off"])
      const { port } = yield* pooler(Redacted.value(url))
      const refused = yield* Effect.flip(Effect.provide(inForce, layerPostgres(at(Redacted.value(url), port))))
      assert.include(String("cause" in refused ? refused.cause : ""), "PostgreSQL sets synchronous_commit = off, with which "
        + "outcomes would be lost or refused, and this connection may not change it. As a superuser, run: "
        + `alter role "postgres" in database "${name}" set synchronous_commit = 'on'`)
    }), 60_000)
})
