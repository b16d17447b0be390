/* Registers the bootstrap keys at the start, and prints the service's address. */
import { Console, Effect, Option, Redacted, Schedule } from "effect"
import { HttpServer } from "effect/http"
import { Keys } from "../accounts/Keys.ts"
import { Catalog } from "../catalog/Catalog.ts"
import { findModel } from "../catalog/Lookup.ts"
import type { CatalogSnapshot } from "../domain/model/Model.ts"
import type { Readiness } from "../http/Readiness.ts"
import { firstInstance, sextantCommand } from "../http/docs/StartPage.ts"
import { type AppConfig, isExposed, keysIn, type MemoryConfig } from "./Config.ts"
import { refusal } from "./Refusal.ts"
import { announce } from "./workers/Worker.ts"

const bootstrapKeysOf = ({ bootstrapKeys }: MemoryConfig): ReadonlyArray<string> =>
  Option.match(bootstrapKeys, { onNone: () => [], onSome: (text) => keysIn(Redacted.value(text)) })

/** The refusal of a bootstrap key that has the id of a stored key, but another secret. */
const keyConflict = (number: number, count: number) =>
  refusal(`SEXTANT_BOOTSTRAP_KEYS: number ${number} of ${count} has the key id of a stored key, `
    + "but another secret: give it another key id")

const registerAgain = Schedule.spaced("200 millis")

/**
 * Registers the bootstrap keys, and tries again in the background while the database at a URL is unavailable.
 * If there are no bootstrap keys and the embedded database has no key, creates a key and returns it.
 */
const registerKeys = Effect.fn("registerKeys")(function*(config: MemoryConfig, { isMet, mark }: Readiness) {
  const store = yield* Keys
  const keys = bootstrapKeysOf(config)
  const register = Effect.forEach(
    keys,
    (key, index) => store.register(Redacted.make(key)).pipe(
      Effect.catchTag("KeyRejected", () => keyConflict(index + 1, keys.length))
    ),
    { discard: true }
  )
  if (Option.isSome(config.databaseUrl)) {
    const schema = Effect.repeat(isMet("schema"), { until: (isThere) => isThere, schedule: registerAgain })
    yield* Effect.andThen(register, mark("keys")).pipe(Effect.catchTag("KeysUnavailable", () =>
      Effect.andThen(schema, register).pipe(
        Effect.retry({ schedule: registerAgain, while: (error) => error._tag === "KeysUnavailable" }),
        Effect.catch((error) => Effect.logError("SEXTANT_BOOTSTRAP_KEYS could not be registered", error)),
        Effect.andThen(mark("keys")),
        Effect.forkScoped
      )))
    return Option.none()
  }
  yield* Effect.andThen(register, mark("keys"))
  const isFirstStart = keys.length === 0 && (yield* store.list).length === 0
  // The person who starts the service may create any key, so the first key may do everything.
  return isFirstStart
    ? Option.some(yield* store.create(firstInstance, { role: "admin", expiresAt: null }))
    : Option.none()
})

const createKey = `${sextantCommand} keys create --instance`

const serviceUrl = ({ host, port }: MemoryConfig) =>
  Effect.map(HttpServer.HttpServer, ({ address }) => {
    const bound = address._tag === "UnixPathAddress" ? port : address.port
    return `http://${host.includes(":") ? `[${host}]` : host}:${bound}`
  })

interface RemoteEndpoint {
  readonly url: URL
  readonly apiKey: Option.Option<Redacted.Redacted<string>>
}

const isKeyExposed = ({ apiKey, url }: RemoteEndpoint): boolean => Option.isSome(apiKey) && isExposed(url)

const plainHttp = "is plain http to another host"

