import { Config, ConfigProvider, Effect, Option, Redacted, Schema } from "effect"
import { readFileSync } from "node:fs"
import { isIPv6 } from "node:net"
import { SelectionPolicy } from "./domain/Recommendation.ts"
import { defaults } from "./engine/Settings.ts"
import { addressOf } from "./sql/AnsweredStream.ts"
import { retentionDays, retentionDaysMin } from "./sql/RetainedTables.ts"

/** 0 takes any free port, which the ready line then names; `Config.Port` knows only numbered ports. */
const Port = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 65535 }))

const Milliseconds = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 600_000 }))

/** None would refuse everybody. */
const PerMinute = Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))

/** At most what leaves 10 s for requests in flight within the 30 s that Kubernetes gives a process. */
const DrainDelay = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 20_000 }))

const HttpUrl = Schema.URL.check(
  Schema.makeFilter((url: URL) =>
    (/^https?:$/.test(url.protocol) && url.username === "" && url.password === "" && url.search === "")
    || "Expected an http or https URL without credentials and query")
)

/** Plain http to a host other than this machine: whoever is on the way reads the keys that go there. */
export const isExposed = ({ hostname, protocol }: URL): boolean =>
  protocol === "http:" && !/^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/.test(hostname)

const unusable = (message: string, cause?: unknown) =>
  new Config.ConfigError(new ConfigProvider.SourceError({ message, cause }))

/** The text of a file that holds one secret; an editor ends it with a line break, which is none of it. */
const secretIn = (variable: string, path: string) =>
  Effect.try({
    try: () => readFileSync(path, "utf8").trim(),
    catch: (cause) => unusable(`${variable}: ${path} cannot be read`, cause)
  }).pipe(
    Effect.filterOrFail((text) => text !== "", () => unusable(`${variable}: ${path} is empty`)),
    Effect.map((text) => Redacted.make(text))
  )

/**
 * A secret that is given by itself, or as a file that `<name>_FILE` names, as containers mount one. Given
 * both ways the variable counts: so one command can work as another role than the file's.
 */
const secret = (name: string) =>
  Config.option(Config.Redacted(name)).pipe(
    Config.flatMap((given) =>
      Option.isSome(given) ? Config.succeed(given) : Config.option(Config.String(`${name}_FILE`)).pipe(
        Config.mapEffect((path) =>
          Option.isNone(path)
            ? Effect.succeed(Option.none<Redacted.Redacted<string>>())
            : Effect.asSome(secretIn(`${name}_FILE`, path.value)))
      ))
  )

/** The reasoner's model has no default: what is cheap and good changes, and every service names its own. */
const Reasoner = Config.all({
  provider: Config.Literals(["openai", "anthropic"], "SEXTANT_REASONER_PROVIDER").pipe(
    Config.withDefault("openai")
  ),
  model: Config.NonEmptyString("SEXTANT_REASONER_MODEL"),
  apiKey: Config.option(Config.Redacted("SEXTANT_REASONER_API_KEY")).pipe(
    Config.map(Option.filter((key) => Redacted.value(key) !== ""))
  )
})

/** None unless a URL says where it is; the other variables are only read beside it. */
const MaybeReasoner = Config.option(Config.schema(HttpUrl, "SEXTANT_REASONER_URL")).pipe(
  Config.flatMap((url) =>
    Option.isNone(url)
      ? Config.succeed(Option.none())
      : Config.map(Reasoner, (reasoner) => Option.some({ ...reasoner, url: url.value })))
)

/** Set to nothing means unset, as OpenTelemetry has it. */
const otlpEndpoint = Config.option(Config.String("OTEL_EXPORTER_OTLP_ENDPOINT")).pipe(
  Config.map(Option.filter((url) => url !== ""))
)

const RetentionDays = Schema.Int.check(Schema.isBetween({ minimum: retentionDaysMin, maximum: 3_650 }))

/** What the service and its commands read of storage, whatever they do with it. */
const Storage = {
  databaseUrl: secret("DATABASE_URL"),
  bootstrapKeys: secret("SEXTANT_BOOTSTRAP_KEYS"),
  /** Off for a service whose role may not change the schema: `sextant migrate` does it, as the owner. */
  migrates: Config.Literals(["on", "off"], "SEXTANT_MIGRATE").pipe(
    Config.withDefault("on"),
    Config.map((given) => given === "on")
  ),
  retentionDays: Config.schema(RetentionDays, "SEXTANT_RETENTION_DAYS").pipe(
    Config.withDefault(retentionDays)
  ),
  otlpEndpoint
}

/** What the exact scan of a lane has room for; its sums of products fit 31 bits. */
const Dimensions = Schema.Int.check(Schema.isBetween({ minimum: 8, maximum: 4_096 }))

