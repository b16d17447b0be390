/* The configuration of the service and of `sextant memory`, read from environment variables. */
import { Config, Effect, Option, Redacted, Result } from "effect"
import { readFileSync } from "node:fs"
import { availableParallelism } from "node:os"
import { givenKeyProblems } from "../accounts/Key.ts"
import { SelectionPolicy } from "../domain/Recommendation.ts"
import { TaskText } from "../domain/text/TaskText.ts"
import { defaults } from "../engine/Settings.ts"
import { parseNetwork } from "../http/limits/Addresses.ts"
import { limitSettings } from "../http/limits/LimitSettings.ts"
import { retentionDays, retentionDaysMin } from "../retention/RetainedTables.ts"
import { addressName, addressOnly } from "./DatabaseAddress.ts"
import { configErrorLines } from "./doctor/ErrorLine.ts"
import { workerSettings } from "./workers/WorkerSettings.ts"
import {
  configError, httpUrl, logFormat, oneOf, readAll, required, wholeNumber, withUrl
} from "./Variables.ts"

/** With port 0, the service takes a free port and prints it. */
const port = wholeNumber("PORT", 0, 65_535)

const millisecondsMax = 600_000

/** Maximum drain delay, ms: the 30 s of a stop by Kubernetes, less 10 s for running requests. */
const drainDelayMax = 20_000

/** Returns true if a URL is plain http to another host, to which keys would travel unencrypted. */
export const isExposed = ({ hostname, protocol }: URL): boolean =>
  protocol === "http:" && !/^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/.test(hostname)

/** Reads a secret from a file, without white space around it, such as a line break at the end. */
const secretIn = (variable: string, path: string) =>
  Effect.try({
    try: () => readFileSync(path, "utf8").trim(),
    catch: (cause) => configError(`${variable}: ${path} cannot be read`, cause)
  }).pipe(
    Effect.filterOrFail((text) => text !== "", () => configError(`${variable}: ${path} is empty`)),
    Effect.map((text) => Redacted.make(text))
  )

/**
 * Reads a secret from the variable `name`, or from the file that `<name>_FILE` names, as containers mount
 * secrets. If both `<name>` and `<name>_FILE` are set, the file is ignored: a command may use another secret.
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

/** The reasoner's model has no default, because cheap and good models change. */
const Reasoner = readAll({
  provider: oneOf("SEXTANT_REASONER_PROVIDER", ["openai", "anthropic"]).pipe(
    Config.withDefault("openai")
  ),
  model: required("SEXTANT_REASONER_MODEL", Config.NonEmptyString("SEXTANT_REASONER_MODEL"),
    "the name of the model at SEXTANT_REASONER_URL"),
  apiKey: Config.option(Config.Redacted("SEXTANT_REASONER_API_KEY")).pipe(
    Config.map(Option.filter((key) => Redacted.value(key) !== ""))
  )
})

const ReasonerSettings = withUrl(Config.option(httpUrl("SEXTANT_REASONER_URL")), Reasoner)

/** An empty value means that the variable is not set, as in OpenTelemetry's specification. */
const otlpEndpoint = Config.option(Config.String("OTEL_EXPORTER_OTLP_ENDPOINT")).pipe(
  Config.map(Option.filter((url) => url !== ""))
)

/** Number of processes that serve the port; `auto` means one per core, up to `processesMax`. */
const processes = Config.String("SEXTANT_PROCESSES").pipe(
  Config.flatMap((text) =>
    text === "auto"
      ? Config.succeed(Math.min(availableParallelism(), workerSettings.processesMax))
      : wholeNumber("SEXTANT_PROCESSES", 1, workerSettings.processesMax, ", or auto")),
  Config.withDefault(1)
)

const retentionDaysMax = 3_650

