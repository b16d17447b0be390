import { Config, Effect, Option, Redacted, Result } from "effect"
import { readFileSync } from "node:fs"
import { isIPv6 } from "node:net"
import { problemsOf } from "./doctor/ErrorLine.ts"
import { SelectionPolicy } from "../domain/Recommendation.ts"
import { TaskText } from "../domain/text/TaskText.ts"
import { defaults } from "../engine/Settings.ts"
import { parseNetwork } from "../http/limits/Addresses.ts"
import { limitSettings } from "../http/limits/LimitSettings.ts"
import { textSettings } from "../memory/sql/TextSettings.ts"
import { addressOf } from "../sql/IdleTimeoutStream.ts"
import { givenKeyProblems } from "../accounts/Key.ts"
import { retentionDays, retentionDaysMin } from "../sql/retention/RetainedTables.ts"
import { beside, collected, httpUrl, needed, oneOf, unusable, whole } from "./Variables.ts"

/** 0 takes any free port, which the ready line then names. */
const port = whole("PORT", 0, 65_535)

const millisecondsMax = 600_000

/** At most what leaves 10 s for requests in flight within the 30 s that Kubernetes gives a process. */
const drainDelayMax = 20_000

/** Plain http to a host other than this machine: whoever is on the way reads the keys that go there. */
export const isExposed = ({ hostname, protocol }: URL): boolean =>
  protocol === "http:" && !/^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/.test(hostname)

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
const Reasoner = collected({
  provider: oneOf("SEXTANT_REASONER_PROVIDER", ["openai", "anthropic"]).pipe(
    Config.withDefault("openai")
  ),
  model: needed("SEXTANT_REASONER_MODEL", Config.NonEmptyString("SEXTANT_REASONER_MODEL"),
    "the name of the model at SEXTANT_REASONER_URL"),
  apiKey: Config.option(Config.Redacted("SEXTANT_REASONER_API_KEY")).pipe(
    Config.map(Option.filter((key) => Redacted.value(key) !== ""))
  )
})

/** None unless a URL says where it is; the other variables are only read beside it. */
const MaybeReasoner = beside(Config.option(httpUrl("SEXTANT_REASONER_URL")), Reasoner)

/** Set to nothing means unset, as OpenTelemetry has it. */
const otlpEndpoint = Config.option(Config.String("OTEL_EXPORTER_OTLP_ENDPOINT")).pipe(
  Config.map(Option.filter((url) => url !== ""))
)

const retentionDaysMax = 3_650

/** How many keys of one address may fail in a minute; a memory's callers are services, and have no limit. */
const failedKeys = (otherwise: number | null) =>
  Config.String("SEXTANT_FAILED_KEYS_PER_MINUTE").pipe(
    Config.flatMap((text) =>
      text === "off"
        ? Config.succeed(null)
        : whole("SEXTANT_FAILED_KEYS_PER_MINUTE", 1, Infinity, ", or off")),
    Config.withDefault(otherwise)
  )

/** Networks, separated by commas, in CIDR notation. */
const Networks = Config.option(Config.String("SEXTANT_TRUSTED_PROXIES")).pipe(
  Config.mapEffect((given) =>
    Effect.forEach(keysIn(Option.getOrElse(given, () => "")), (text, index) => {
      const network = parseNetwork(text)
      return network === null
        ? Effect.fail(unusable(`SEXTANT_TRUSTED_PROXIES: number ${index + 1}, "${text}", is no network: `
          + "give addresses or networks such as 10.0.0.0/8, fd00::/8"))
        : Effect.succeed(network)
    }))
)

/** At least what a few requests bring: less would take the newest text with the oldest. */
const accountBytesMin = 1_000_000

export const logFormat = oneOf("SEXTANT_LOG_FORMAT", ["logfmt", "json"]).pipe(Config.withDefault("logfmt"))

/** What the service and its commands read of storage, whatever they do with it. */
const Storage = {
  databaseUrl: secret("DATABASE_URL"),
  bootstrapKeys: secret("SEXTANT_BOOTSTRAP_KEYS"),
  /** Off for a service whose role may not change the schema: `sextant migrate` does it, as the owner. */
  migrates: oneOf("SEXTANT_MIGRATE", ["on", "off"]).pipe(
    Config.withDefault("on"),
    Config.map((given) => given === "on")
  ),
  retentionDays: whole("SEXTANT_RETENTION_DAYS", retentionDaysMin, retentionDaysMax).pipe(
    Config.withDefault(retentionDays)
  ),
  /** What is kept of tasks; an account may be stricter than its service. */
  taskText: oneOf("SEXTANT_TASK_TEXT", TaskText.literals).pipe(Config.withDefault("excerpt")),
  /** Most text that is kept of one account, bytes. */
  accountBytes: whole("SEXTANT_ACCOUNT_BYTES", accountBytesMin, 1e15).pipe(
    Config.withDefault(textSettings.accountBytes)
  ),
  /** Read before all others, by what writes the log; here it is told with them when it is wrong. */
  logFormat,
  otlpEndpoint,
  trustedProxies: Networks
}

/** What the exact scan of a lane has room for; its sums of products fit 31 bits. */
const dimensions = whole("SEXTANT_EMBEDDER_DIMENSIONS", 8, 4_096)

