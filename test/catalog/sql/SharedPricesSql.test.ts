import { NodeServices } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Schedule } from "effect"
import { FetchHttpClient } from "effect/http"
import { SqlClient } from "effect/sql"
import { Catalog } from "../../../src/catalog/Catalog.ts"
import * as CatalogSharedRefresh from "../../../src/catalog/remote/CatalogSharedRefresh.ts"
import { SharedPrices } from "../../../src/catalog/SharedPrices.ts"
import { sharedPricesSettings } from "../../../src/catalog/SharedPricesSettings.ts"
import * as SharedPricesSql from "../../../src/catalog/sql/SharedPricesSql.ts"
import { onEachEngine, slow } from "../../support/Databases.ts"
import { idsOf, manyRows, modelsDevBody, serve, temporaryDirectory } from "../fixtures.ts"

/** Answers must come whatever else this machine does; turns are as short as a test's patience. */
const settings = { ...sharedPricesSettings, answerMs: 30_000, leaseMs: 60_000, lookMs: 50 }

const portOf = (leaseMs = settings.leaseMs) =>
  Effect.map(
    Layer.build(Layer.fresh(SharedPricesSql.layer({ ...settings, leaseMs }))),
    (context) => Context.get(context, SharedPrices)
  )

/** As if nothing had ever been shared. */
const afresh = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`truncate shared_prices`)

const hour = 3_600_000

onEachEngine((name, engine) => {
  describe(name, () => {
    it.layer(engine, slow)((it) => {
      it.effect("gives one turn to many copies that look at once, and the next turn when it is due", () =>
        Effect.gen(function*() {
          yield* afresh
          const copies = yield* Effect.forEach([1, 2, 3, 4, 5, 6, 7, 8], () => portOf())
          const looks = yield* Effect.forEach(copies, (each) => each.look(0), { concurrency: "unbounded" })
          const [turn, ...others] = looks.flatMap((looked) => looked.turn ?? [])
          assert.deepStrictEqual(others, [])
          const [one] = copies
          assert.isDefined(one)
          if (one === undefined || turn === undefined) return
          assert.strictEqual(yield* one.settle(turn, { text: "first", dueInMs: hour }), 1)
          const news = { revision: 1, text: "first" }
          for (const each of copies) assert.deepStrictEqual(yield* each.look(0), { turn: null, news })
          assert.deepStrictEqual(yield* one.look(1), { turn: null, news: null })
          // Also to one who saw what a restored backup does not know.
          assert.deepStrictEqual(yield* one.look(9), { turn: null, news })
        }).pipe(Effect.scoped))

      it.effect("hides overdue prices, keeps them when a turn brings none, and gives another turn", () =>
        Effect.gen(function*() {
          yield* afresh
          const [one, other] = [yield* portOf(), yield* portOf()]
          const first = (yield* one.look(0)).turn ?? ""
          assert.strictEqual(yield* one.settle(first, { text: "first", dueInMs: 0 }), 1)
          const { news, turn } = yield* other.look(0)
          assert.isNull(news)
          assert.isNotNull(turn)
          assert.deepStrictEqual(yield* one.look(0), { turn: null, news: null })
          assert.strictEqual(yield* other.settle(turn ?? "", { text: null, dueInMs: hour }), 1)
          assert.deepStrictEqual(yield* one.look(0), { turn: null, news: { revision: 1, text: "first" } })
        }).pipe(Effect.scoped))

      it.effect("takes a turn from a copy that does not settle it, whose late settlement changes nothing", () =>
        Effect.gen(function*() {
          yield* afresh
          const [dead, alive] = [yield* portOf(200), yield* portOf(200)]
          const lost = (yield* dead.look(0)).turn ?? ""
          const { turn } = yield* Effect.repeat(alive.look(0), {
            until: (looked) => looked.turn !== null, schedule: Schedule.spaced("50 millis"), times: 200
          })
          assert.isNull(yield* dead.settle(lost, { text: "late", dueInMs: hour }))
          assert.strictEqual(yield* alive.settle(turn ?? "", { text: "in time", dueInMs: hour }), 1)
          assert.isNull(yield* dead.settle(lost, { text: "later still", dueInMs: hour }))
          assert.deepStrictEqual((yield* dead.look(0)).news, { revision: 1, text: "in time" })
        }).pipe(Effect.scoped))

      it.effect("fails with SharedPricesUnavailable while its table is missing", () =>
        Effect.gen(function*() {
          const sql = yield* SqlClient.SqlClient
          const port = yield* portOf()
          yield* sql`alter table shared_prices rename to elsewhere`
          const error = yield* Effect.flip(port.look(0)).pipe(
            Effect.ensuring(Effect.ignore(sql`alter table elsewhere rename to shared_prices`))
          )
          assert.strictEqual(error._tag, "SharedPricesUnavailable")
        }).pipe(Effect.scoped))

      it.effect("lets two catalogs read the sources once, and have the same version", () =>
        Effect.gen(function*() {
          yield* afresh
          let asked = 0
          const base = yield* serve((request, response) => {
            if (request.url !== "/models.dev") return void response.writeHead(500).end("down")
            asked++
            response.writeHead(200).end(JSON.stringify(modelsDevBody(idsOf(10))))
          })
          const urls = {
            "models.dev": `${base}/models.dev`, openrouter: `${base}/openrouter`, litellm: `${base}/litellm`
          }
          const copy = Effect.gen(function*() {
            const dataDirectory = yield* temporaryDirectory
            const catalog = CatalogSharedRefresh.layer({ dataDirectory, urls, rows: manyRows(10) }, settings)
            const context = yield* Layer.build(Layer.fresh(catalog).pipe(
              Layer.provide(Layer.fresh(SharedPricesSql.layer(settings)))
            ))
            return Context.get(context, Catalog)
          })
          const copies = [yield* copy, yield* copy, yield* copy]
          const versions = yield* Effect.repeat(
            Effect.forEach(copies, ({ snapshot }) => Effect.map(snapshot, ({ version }) => version)),
            { until: (all) => all.every((each) => each !== manyRows(10).version), schedule: Schedule.spaced("20 millis"), times: 500 }
          )
          assert.strictEqual(new Set(versions).size, 1)
          assert.notStrictEqual(versions[0], manyRows(10).version)
          assert.strictEqual(asked, 1)
        }).pipe(Effect.scoped, Effect.provide([NodeServices.layer, FetchHttpClient.layer])))
    })
  })
})
