import { assert, describe, it as plain, layer } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Latch, References, Tracer } from "effect"
import { SqlClient } from "effect/sql"
import * as RecommendationId from "../../../src/domain/RecommendationId.ts"
import { makeDecisionReads } from "../../../src/ledger/sql/DecisionReads.ts"
import { onServer, postgres, postgresServer, slow } from "../../support/Databases.ts"
import { newAccount } from "../LedgerContract.ts"

describe("decisions that are found together", () => {
  if (postgres === null || postgresServer === null) {
    plain.skip("need a server", () => {})
    return
  }
  const server = postgresServer
  layer(postgres, slow)("on PostgreSQL", (it) => {
    it.effect("share one statement with their outcomes", () =>
      Effect.gen(function*() {
        const spans: Array<string> = []
        const tracer = Tracer.make({
          span: (options) => {
            spans.push(options.name)
            return new Tracer.NativeSpan(options)
          }
        })
        const read = yield* makeDecisionReads().pipe(
          Effect.withTracer(tracer),
          Effect.provideService(References.TracerEnabled, true)
        )
        const accountId = newAccount()
        const id = RecommendationId.fromParts(Date.now(), Buffer.alloc(32))
        const other = RecommendationId.fromParts(Date.now(), Buffer.alloc(32, 1))
        yield* Effect.all([read(accountId, id), read(accountId, other), read(accountId, id)], { concurrency: "unbounded" })
        assert.deepStrictEqual(spans, ["postgres"])
      }))

    it.effect("give their connection back where no answer comes", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const [database] = yield* sql<{ readonly name: string }>`select current_database() as name`
        const locked = yield* Deferred.make<void>()
        const release = yield* Latch.make()
        const holder = yield* Effect.forkChild(sql.withTransaction(
          sql`lock table decision in access exclusive mode`.pipe(
            Effect.andThen(Deferred.succeed(locked, undefined)),
            Effect.andThen(release.await)
          )
        ))
        yield* Deferred.await(locked)
        const find = yield* makeDecisionReads(2_000)
        const id = RecommendationId.fromParts(Date.now(), Buffer.alloc(32))
        const finding = Effect.suspend(() => find(newAccount(), id))
        const callers = yield* Effect.forEach(Array.from({ length: 3 }), () => Effect.forkChild(finding))
        const waiting = onServer<{ readonly count: number }>(
          server,
          `select count(*)::int as count from pg_stat_activity where wait_event_type = 'Lock'
            and datname = '${database?.name}' and query like '%select recommendation_id as %'`
        )
        const until = (count: number): Effect.Effect<unknown, unknown> =>
          Effect.flatMap(waiting, ([row]) =>
            row?.count === count ? Effect.void : Effect.andThen(Effect.sleep(20), until(count)))
        yield* until(callers.length)
        // A caller who goes away is not all who wait; one who stays is told.
        yield* Fiber.interrupt(callers[0]!)
        assert.isTrue(Exit.isFailure(yield* Fiber.await(callers[1]!)))
        yield* until(0)
        yield* release.open
        assert.isTrue(Exit.isSuccess(yield* Fiber.await(holder)))
        assert.isNull(yield* find(newAccount(), id))
      }), 30_000)
  })
})