/** Without a default for its length either: a vector of another length is of no use to anyone. */
const EmbeddingsEndpoint = Config.all({
  model: Config.NonEmptyString("SEXTANT_EMBEDDER_MODEL"),
  dimensions: Config.schema(Dimensions, "SEXTANT_EMBEDDER_DIMENSIONS"),
  apiKey: Config.option(Config.Redacted("SEXTANT_EMBEDDER_API_KEY")).pipe(
    Config.map(Option.filter((key) => Redacted.value(key) !== ""))
  )
})

const MaybeEmbeddingsEndpoint = Config.option(Config.schema(HttpUrl, "SEXTANT_EMBEDDER_URL")).pipe(
  Config.flatMap((url) =>
    Option.isNone(url)
      ? Config.succeed(Option.none())
      : Config.map(EmbeddingsEndpoint, (endpoint) => Option.some({ ...endpoint, url: url.value })))
)

/** The environment variables of the runtime contract (design section 2), read once at start. */
export const AppConfig = Config.all({
  port: Config.schema(Port, "PORT").pipe(Config.withDefault(8080)),
  host: Config.String("HOST").pipe(Config.withDefault("127.0.0.1")),
  ...Storage,
  /** A streaming replica of that database, for reports. */
  replicaUrl: secret("DATABASE_REPLICA_URL"),
  /** How long a stopping service goes on serving while it already says that it is not ready. */
  drainDelayMs: Config.schema(DrainDelay, "SEXTANT_DRAIN_DELAY_MS").pipe(Config.withDefault(0)),
  dataDirectory: Config.String("SEXTANT_DATA_DIR").pipe(Config.withDefault(".sextant")),
  memoryUrl: Config.option(Config.schema(HttpUrl, "SEXTANT_MEMORY_URL")),
  memoryProtocol: Config.Literals(["sextant", "mubit"], "SEXTANT_MEMORY_PROTOCOL").pipe(
    Config.withDefault("sextant")
  ),
  recallTimeoutMs: Config.schema(Milliseconds, "SEXTANT_RECALL_TIMEOUT_MS").pipe(
    Config.withDefault(defaults.recallBudgetMs)
  ),
  catalogFile: Config.option(Config.String("SEXTANT_CATALOG_FILE")),
  catalogRefresh: Config.Literals(["on", "off"], "SEXTANT_CATALOG_REFRESH").pipe(Config.withDefault("on")),
  rateLimitPerMinute: Config.option(Config.schema(PerMinute, "SEXTANT_RATE_LIMIT")).pipe(
    Config.map(Option.getOrNull)
  ),
  selectionPolicy: Config.Literals(SelectionPolicy.literals, "SEXTANT_SELECTION_POLICY").pipe(
    Config.withDefault(defaults.selectionPolicy)
  ),
  reasoner: MaybeReasoner,
  reasonerTimeoutMs: Config.schema(Milliseconds, "SEXTANT_REASONER_TIMEOUT_MS").pipe(
    Config.withDefault(defaults.reasonerBudgetMs)
  ),
  embedder: MaybeEmbeddingsEndpoint
})

export type AppConfig = Config.Success<typeof AppConfig>

/** What `sextant memory` reads: the same variables, and defaults that let it run beside the service. */
export const MemoryConfig = Config.all({
  port: Config.schema(Port, "PORT").pipe(Config.withDefault(8081)),
  host: Config.String("HOST").pipe(Config.withDefault("127.0.0.1")),
  ...Storage,
  // One process alone may have an embedded directory open, so the two have one each.
  dataDirectory: Config.String("SEXTANT_DATA_DIR").pipe(Config.withDefault(".sextant-memory")),
  embedder: MaybeEmbeddingsEndpoint
})

export type MemoryConfig = Config.Success<typeof MemoryConfig>

/** The keys of a list with commas, or in a file with a key in each line. */
export const keysIn = (text: string): ReadonlyArray<string> =>
  text.split(/[,\n]/).map((key) => key.trim()).filter((key) => key !== "")

/** Which database that is, for people; never how to log in to it. */
export const storageName = (
  { dataDirectory, databaseUrl }: Pick<MemoryConfig, "dataDirectory" | "databaseUrl">
): string => {
  if (Option.isNone(databaseUrl)) return `embedded database in ${dataDirectory}`
  const text = Redacted.value(databaseUrl.value)
  if (!URL.canParse(text)) return "PostgreSQL at an address that is no URL"
  const address = addressOf(text)
  const place = "path" in address
    ? address.path
    : `${isIPv6(address.host) ? `[${address.host}]` : address.host}:${address.port}`
  return `PostgreSQL at ${place}${new URL(text).pathname}`
}
