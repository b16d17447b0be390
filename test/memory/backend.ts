import { Effect, Layer, Redacted } from "effect"
import { HttpServer } from "effect/http"
import type { IncomingMessage, ServerResponse } from "node:http"
import { parse } from "../../src/accounts/Key.ts"
import { KeyRejected, Keys } from "../../src/accounts/Keys.ts"
import type { Memory } from "../../src/memory/Memory.ts"
import { type MemoryClientSettings, memoryClientSettings } from "../../src/memory/remote/MemoryBackend.ts"
import * as MemoryClient from "../../src/memory/remote/MemoryClient.ts"
import { startHttpServer } from "../support/HttpServer.ts"
import { memoryServer } from "../support/InProcess.ts"

/** Accepts every key that has a key's shape, but for key ids that start with `bad`. */
const anyKey = Layer.succeed(Keys, {
  verify: (text) => {
    const key = parse(Redacted.value(text))
    return key === null || key.keyId.startsWith("bad")
      ? Effect.fail(new KeyRejected())
      : Effect.succeed({ accountId: key.accountId, key: text, role: "use", remainingMs: null })
  },
  isKnown: () => Effect.succeed(false),
  create: () => Effect.fail(new KeyRejected()),
  register: () => Effect.void,
  rotate: () => Effect.succeed(null),
  list: Effect.succeed([]),
  revoke: () => Effect.succeed(false)
})

/** A memory served over a real socket, and the client that reaches it. */
export const servedMemory = <E, R>(
  memory: Layer.Layer<Memory, E, R>,
  settings: MemoryClientSettings = memoryClientSettings
) =>
  Layer.unwrap(HttpServer.HttpServer.use(({ address }) => {
    const port = address._tag === "UnixPathAddress" ? 0 : address.port
    return Effect.succeed(MemoryClient.layer(new URL(`http://127.0.0.1:${port}`), settings))
  })).pipe(
    Layer.provideMerge(memoryServer()),
    Layer.provide([memory, anyKey])
  )

/** A backend that answers whatever the test says, and its client. */
export const rawBackend = (
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  settings: Partial<MemoryClientSettings> = {}
) =>
  Layer.unwrap(Effect.map(
    startHttpServer(answer),
    ({ port }) =>
      MemoryClient.layer(new URL(`http://127.0.0.1:${port}`), { ...memoryClientSettings, ...settings })
  ))
