import { Console, Effect, Option, Redacted, Schedule, Schema } from "effect"
import { HttpServer } from "effect/http"
import { type AppConfig, isExposed, keysIn, type MemoryConfig } from "./Config.ts"
import type { Readiness } from "../http/Readiness.ts"
import { Keys } from "../accounts/Keys.ts"

/** The account of the key that a newcomer is given. */
const firstInstance = "local"

const given = ({ bootstrapKeys }: MemoryConfig): ReadonlyArray<string> =>
  Option.match(bootstrapKeys, { onNone: () => [], onSome: (text) => keysIn(Redacted.value(text)) })

/** A given key cannot be registered: another one is stored under its instance and key id. */
export class KeyTaken extends Schema.TaggedError<KeyTaken>()("KeyTaken", {
  number: Schema.Int,
  count: Schema.Int
}) {
  override get message() {
    return `SEXTANT_BOOTSTRAP_KEYS: number ${this.number} of ${this.count} has the key id of a stored key, `
      + "and another secret: give it another key id"
  }
}

/** Pauses between two attempts to register the keys while their store is out. */
const registerAgain = Schedule.spaced("1 second")

/**
 * Registers the bootstrap keys, in the background once PostgreSQL is there if it is not; without any, an
 * empty embedded store gets one key, which is yielded.
 */
const firstKey = Effect.fn("firstKey")(function*(config: MemoryConfig) {
  const store = yield* Keys
  const keys = given(config)
  const register = Effect.forEach(
    keys,
    (key, index) => store.register(Redacted.make(key)).pipe(
      Effect.catchTag("KeyRejected", () =>
        Effect.fail(new KeyTaken({ number: index + 1, count: keys.length })))
    ),
    { discard: true }
  )
  if (Option.isSome(config.databaseUrl)) {
    yield* Effect.catchTag(register, "KeysUnavailable", () =>
      register.pipe(
        Effect.retry({ schedule: registerAgain, while: (error) => error._tag === "KeysUnavailable" }),
        Effect.catch((error) => Effect.logError("SEXTANT_BOOTSTRAP_KEYS could not be registered", error)),
        Effect.forkScoped
      ))
    return Option.none()
  }
  yield* register
  const isNewcomer = keys.length === 0 && (yield* store.list).length === 0
  return isNewcomer ? Option.some(yield* store.create(firstInstance)) : Option.none()
})

/** Where the server listens, as others reach it. */
const listening = ({ host, port }: MemoryConfig) =>
  Effect.map(HttpServer.HttpServer, ({ address }) => {
    const bound = address._tag === "UnixPathAddress" ? port : address.port
    return `http://${host.includes(":") ? `[${host}]` : host}:${bound}`
  })

interface Endpoint {
  readonly url: URL
  readonly apiKey: Option.Option<Redacted.Redacted<string>>
}

const isOpenWithKey = ({ apiKey, url }: Endpoint): boolean => Option.isSome(apiKey) && isExposed(url)

/** Says where the service is, once it listens; and, when it is to stop, that it is not ready any more. */
export const printBanner = Effect.fn("announce")(function*(config: AppConfig, { drains }: Readiness) {
  // Before the listener closes, so that whoever balances looks elsewhere before a connection is refused.
  yield* Effect.addFinalizer(() => Effect.andThen(drains, Effect.sleep(config.drainDelayMs)))
  // An external memory keeps the keys, and hands out the first one.
  const isElsewhere = Option.isSome(config.memoryUrl)
  if (isElsewhere && given(config).length > 0) {
    yield* Effect.logWarning("SEXTANT_BOOTSTRAP_KEYS is ignored: the external memory keeps the keys")
  }
  if (!isElsewhere && config.memoryProtocol !== "sextant") {
    yield* Effect.logWarning("SEXTANT_MEMORY_PROTOCOL is ignored: SEXTANT_MEMORY_URL names no memory")
  }
  if (Option.exists(config.memoryUrl, isExposed)) {
    yield* Effect.logWarning("SEXTANT_MEMORY_URL is plain http to another host: keys go there unencrypted")
  }
  if (Option.exists(config.reasoner, isOpenWithKey)) {
    yield* Effect.logWarning("SEXTANT_REASONER_URL is plain http to another host: its key goes there openly")
  }
  if (isElsewhere && Option.isSome(config.embedder)) {
    yield* Effect.logWarning("SEXTANT_EMBEDDER_URL is ignored: the external memory embeds")
  }
  if (Option.exists(config.embedder, isOpenWithKey)) {
    yield* Effect.logWarning("SEXTANT_EMBEDDER_URL is plain http to another host: its key goes there openly")
  }
  const key = isElsewhere ? Option.none() : yield* firstKey(config)
  const url = yield* listening(config)
  yield* Console.log(`Sextant is ready at ${url} (docs: ${url}/docs, dashboard: ${url}/dashboard)`)
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

/** Says where the memory is, and how a service is pointed at it. */
export const printMemoryBanner = Effect.fn("announceMemory")(function*(config: MemoryConfig) {
  if (Option.exists(config.embedder, isOpenWithKey)) {
    yield* Effect.logWarning("SEXTANT_EMBEDDER_URL is plain http to another host: its key goes there openly")
  }
  const key = yield* firstKey(config)
  const url = yield* listening(config)
  yield* Console.log(`Sextant memory is ready at ${url}`)
  yield* Console.log(`Start a service on it with SEXTANT_MEMORY_URL=${url} npm start`)
  if (Option.isNone(key)) return
  yield* Console.log(`\nYour key, shown only this once:\n  ${Redacted.value(key.value)}\n`)
})
