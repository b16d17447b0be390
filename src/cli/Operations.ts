/* The operations behind `sextant migrate`, `sextant retention` and `sextant doctor`. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Clock, Config, Effect, Layer, Option, Redacted } from "effect"
import { FetchHttpClient } from "effect/http"
import { SqlClient } from "effect/sql"
import { Catalog } from "../catalog/Catalog.ts"
import { purge, prepareMonths, type RetentionRequest } from "../retention/Retention.ts"
import * as Database from "../sql/Database.ts"
import { DatabaseServer } from "../sql/DatabaseServer.ts"
import { migrate } from "../sql/Migrations.ts"
import { shareOf } from "../sql/PoolShare.ts"
import { grantService } from "../sql/ServiceRole.ts"
import * as CatalogLayers from "./CatalogLayers.ts"
import { type AppConfig, keysIn, type MemoryConfig, retentionTimes } from "./Config.ts"
import { fail, type Check, isHealthy, runCheck, ok } from "./doctor/Check.ts"
import * as DatabaseChecks from "./doctor/DatabaseChecks.ts"
import * as DependencyChecks from "./doctor/DependencyChecks.ts"
import { errorLine } from "./doctor/ErrorLine.ts"
import * as Layers from "./Layers.ts"
import { reportConnections, storage } from "./Storage.ts"

/** Migrates the schema. If a login role is given, grants the role the rights of the service. */
export const migrateStorage = (config: MemoryConfig, role: Option.Option<string>) =>
  Effect.gen(function*() {
    const applied = yield* migrate
    if (Option.isSome(role)) yield* grantService(role.value)
    return applied
  }).pipe(Effect.provide(storage(config, "ignore")))

/** A dry run changes nothing and reports the rows that are past their retention. */
export const runRetention = (config: MemoryConfig, request: Omit<RetentionRequest, "textDays">) =>
  Effect.gen(function*() {
    if (!request.isDry) yield* Effect.andThen(prepareMonths, Layers.removeUnwanted(config.taskText))
    return yield* purge({ ...retentionTimes(config), ...request })
  }).pipe(Effect.provide(storage(config, "require")))

const checkDatabase =
  "check DATABASE_URL, that the server runs, and that its pg_hba.conf admits this machine"

const checkEmbedded = "read postgresql.log in SEXTANT_DATA_DIR"

const databaseChecks = (config: AppConfig) => {
  const isEmbedded = Option.isNone(config.databaseUrl)
  const checks = Effect.gen(function*() {
    const first = yield* runCheck("database", DatabaseChecks.database, checkDatabase)
    if (!isHealthy(first)) return first
    const settings = yield* Effect.map(Effect.all([
      runCheck("settings", DatabaseChecks.settings, checkDatabase),
      poolerCheck(config)
    ]), (checks) => checks.flat())
    const schema = yield* runCheck("migrations", DatabaseChecks.migrations, "run `sextant migrate`")
    // While migrations are missing, checks that read tables are left out, because they could fail.
    if (!isHealthy(schema)) return [...first, ...settings, ...schema]
    const rest = yield* Effect.all([
      runCheck("roles", DatabaseChecks.roles(config.migrates || isEmbedded), checkDatabase),
      runCheck("row-level security", DatabaseChecks.rowSecurity, checkDatabase),
      runCheck("partitions", DatabaseChecks.partitions, "run `sextant migrate`"),
      runCheck(
        "retention", DatabaseChecks.retention(retentionTimes(config)), "run `sextant retention --dry-run`"
      ),
      runCheck("keys", liveKeys(config), "run `sextant migrate`"),
      runCheck("processes", processCheck(config), checkDatabase),
      runCheck("clock", DatabaseChecks.clock(Clock.currentTimeMillis), "synchronise both clocks (NTP)")
    ])
    // The embedded database has one superuser, and accounts' statements run under a role with fewer rights.
    const isEmbeddedRole = ({ name, state }: Check) => isEmbedded && name === "roles" && state === "warn"
    const others = rest.flat().map((each) =>
      isEmbeddedRole(each) ? ok("roles", "the embedded database's own") : each)
    return [...first, ...settings, ...schema, ...others]
  })
  return checks.pipe(
    Effect.provide(storage(config, "ignore")),
    Effect.catch((error) => Effect.succeed<ReadonlyArray<Check>>([
      fail("database", errorLine(error), isEmbedded ? checkEmbedded : checkDatabase)
    ]))
  )
}

/** Checks whether a connection pooler at `DATABASE_URL` keeps the time limit of statements. */
const poolerCheck = (config: AppConfig) =>
  Option.match(config.databaseUrl, {
    onNone: () => Effect.succeed<ReadonlyArray<Check>>([]),
    onSome: (url) =>
      runCheck("pooler", Effect.flatMap(DatabaseServer, ({ session }) => session.learn).pipe(
        Effect.map(DatabaseChecks.pooler),
        Effect.provide(DatabaseServer.layerUrl(url))
      ), checkDatabase)
  })

const processCheck = (config: AppConfig) =>
  config.processes === 1
    ? Effect.succeed<ReadonlyArray<Check>>([])
    : DatabaseChecks.processes(
      config.processes,
      config.processes * (shareOf(config.processes).connections + reportConnections(config))
    )

