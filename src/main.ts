import { NodeServices } from "@effect/platform-node"
import { Console, Effect, Layer, Option, Redacted } from "effect"
import { FetchHttpClient, HttpServer } from "effect/http"
import * as CatalogFile from "./catalog/CatalogFile.ts"
import * as CatalogRefresh from "./catalog/CatalogRefresh.ts"
import { AppConfig, keysIn } from "./Config.ts"
import { Learner } from "./engine/Learner.ts"
import { Recommender } from "./engine/Recommender.ts"
import { Settings } from "./engine/Settings.ts"
import * as Server from "./http/Server.ts"
import { Keys } from "./keys/Keys.ts"
import * as KeysSql from "./keys/KeysSql.ts"
import * as LanesSql from "./ledger/LanesSql.ts"
import * as LedgerSql from "./ledger/LedgerSql.ts"
import * as EmbedderLexical from "./memory/EmbedderLexical.ts"
import * as MemorySql from "./memory/MemorySql.ts"
import { Reasoner } from "./reasoner/Reasoner.ts"
import { Reports } from "./reports/Reports.ts"
import * as Database from "./sql/Database.ts"
import * as Telemetry from "./telemetry/Telemetry.ts"

/** PostgreSQL when `DATABASE_URL` is set, else the embedded database of the data directory. */
export const storage = ({ dataDirectory, databaseUrl }: AppConfig) =>
  Option.match(databaseUrl, {
    onSome: (url) => Database.layerPostgres(url),
    onNone: () => Database.layerEmbedded(dataDirectory)
  })

/** Account keys over that storage. */
export const keys = (config: AppConfig) => KeysSql.layer.pipe(Layer.provide(storage(config)))

const catalog = ({ catalogFile, catalogRefresh, dataDirectory }: AppConfig) =>
  Option.match(catalogFile, {
    onSome: (path) => CatalogFile.layerFile(path),
    onNone: () =>
      catalogRefresh === "off" ? CatalogFile.layerBundled : CatalogRefresh.layerRefreshing({ dataDirectory })
  }).pipe(Layer.provide([NodeServices.layer, FetchHttpClient.layer]))

const ports = (config: AppConfig) =>
  Layer.mergeAll(
    MemorySql.layer({ endpoint: Option.isSome(config.databaseUrl) ? "postgresql" : "embedded" }).pipe(
      Layer.provide(EmbedderLexical.layer)
    ),
    LedgerSql.layer,
    LanesSql.layer,
    KeysSql.layer
  ).pipe(
    Layer.provide(storage(config)),
    Layer.merge(catalog(config)),
    Layer.merge(Reasoner.layerDisabled),
    Layer.merge(Settings.layer({
      recallBudgetMs: config.recallTimeoutMs,
      selectionPolicy: config.selectionPolicy
    }))
  )

/** The account of the key that a newcomer is given. */
const firstInstance = "local"

/** Registers the bootstrap keys; without any, an empty embedded store gets one key, which is yielded. */
const firstKey = Effect.fn("firstKey")(function*({ bootstrapKeys, databaseUrl }: AppConfig) {
  const store = yield* Keys
  const given = Option.match(bootstrapKeys, {
    onNone: () => [],
    onSome: (text) => keysIn(Redacted.value(text))
  })
  yield* Effect.forEach(given, (key) => store.register(Redacted.make(key)), { discard: true })
  const isNewcomer = given.length === 0 && Option.isNone(databaseUrl) && (yield* store.list).length === 0
  return isNewcomer ? Option.some(yield* store.create(firstInstance)) : Option.none()
})

/** Says where the service is, once it listens. */
const announce = Effect.fn("announce")(function*(config: AppConfig) {
  const key = yield* firstKey(config)
  const { address } = yield* HttpServer.HttpServer
  const port = address._tag === "UnixPathAddress" ? config.port : address.port
  const url = `http://${config.host.includes(":") ? `[${config.host}]` : config.host}:${port}`
  yield* Console.log(`Sextant is ready at ${url} (docs: ${url}/docs)`)
  if (Option.isNone(key)) return
  yield* Console.log([
    "",
    "Your key, shown only this once:",
    `  ${Redacted.value(key.value)}`,
    "",
    "Try it:",
    `  curl -s ${url}/v1/recommend -H 'authorization: Bearer ${Redacted.value(key.value)}' \\`,
    "    -H 'content-type: application/json' -d '{\"task\":{\"task\":\"Fix this failing unit test\"}}'",
    ""
  ].join("\n"))
})

/** The whole service. */
export const layer = (config: AppConfig) => {
  const engine = Layer.mergeAll(Recommender.layer, Learner.layer, Reports.layer)
  const { host, port, rateLimitPerMinute } = config
  const service = Layer.effectDiscard(announce(config)).pipe(
    Layer.provideMerge(Server.layer({ port, host, rateLimitPerMinute })),
    Layer.provide(engine),
    Layer.provide(ports(config))
  )
  return Option.match(config.otlpEndpoint, {
    onNone: () => service.pipe(Layer.provide(Telemetry.layerOff)),
    onSome: (endpoint) => service.pipe(Layer.provide(Telemetry.layer(endpoint)))
  })
}

/** {@link layer}, from the environment. */
export const layerConfig = Layer.unwrap(Effect.map(AppConfig, layer))