/** Number of failed keys per minute after which an address is blocked; null means no limit. */
const failedKeys = (otherwise: number | null) =>
  Config.String("SEXTANT_FAILED_KEYS_PER_MINUTE").pipe(
    Config.flatMap((text) =>
      text === "off"
        ? Config.succeed(null)
        : wholeNumber("SEXTANT_FAILED_KEYS_PER_MINUTE", 1, Infinity, ", or off")),
    Config.withDefault(otherwise)
  )

/** Addresses and networks of trusted proxies, separated by commas. */
const Networks = Config.option(Config.String("SEXTANT_TRUSTED_PROXIES")).pipe(
  Config.mapEffect((given) =>
    Effect.forEach(keysIn(Option.getOrElse(given, () => "")), (text, index) => {
      const network = parseNetwork(text)
      return network === null
        ? Effect.fail(configError(`SEXTANT_TRUSTED_PROXIES: number ${index + 1}, "${text}", is not `
          + "a network: give addresses or networks such as 10.0.0.0/8, fd00::/8"))
        : Effect.succeed(network)
    }))
)

const StorageVariables = {
  databaseUrl: secret("DATABASE_URL").pipe(addressOnly("DATABASE_URL")),
  bootstrapKeys: secret("SEXTANT_BOOTSTRAP_KEYS"),
  /** True if the service migrates the schema; if false, the schema's owner runs `sextant migrate`. */
  migrates: oneOf("SEXTANT_MIGRATE", ["on", "off"]).pipe(
    Config.withDefault("on"),
    Config.map((given) => given === "on")
  ),
  retentionDays: wholeNumber("SEXTANT_RETENTION_DAYS", retentionDaysMin, retentionDaysMax).pipe(
    Config.withDefault(retentionDays)
  ),
  /** How much of tasks' text the service stores. An account can only choose to store less text. */
  taskText: oneOf("SEXTANT_TASK_TEXT", TaskText.literals).pipe(Config.withDefault("excerpt")),
  /** Number of days for which texts are stored; by default as long as decisions. */
  taskTextDays: Config.option(wholeNumber("SEXTANT_TASK_TEXT_DAYS", retentionDaysMin, retentionDaysMax)),
  /** A wrong log format, which the logger ignores, is reported together with all other wrong values. */
  logFormat,
  otlpEndpoint,
  trustedProxies: Networks
}

/** Up to 4,096 dimensions, the sums of the exact scan of a lane fit into 31 bits. */
const dimensions = wholeNumber("SEXTANT_EMBEDDER_DIMENSIONS", 8, 4_096)

/** The length of embedding vectors has no default, because vectors of a wrong length are useless. */
const EmbeddingsEndpoint = readAll({
  model: required("SEXTANT_EMBEDDER_MODEL", Config.NonEmptyString("SEXTANT_EMBEDDER_MODEL"),
    "the name of the model at SEXTANT_EMBEDDER_URL"),
  dimensions: required("SEXTANT_EMBEDDER_DIMENSIONS", dimensions, "the length of that model's vectors"),
  apiKey: Config.option(Config.Redacted("SEXTANT_EMBEDDER_API_KEY")).pipe(
    Config.map(Option.filter((key) => Redacted.value(key) !== ""))
  )
})

const EmbedderSettings = withUrl(Config.option(httpUrl("SEXTANT_EMBEDDER_URL")), EmbeddingsEndpoint)

