import * as NodeServices from "@effect/platform-node/NodeServices"
import { Clock, Config, Effect, Layer, Option, Redacted } from "effect"
import { FetchHttpClient } from "effect/http"
import { SqlClient } from "effect/sql"
import { Catalog } from "../catalog/Catalog.ts"
import { type AppConfig, keysIn, type MemoryConfig } from "./Config.ts"
import * as DatabaseChecks from "./doctor/DatabaseChecks.ts"
import { retentionCheck } from "./doctor/RetentionChecks.ts"
import { fail, type Check, isHealthy, looked, ok, warn } from "./doctor/Check.ts"
import { errorLine } from "./doctor/ErrorLine.ts"
import * as Surrounding from "./doctor/DependencyChecks.ts"
import { reportSettings } from "../reports/ReportSettings.ts"
import * as Main from "./Layers.ts"
import { lagMs } from "../reports/sql/ReplicaLag.ts"
import { migrate } from "../sql/Migrations.ts"
import { attach, purge, prepareMonths, type RetentionRequest } from "../sql/retention/Retention.ts"
import { grantService } from "../sql/ServiceRole.ts"

/** Brings the storage's schema up to date, and lets a login role run the service when one is given. */
export const migrateStorage = (config: MemoryConfig, role: Option.Option<string>) =>
  Effect.gen(function*() {
    const applied = yield* migrate
    if (Option.isSome(role)) yield* grantService(role.value)
    return applied
  }).pipe(Effect.provide(Main.storage(config, "ignore")))

/** Makes the coming months and purges what is past its time; dry, it only says what would go. */
export const retain = (config: MemoryConfig, request: RetentionRequest) =>
  Effect.gen(function*() {
    if (!request.isDry) yield* prepareMonths
    return yield* purge(request)
  }).pipe(Effect.provide(Main.storage(config, "require")))

/** Puts a month that retention has detached back into use. */
export const attachMonth = (config: MemoryConfig, month: string) =>
  Effect.provide(attach(month), Main.storage(config, "require"))

const checkDatabase =
  "check DATABASE_URL, that the server runs, and that its pg_hba.conf lets this machine in"

const checkEmbedded = "look into postgresql.log in SEXTANT_DATA_DIR"

const databaseFindings = (config: AppConfig) => {
  const isEmbedded = Option.isNone(config.databaseUrl)
  const checks = Effect.gen(function*() {
    const first = yield* looked("database", DatabaseChecks.database, checkDatabase)
    if (!isHealthy(first)) return first
    const schema = yield* looked("migrations", DatabaseChecks.migrations, "run `sextant migrate`")
    // Of tables that are not there, or not as they should be, nothing true can be said.
    if (!isHealthy(schema)) return [...first, ...schema]
    const rest = yield* Effect.all([
      looked("roles", DatabaseChecks.roles(config.migrates || isEmbedded), checkDatabase),
      looked("row-level security", DatabaseChecks.rowSecurity, checkDatabase),
      looked("partitions", DatabaseChecks.partitions, "run `sextant migrate`"),
      looked("retention", retentionCheck(config.retentionDays), "run `sextant retention --dry-run`"),
      looked("keys", liveKeys(config), "run `sextant migrate`"),
      looked("clock", DatabaseChecks.clock(Clock.currentTimeMillis), "synchronise both clocks (NTP)")
    ])
    // The embedded engine is its own superuser, and every statement of an account runs under a lesser role.
    const isOwn = ({ of, state }: Check) => isEmbedded && of === "roles" && state === "warn"
    const others = rest.flat().map((each) => isOwn(each) ? ok("roles", "the engine's own") : each)
    return [...first, ...schema, ...others]
  })
  return checks.pipe(
    Effect.provide(Main.storage(config, "ignore")),
    Effect.catch((error) => Effect.succeed<ReadonlyArray<Check>>([
      fail("database", errorLine(error), isEmbedded ? checkEmbedded : checkDatabase)
    ]))
  )
}

const liveKeys = (config: AppConfig) =>
  Effect.gen(function*() {
    if (Option.isSome(config.memoryUrl)) return [ok("keys", "kept by the external memory")]
    const sql = yield* SqlClient.SqlClient
    const [row] = yield* sql<{ readonly live: number }>`
      select count(*)::int as live from api_key
      where revoked_at is null and (expires_at is null or expires_at > now())`
    return [Surrounding.liveKeys(row?.live ?? 0)]
  })

