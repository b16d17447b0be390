import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { RecommendResponse } from "../../src/domain/Recommendation.ts"
import { onServer, temporaryDirectory } from "../support/Databases.ts"
import { findBinaries, startCluster } from "../support/PostgresCluster.ts"
import { acmeKey, requestJson, type Service, startService, umbrellaKey } from "../support/Service.ts"

const binaries = findBinaries()

/** A server of its own, since it is killed. */
const cluster = Effect.acquireRelease(
  Effect.promise(() => startCluster(binaries ?? "")),
  ({ stop }) => Effect.promise(stop)
)

const recommend = (service: Service, key: string, n: number) =>
  requestJson(RecommendResponse, { ...service, key }, "/v1/recommend", { task: { task: `Write a function that sums list ${n}` } })

const spooled = (directory: string) =>
  existsSync(join(directory, "spool"))
    ? readdirSync(join(directory, "spool"), { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".spool"))
    : []

const rows = (url: string) =>
  Effect.map(onServer<{ readonly id: string }>(url, "select recommendation_id::text as id from decision"), (found) =>
    found.map(({ id }) => id))

describe.skipIf(binaries === null)("a service that is killed while its PostgreSQL is down", () => {
  it.live("has every acknowledged recommendation in the ledger after the next start", () =>
    Effect.gen(function*() {
      const server = yield* cluster
      const directory = yield* temporaryDirectory
      const environment = { DATABASE_URL: server.url, SEXTANT_DATA_DIR: directory }
      const acknowledged = new Set<string>()
      let n = 0
      /** Recommends until the service does not answer any more. */
      const traffic = (service: Service, key: string) =>
        Effect.ignore(Effect.forever(Effect.tap(Effect.suspend(() => recommend(service, key, n++)), ({ recommendationId }) =>
          Effect.sync(() => acknowledged.add(recommendationId)))))
      for (let round = 0; round < 3; round++) {
        const scope = yield* Scope.make()
        const service = yield* startService(environment).pipe(Scope.provide(scope))
        for (const key of [acmeKey, umbrellaKey]) acknowledged.add((yield* recommend(service, key, n++)).recommendationId)
        const load = yield* Effect.forkChild(Effect.all(
          [acmeKey, umbrellaKey, acmeKey, umbrellaKey].map((key) => traffic(service, key)), { concurrency: "unbounded" }
        ))
        const before = acknowledged.size
        yield* Effect.promise(server.kill)
        while (acknowledged.size < before + 60) yield* Effect.sleep("20 millis")
        yield* service.kill("SIGKILL")
        yield* Scope.close(scope, Exit.void)
        yield* Effect.exit(Effect.timeout(Effect.andThen(Effect.sleep("100 millis"), Effect.sync(() => load.interruptUnsafe())), "5 seconds"))
        assert.isAtLeast(spooled(directory).length, 1)
        yield* Effect.sync(server.start)
      }
      const last = yield* startService(environment)
      while (spooled(directory).length > 0) yield* Effect.sleep("50 millis")
      const found = yield* rows(server.url)
      assert.strictEqual(found.length, new Set(found).size)
      assert.deepStrictEqual([...acknowledged].filter((id) => !found.includes(id)), [])
      assert.isAtLeast(acknowledged.size, 180)
      yield* last.kill("SIGTERM")
      assert.strictEqual(yield* last.exitCode, 0)
      assert.deepStrictEqual(readdirSync(join(directory, "spool")), [])
    }), 240_000)
})