/** Without a default for its length either: a vector of another length is of no use to anyone. */
const EmbeddingsEndpoint = collected({
  model: needed("SEXTANT_EMBEDDER_MODEL", Config.NonEmptyString("SEXTANT_EMBEDDER_MODEL"),
    "the name of the model at SEXTANT_EMBEDDER_URL"),
  dimensions: needed("SEXTANT_EMBEDDER_DIMENSIONS", dimensions, "the length of that model's vectors"),
  apiKey: Config.option(Config.Redacted("SEXTANT_EMBEDDER_API_KEY")).pipe(
    Config.map(Option.filter((key) => Redacted.value(key) !== ""))
  )
})

const MaybeEmbeddingsEndpoint = beside(Config.option(httpUrl("SEXTANT_EMBEDDER_URL")), EmbeddingsEndpoint)

/** The environment variables of the runtime contract (design section 2), read once at start. */
export const AppConfig = collected({
  port: port.pipe(Config.withDefault(8080)),
  host: Config.String("HOST").pipe(Config.withDefault("127.0.0.1")),
  ...Storage,
  /** A streaming replica of that database, for reports. */
  replicaUrl: secret("DATABASE_REPLICA_URL"),
  /** How long a stopping service goes on serving while it already says that it is not ready. */
  drainDelayMs: whole("SEXTANT_DRAIN_DELAY_MS", 0, drainDelayMax).pipe(Config.withDefault(0)),
  dataDirectory: Config.String("SEXTANT_DATA_DIR").pipe(Config.withDefault(".sextant")),
  memoryUrl: Config.option(httpUrl("SEXTANT_MEMORY_URL")),
  memoryProtocol: oneOf("SEXTANT_MEMORY_PROTOCOL", ["sextant", "mubit"]).pipe(
    Config.withDefault("sextant")
  ),
  recallTimeoutMs: whole("SEXTANT_RECALL_TIMEOUT_MS", 1, millisecondsMax).pipe(
    Config.withDefault(defaults.recallBudgetMs)
  ),
  catalogFile: Config.option(Config.String("SEXTANT_CATALOG_FILE")),
  catalogRefresh: oneOf("SEXTANT_CATALOG_REFRESH", ["on", "off"]).pipe(Config.withDefault("on")),
  rateLimitPerMinute: Config.option(whole("SEXTANT_RATE_LIMIT", 1)).pipe(
    Config.map(Option.getOrNull)
  ),
  failedKeysPerMinute: failedKeys(limitSettings.failedKeysPerMinute),
  selectionPolicy: oneOf("SEXTANT_SELECTION_POLICY", SelectionPolicy.literals).pipe(
    Config.withDefault(defaults.selectionPolicy)
  ),
  reasoner: MaybeReasoner,
  reasonerTimeoutMs: whole("SEXTANT_REASONER_TIMEOUT_MS", 1, millisecondsMax).pipe(
    Config.withDefault(defaults.reasonerBudgetMs)
  ),
  embedder: MaybeEmbeddingsEndpoint
})

export type AppConfig = Effect.Success<typeof AppConfig>

/** What `sextant memory` reads: the same variables, and defaults that let it run beside the service. */
export const MemoryConfig = collected({
  port: port.pipe(Config.withDefault(8081)),
  host: Config.String("HOST").pipe(Config.withDefault("127.0.0.1")),
  ...Storage,
  // The two keep their data apart, as they do where the memory runs on another machine.
  dataDirectory: Config.String("SEXTANT_DATA_DIR").pipe(Config.withDefault(".sextant-memory")),
  failedKeysPerMinute: failedKeys(null),
  embedder: MaybeEmbeddingsEndpoint
})

export type MemoryConfig = Effect.Success<typeof MemoryConfig>

/** The keys of a list with commas, or in a file with a key in each line. */
export const keysIn = (text: string): ReadonlyArray<string> =>
  text.split(/[,\n]/).map((key) => key.trim()).filter((key) => key !== "")

/**
 * A configuration of what serves, its bootstrap keys included: commands need none of them. An external memory
 * keeps keys of its own, and there they are not read.
 */
export const serving = <A extends MemoryConfig & Partial<Pick<AppConfig, "memoryUrl">>>(
  reading: Effect.Effect<A, Config.ConfigError>
) =>
  Effect.gen(function*() {
    const config = yield* Effect.result(reading)
    const isElsewhere = Option.isSome(yield* Config.option(Config.String("SEXTANT_MEMORY_URL")))
    const keys = isElsewhere ? Option.none() : yield* Effect.orElseSucceed(Storage.bootstrapKeys, Option.none)
    const texts = Option.isNone(keys) ? [] : keysIn(Redacted.value(keys.value))
    const problems = [
      ...Result.isFailure(config) ? problemsOf(config.failure) : [],
      ...givenKeyProblems(texts).map((problem) => `SEXTANT_BOOTSTRAP_KEYS: ${problem}`)
    ]
    if (Result.isFailure(config) || problems.length > 0) {
      return yield* Effect.fail(unusable(problems.join("\n")))
    }
    return config.success
  })

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

/** Names the database whose decisions a spool holds: its data directory may move, its address is its own. */
export const spoolDatabase = (config: Pick<MemoryConfig, "dataDirectory" | "databaseUrl">): string =>
  Option.isNone(config.databaseUrl) ? "embedded" : storageName(config)