/** Warns of variables of the service that are ignored, or that let keys be sent unencrypted. */
const warnOfVariables = Effect.fnUntraced(function*(config: AppConfig) {
  const isExternal = Option.isSome(config.memoryUrl)
  if (isExternal && bootstrapKeysOf(config).length > 0) {
    yield* Effect.logWarning("SEXTANT_BOOTSTRAP_KEYS is ignored: the external memory stores the keys")
  }
  if (Option.exists(config.memoryUrl, isExposed)) {
    yield* Effect.logWarning(`SEXTANT_MEMORY_URL ${plainHttp}: it receives keys unencrypted`)
  }
  if (Option.exists(config.reasoner, isKeyExposed)) {
    yield* Effect.logWarning(`SEXTANT_REASONER_URL ${plainHttp}: its key is sent unencrypted`)
  }
  if (isExternal && Option.isSome(config.embedder)) {
    yield* Effect.logWarning("SEXTANT_EMBEDDER_URL is ignored: the external memory embeds tasks")
  }
  if (Option.exists(config.embedder, isKeyExposed)) {
    yield* Effect.logWarning(`SEXTANT_EMBEDDER_URL ${plainHttp}: its key is sent unencrypted`)
  }
})

const wellKnown = ["gpt-5.5", "gpt-5.4-mini", "claude-sonnet-5", "gemini-3.5-flash"] as const

/** Arguments of `sextant ask` in the banner, with well-known models if the catalog has at least two. */
const firstQuestion = (catalog: CatalogSnapshot): string => {
  const candidates = wellKnown.filter((id) => findModel(catalog, id) !== undefined)
  const among = candidates.length < 2 ? "" : ` --models ${candidates.join()}`
  return `'Fix this failing unit test'${among}`
}

export const printBanner = Effect.fn("printBanner")(function*(
  config: AppConfig,
  readiness: Readiness
) {
  // A load balancer must learn of the stop before the listener refuses connections.
  yield* Effect.addFinalizer(() => Effect.andThen(readiness.markDraining, Effect.sleep(config.drainDelayMs)))
  yield* warnOfVariables(config)
  // If memory is external, it stores the keys and prints the first key.
  const key = Option.isSome(config.memoryUrl)
    ? yield* Effect.as(readiness.mark("keys"), Option.none())
    : yield* registerKeys(config, readiness)
  const url = yield* serviceUrl(config)
  const pages = `docs: ${url}/docs, dashboard: ${url}/dashboard`
  const several = config.processes === 1 ? "" : `, ${config.processes} processes`
  const ready = `Sextant is ready at ${url} (${pages}${several})`
  if (Option.isNone(key)) {
    const isKeyKnown = Option.isSome(config.memoryUrl) || bootstrapKeysOf(config).length > 0
    const another = `Another key, with the variables of this start: ${createKey} ${firstInstance}`
    return yield* announce(isKeyKnown ? ready : `${ready}\n${another}`)
  }
  yield* announce([
    ready,
    "",
    "Your key, which is shown only now:",
    `  ${Redacted.value(key.value)}`,
    `It may change the account's settings (role admin). One for a program: ${createKey} ${firstInstance}`,
    "",
    "Try it:",
    `  SEXTANT_URL=${url} SEXTANT_KEY=${Redacted.value(key.value)} \\`,
    `    ${sextantCommand} ask ${firstQuestion(yield* (yield* Catalog).snapshot)}`,
    `With --json it prints what the API answers; ${url} has the same as a curl command.`,
    ""
  ].join("\n"))
})

/** Registers keys, prints the URL of the memory, and prints how to start a service that uses this memory. */
export const printMemoryBanner = Effect.fn("printMemoryBanner")(function*(
  config: MemoryConfig,
  readiness: Readiness
) {
  if (Option.exists(config.embedder, isKeyExposed)) {
    yield* Effect.logWarning(`SEXTANT_EMBEDDER_URL ${plainHttp}: its key is sent unencrypted`)
  }
  const key = yield* registerKeys(config, readiness)
  const url = yield* serviceUrl(config)
  yield* Console.log(`Sextant memory is ready at ${url}`)
  yield* Console.log(`To start a service that uses it: SEXTANT_MEMORY_URL=${url} npm start`)
  if (Option.isNone(key)) return
  yield* Console.log(`\nYour key, which is shown only now:\n  ${Redacted.value(key.value)}\n`)
})
