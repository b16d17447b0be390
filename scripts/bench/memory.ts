/**
 * Measures recall and reflection over a lane of 1,000 and of 20,000 outcomes, in the service's own database and
 * through the protocol of an external memory on loopback.
 *
 *     bench:memory [--embedded] [--rounds 500]
 *
 * PostgreSQL is a throwaway cluster; `--embedded` takes the embedded database.
 */
import { NodeServices } from "@effect/platform-node"
import { Clock, Effect, Layer, Redacted } from "effect"
import { HttpServer } from "effect/http"
import { SqlClient } from "effect/sql"
import { parseArgs } from "node:util"
import { CurrentCallerKey } from "../../src/accounts/CallerKey.ts"
import { Keys } from "../../src/accounts/Keys.ts"
import * as KeysSql from "../../src/accounts/sql/KeysSql.ts"
import * as CatalogFile from "../../src/catalog/file/CatalogFile.ts"
import { laneOf } from "../../src/domain/Scope.ts"
import * as EmbedderLexical from "../../src/embedder/lexical/EmbedderLexical.ts"
import { Settings } from "../../src/engine/Settings.ts"
import * as MemoryServer from "../../src/http/MemoryServer.ts"
import { Memory } from "../../src/memory/Memory.ts"
import { memorySettings } from "../../src/memory/MemorySettings.ts"
import * as MemoryClient from "../../src/memory/remote/MemoryClient.ts"
import * as MemoryHttp from "../../src/memory/remote/MemoryHttp.ts"
import * as MemorySql from "../../src/memory/sql/MemorySql.ts"
import { reflectDue } from "../../src/memory/sql/ReflectionQueue.ts"
import { withAccount } from "../../src/sql/AccountScope.ts"
import * as Database from "../../src/sql/Database.ts"
import { embeddedInDirectory, type Engine } from "../../test/support/Databases.ts"
import { setup } from "../../test/support/globalSetup.ts"
import { machine, median, quantile, table } from "./harness/figures.ts"
import { accountId, fill, key } from "./harness/history.ts"
import { asked } from "./harness/prompts.ts"

const { values: options } = parseArgs({
  options: { embedded: { type: "boolean", default: false }, rounds: { type: "string", default: "500" } }
})
const rounds = Number(options.rounds)
/** Recalls that are not counted, the first of which loads the lane. */
const warmUp = 100
const pageSize = 500
const namespace = "bench"

/** The driver's own reflections wait, so that one can be timed. */
const unhurried = { ...memorySettings, reflection: { ...memorySettings.reflection, pauseMs: 2 ** 31 - 1 } }

const timedMs = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function*() {
    const began = yield* Clock.currentTimeNanos
    yield* effect
    return Number((yield* Clock.currentTimeNanos) - began) / 1e6
  })

const recallOnce = Effect.fnUntraced(function*(index: number, modelIds: ReadonlyArray<string>) {
  return yield* (yield* Memory).recall({
    accountId,
    lane: laneOf(namespace),
    task: asked[index % asked.length] ?? "",
    cluster: "code:medium",
    tags: [],
    userId: null,
    modelIds,
    perModel: 64
  })
})

const shown = (timesMs: ReadonlyArray<number>): ReadonlyArray<string> =>
  [median(timesMs), quantile(timesMs, 0.99)].map((ms) => ms.toFixed(2))

const recalls = Effect.fnUntraced(function*(modelIds: ReadonlyArray<string>) {
  const timed = (count: number) =>
    Effect.forEach(Array.from({ length: count }, (_, i) => i), (i) => timedMs(recallOnce(i, modelIds)))
  const [first = 0] = yield* timed(warmUp)
  return { first, times: yield* timed(rounds) }
})

const measure = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const rows: Array<ReadonlyArray<string>> = []
  let filled = 0
  for (const size of [1_000, 20_000]) {
    for (; filled < size; filled += pageSize) {
      yield* fill(namespace, filled, filled + pageSize).pipe(withAccount(accountId))
    }
    yield* sql`analyze`
    const models = yield* sql<{ readonly id: string }>`select model_id as id from observation
      where account_id = ${accountId} group by model_id order by count(*) desc limit 8`.pipe(
      withAccount(accountId)
    )
    const modelIds = models.map(({ id }) => id)
    const here = yield* recalls(modelIds)
    const there = yield* recalls(modelIds).pipe(Effect.provide(remoteMemory))
    const reflection = yield* timedMs(reflectDue(memorySettings))
    rows.push([
      `${size}`, here.first.toFixed(0), ...shown(here.times), ...shown(there.times), reflection.toFixed(0)
    ])
  }
  const engine = options.embedded ? "embedded database" : "PostgreSQL"
  console.log(`${machine()}, ${engine}, 8 models, ${rounds} recalls`)
  console.log(table(
    ["outcomes", "first recall ms", "recall p50 ms", "p99 ms", "over HTTP p50 ms", "p99 ms", "reflection ms"],
    rows
  ))
})

/** The same memory, asked over a real socket. */
const remoteMemory = Layer.unwrap(Effect.gen(function*() {
  const { address } = yield* HttpServer.HttpServer
  const port = "port" in address ? address.port : 0
  return MemoryHttp.layer.pipe(Layer.provide(MemoryClient.layer(new URL(`http://127.0.0.1:${port}`))))
}))

const layer = (database: Engine) =>
  MemoryServer.layer({ host: "127.0.0.1", port: 0 }).pipe(
    Layer.provideMerge(Layer.mergeAll(
      MemorySql.layer({ endpoint: "postgresql", settings: unhurried }).pipe(
        Layer.provide(EmbedderLexical.layer)
      ),
      KeysSql.layer,
      CatalogFile.layerBundled.pipe(Layer.provide(NodeServices.layer)),
      Settings.layer()
    )),
    Layer.provideMerge(database)
  )

const close = options.embedded ? () => {} : await setup()
const url = process.env["SEXTANT_TEST_DATABASE_URL"] ?? ""
const program = Effect.andThen(
  Effect.flatMap(Effect.service(Keys), (keys) => keys.register(Redacted.make(key))),
  measure
)
await Effect.runPromise(program.pipe(
  Effect.provideService(CurrentCallerKey, { accountId, key: Redacted.make(key) }),
  Effect.provide(layer(options.embedded ? embeddedInDirectory : Database.layerPostgres(Redacted.make(url)))),
  Effect.scoped
)).finally(close)