export const AppConfig = readAll({
  port: port.pipe(Config.withDefault(8080)),
  host: Config.String("HOST").pipe(Config.withDefault("127.0.0.1")),
  processes,
  ...StorageVariables,
  /** A streaming replica of the database at `DATABASE_URL`, from which reports are read. */
  replicaUrl: secret("DATABASE_REPLICA_URL").pipe(addressOnly("DATABASE_REPLICA_URL")),
  /** Time for which a stopping service still takes new requests, ms. */
  drainDelayMs: wholeNumber("SEXTANT_DRAIN_DELAY_MS", 0, drainDelayMax).pipe(Config.withDefault(0)),
  dataDirectory: Config.String("SEXTANT_DATA_DIR").pipe(Config.withDefault(".sextant")),
  memoryUrl: Config.option(httpUrl("SEXTANT_MEMORY_URL")),
  recallTimeoutMs: wholeNumber("SEXTANT_RECALL_TIMEOUT_MS", 1, millisecondsMax).pipe(
    Config.withDefault(defaults.recallBudgetMs)
  ),
  catalogFile: Config.option(Config.String("SEXTANT_CATALOG_FILE")),
  catalogRefresh: oneOf("SEXTANT_CATALOG_REFRESH", ["on", "off"]).pipe(Config.withDefault("on")),
  rateLimitPerMinute: Config.option(wholeNumber("SEXTANT_RATE_LIMIT", 1)).pipe(
    Config.map(Option.getOrNull)
  ),
  failedKeysPerMinute: failedKeys(limitSettings.failedKeysPerMinute),
  selectionPolicy: oneOf("SEXTANT_SELECTION_POLICY", SelectionPolicy.literals).pipe(
    Config.withDefault(defaults.selectionPolicy)
  ),
  reasoner: ReasonerSettings,
  reasonerTimeoutMs: wholeNumber("SEXTANT_REASONER_TIMEOUT_MS", 1, millisecondsMax).pipe(
    Config.withDefault(defaults.reasonerBudgetMs)
  ),
  embedder: EmbedderSettings
})

export type AppConfig = Effect.Success<typeof AppConfig>

/** The default port and folder let `sextant memory` run on the same machine as the service. */
export const MemoryConfig = readAll({
  port: port.pipe(Config.withDefault(8081)),
  host: Config.String("HOST").pipe(Config.withDefault("127.0.0.1")),
  ...StorageVariables,
  dataDirectory: Config.String("SEXTANT_DATA_DIR").pipe(Config.withDefault(".sextant-memory")),
  failedKeysPerMinute: failedKeys(null),
  embedder: EmbedderSettings
})

export type MemoryConfig = Effect.Success<typeof MemoryConfig>

export const retentionTimes = (
  { retentionDays, taskTextDays }: Pick<MemoryConfig, "retentionDays" | "taskTextDays">
) => ({ days: retentionDays, textDays: Option.getOrElse(taskTextDays, () => retentionDays) })

export const keysIn = (text: string): ReadonlyArray<string> =>
  text.split(/[,\n]/).map((key) => key.trim()).filter((key) => key !== "")

/** Checks the bootstrap keys, which are ignored if an external memory stores the keys. */
export const servingConfig = <A extends MemoryConfig & Partial<Pick<AppConfig, "memoryUrl">>>(
  reading: Effect.Effect<A, Config.ConfigError>
) =>
  Effect.gen(function*() {
    const config = yield* Effect.result(reading)
    const isExternal = Option.isSome(yield* Config.option(Config.String("SEXTANT_MEMORY_URL")))
    const { bootstrapKeys } = StorageVariables
    const keys = isExternal ? Option.none() : yield* Effect.orElseSucceed(bootstrapKeys, Option.none)
    const texts = Option.isNone(keys) ? [] : keysIn(Redacted.value(keys.value))
    const problems = [
      ...Result.isFailure(config) ? configErrorLines(config.failure) : [],
      ...givenKeyProblems(texts).map((problem) => `SEXTANT_BOOTSTRAP_KEYS: ${problem}`)
    ]
    if (Result.isFailure(config) || problems.length > 0) {
      return yield* Effect.fail(configError(problems.join("\n")))
    }
    return config.success
  })

/** Returns the name of the database for an operator, without user and password. */
export const storageName = (
  { dataDirectory, databaseUrl }: Pick<MemoryConfig, "dataDirectory" | "databaseUrl">
): string => {
  if (Option.isNone(databaseUrl)) return `embedded database in ${dataDirectory}`
  return addressName(Redacted.value(databaseUrl.value))
}