const liveKeys = (config: AppConfig) =>
  Effect.gen(function*() {
    if (Option.isSome(config.memoryUrl)) return [ok("keys", "stored by the external memory")]
    const sql = yield* SqlClient.SqlClient
    const [row] = yield* sql<{ readonly live: number }>`
      select count(*)::int as live from api_key
      where revoked_at is null and (expires_at is null or expires_at > now())`
    return [DependencyChecks.liveKeys(row?.live ?? 0)]
  })

const replicaCheck = (config: AppConfig) =>
  Option.match(config.replicaUrl, {
    onNone: () => Effect.succeed<ReadonlyArray<Check>>([]),
    onSome: (url) =>
      runCheck("replica", Effect.flatMap(SqlClient.SqlClient, (sql) => sql`select 1`).pipe(
        Effect.as([ok("replica", "answers")]),
        Effect.provide(Database.layerPostgresAdditional(url, 1))
      ), "check DATABASE_REPLICA_URL: reports fail meanwhile")
  })

const secret = (name: string) => Config.option(Config.Redacted(name))
const text = (name: string) => Config.option(Config.String(name))

const EmbedderVariables = Config.all({
  url: text("SEXTANT_EMBEDDER_URL"),
  model: text("SEXTANT_EMBEDDER_MODEL"),
  key: secret("SEXTANT_EMBEDDER_API_KEY")
})

const bearer = (key: Option.Option<Redacted.Redacted<string>>) =>
  Option.match(key, {
    onNone: () => ({}),
    onSome: (value) => ({ authorization: Redacted.make(`Bearer ${Redacted.value(value)}`) })
  })

const urlAt = (base: URL | string, path: string) => `${String(base).replace(/\/$/, "")}${path}`

const endpointChecks = (config: AppConfig) =>
  Effect.gen(function*() {
    const embedder = yield* EmbedderVariables
    const endpoints: Array<DependencyChecks.EndpointProbe> = []
    const unused: Array<Check> = []
    const { memoryUrl, otlpEndpoint, reasoner } = config
    if (Option.isNone(reasoner)) unused.push(ok("reasoner", "not configured"))
    else {
      const { apiKey, provider, url } = reasoner.value
      const headers = provider === "openai" ? bearer(apiKey) : {
        "anthropic-version": Redacted.make("2023-06-01"),
        ...Option.match(apiKey, { onNone: () => ({}), onSome: (key) => ({ "x-api-key": key }) })
      }
      endpoints.push({ name: "reasoner", method: "GET", url: urlAt(url, "/models"), headers,
        variables: "SEXTANT_REASONER_URL and _API_KEY" })
    }
    if (Option.isNone(embedder.url)) unused.push(ok("embedder", "built in"))
    else {
      endpoints.push({ name: "embedder", method: "POST", url: urlAt(embedder.url.value, "/embeddings"),
        headers: bearer(embedder.key),
        body: { model: Option.getOrElse(embedder.model, () => ""), input: "ping" },
        variables: "SEXTANT_EMBEDDER_URL, _MODEL and _API_KEY" })
    }
    if (Option.isSome(memoryUrl)) {
      // The health of the memory needs no key, and the doctor has no key.
      endpoints.push({ name: "memory", method: "GET", url: urlAt(memoryUrl.value, "/health"), headers: {},
        variables: "SEXTANT_MEMORY_URL" })
    }
    if (Option.isNone(otlpEndpoint)) unused.push(ok("telemetry", "off"))
    else {
      endpoints.push({ name: "telemetry", method: "POST", url: urlAt(otlpEndpoint.value, "/v1/traces"),
        headers: {}, body: { resourceSpans: [] }, variables: "OTEL_EXPORTER_OTLP_ENDPOINT" })
    }
    const checks = yield* Effect.forEach(endpoints, DependencyChecks.endpoint, { concurrency: "unbounded" })
    return [...unused, ...checks]
  }).pipe(Effect.provide(FetchHttpClient.layer))

const priceCheck = (config: AppConfig) =>
  runCheck("prices", Effect.gen(function*() {
    const { snapshot } = yield* Catalog
    return [DependencyChecks.prices(yield* snapshot, yield* Clock.currentTimeMillis)]
  }).pipe(Effect.provide(CatalogLayers.storedCatalog(config).pipe(Layer.provide(NodeServices.layer)))),
  "check SEXTANT_CATALOG_FILE")

/** Makes all checks of the doctor, which change no row, but create a missing embedded database. */
export const runChecks = (config: AppConfig) =>
  Effect.gen(function*() {
    const bootstrapKeys = Option.match(config.bootstrapKeys, {
      onNone: () => [],
      onSome: (keys) => keysIn(Redacted.value(keys))
    })
    const parts = yield* Effect.all([
      Effect.succeed([DependencyChecks.bootstrapKeyShapes(bootstrapKeys)]),
      databaseChecks(config),
      replicaCheck(config),
      priceCheck(config),
      endpointChecks(config),
      Effect.sync(() => [DependencyChecks.disk(config.dataDirectory, Option.isNone(config.databaseUrl))])
    ], { concurrency: "unbounded" })
    return parts.flat()
  })