const replicaFinding = (config: AppConfig) =>
  Option.match(Main.replica(config), {
    onNone: () => Effect.succeed<ReadonlyArray<Check>>([]),
    onSome: (database) =>
      looked("replica", Effect.map(Effect.flatMap(SqlClient.SqlClient, lagMs), (lag) => [
        lag <= reportSettings.lagMsMax
          ? ok("replica", `${Math.round(lag)} ms behind`)
          : warn("replica", Number.isFinite(lag)
            ? `${Math.round(lag / 1000)} s behind`
            : "behind since its start: it has not replayed a transaction yet",
            "reports go to the primary until it has caught up")
      ]), "check DATABASE_REPLICA_URL; meanwhile reports go to the primary").pipe(
        Effect.provide(database),
        Effect.catch((error) =>
          Effect.succeed([fail("replica", errorLine(error), "check DATABASE_REPLICA_URL")]))
      )
  })

const secret = (name: string) => Config.option(Config.Redacted(name))
const text = (name: string) => Config.option(Config.String(name))

/** Read here as well as by the embedder itself, which need not be configured well for the doctor to run. */
const Embedder = Config.all({ url: text("SEXTANT_EMBEDDER_URL"), model: text("SEXTANT_EMBEDDER_MODEL"),
  key: secret("SEXTANT_EMBEDDER_API_KEY") })

const bearer = (key: Option.Option<Redacted.Redacted<string>>) =>
  Option.match(key, {
    onNone: () => ({}),
    onSome: (value) => ({ authorization: Redacted.make(`Bearer ${Redacted.value(value)}`) })
  })

const at = (base: URL | string, path: string) => `${String(base).replace(/\/$/, "")}${path}`

const endpointFindings = (config: AppConfig) =>
  Effect.gen(function*() {
    const embedder = yield* Embedder
    const endpoints: Array<Surrounding.Endpoint> = []
    const absent: Array<Check> = []
    const { memoryUrl, otlpEndpoint, reasoner } = config
    if (Option.isNone(reasoner)) absent.push(ok("reasoner", "not configured"))
    else {
      const { apiKey, provider, url } = reasoner.value
      const headers = provider === "openai" ? bearer(apiKey) : {
        "anthropic-version": Redacted.make("2023-06-01"),
        ...Option.match(apiKey, { onNone: () => ({}), onSome: (key) => ({ "x-api-key": key }) })
      }
      endpoints.push({ of: "reasoner", method: "GET", url: at(url, "/models"), headers,
        variables: "SEXTANT_REASONER_URL and _API_KEY" })
    }
    if (Option.isNone(embedder.url)) absent.push(ok("embedder", "built in"))
    else {
      endpoints.push({ of: "embedder", method: "POST", url: at(embedder.url.value, "/embeddings"),
        headers: bearer(embedder.key),
        body: { model: Option.getOrElse(embedder.model, () => ""), input: "ping" },
        variables: "SEXTANT_EMBEDDER_URL, _MODEL and _API_KEY" })
    }
    if (Option.isSome(memoryUrl)) {
      // Both answer anybody: no account's key is at hand here.
      const path = config.memoryProtocol === "mubit" ? "/v2/core/health" : "/health"
      endpoints.push({ of: "memory", method: "GET", url: at(memoryUrl.value, path), headers: {},
        variables: "SEXTANT_MEMORY_URL and SEXTANT_MEMORY_PROTOCOL" })
    }
    if (Option.isNone(otlpEndpoint)) absent.push(ok("telemetry", "off"))
    else {
      endpoints.push({ of: "telemetry", method: "POST", url: at(otlpEndpoint.value, "/v1/traces"),
        headers: {}, body: { resourceSpans: [] }, variables: "OTEL_EXPORTER_OTLP_ENDPOINT" })
    }
    const asked = yield* Effect.forEach(endpoints, Surrounding.endpoint, { concurrency: "unbounded" })
    return [...absent, ...asked]
  }).pipe(Effect.provide(FetchHttpClient.layer))

const priceFinding = (config: AppConfig) =>
  looked("prices", Effect.gen(function*() {
    const { snapshot } = yield* Catalog
    return [Surrounding.prices(yield* snapshot, yield* Clock.currentTimeMillis)]
  }).pipe(Effect.provide(Main.keptCatalog(config).pipe(Layer.provide(NodeServices.layer)))),
  "check SEXTANT_CATALOG_FILE")

/** How everything that the service needs is. Changes nothing, and asks each thing once. */
export const diagnose = (config: AppConfig) =>
  Effect.gen(function*() {
    const given = Option.match(config.bootstrapKeys, {
      onNone: () => [],
      onSome: (keys) => keysIn(Redacted.value(keys))
    })
    const isForeign = Option.isSome(config.memoryUrl) && config.memoryProtocol === "mubit"
    const parts = yield* Effect.all([
      Effect.succeed([Surrounding.givenKeys(given, isForeign)]),
      databaseFindings(config),
      replicaFinding(config),
      priceFinding(config),
      endpointFindings(config),
      Effect.sync(() => [Surrounding.disk(config.dataDirectory, Option.isNone(config.databaseUrl))])
    ], { concurrency: "unbounded" })
    return parts.flat()
  })
