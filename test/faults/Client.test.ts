import { assert, describe, it, vi } from "@effect/vitest"
import { Effect } from "effect"
import type { ServerResponse } from "node:http"
import { createClient } from "../../src/client/Client.ts"
import { startHttpServer } from "../support/HttpServer.ts"
import { makeProxy, none } from "./proxy.ts"
import { isFullRun } from "./setup.ts"

vi.setConfig({ testTimeout: 120_000 })

const deadlineMs = 300
/** What a machine that runs other suites beside this one may add to a deadline, in milliseconds. */
const allowanceMs = 2_000
const request = { task: { task: "Fix this failing unit test" } }

/** An HTTP server that answers whatever the test says. */
const serving = (answer: (response: ServerResponse) => void) =>
  startHttpServer((incoming, response) => {
    incoming.resume()
    answer(response)
  })

const clientOf = (baseUrl: string) =>
  Effect.acquireRelease(
    Effect.sync(() =>
      createClient({ baseUrl, apiKey: "sxt_acme_k1_secret", timeoutMs: deadlineMs, defaultModelId: "mine" })),
    (client) => Effect.promise(client.close)
  )

/** It answered the default model, in time, and says why. */
const chooses = (baseUrl: string) =>
  Effect.gen(function*() {
    const client = yield* clientOf(baseUrl)
    const began = performance.now()
    const choice = yield* Effect.promise(() => client.choose(request))
    assert.deepInclude(choice, { modelId: "mine", recommendation: null })
    assert.isNotNull(choice.failure)
    assert.isBelow(performance.now() - began, deadlineMs + 50 + allowanceMs)
  }).pipe(Effect.scoped)

/** Rejections that nobody has taken, while `effect` runs and a moment after. */
const unhandled = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function*() {
    const rejections: Array<unknown> = []
    const note = (reason: unknown) => void rejections.push(reason)
    process.on("unhandledRejection", note)
    const value = yield* effect.pipe(
      Effect.andThen((result) => Effect.as(Effect.sleep("100 millis"), result)),
      Effect.ensuring(Effect.sync(() => process.off("unhandledRejection", note)))
    )
    assert.deepStrictEqual(rejections, [])
    return value
  })

const nothing = () => undefined

describe("a client", () => {
  it.live("chooses the default model in time when the service refuses, hangs, trickles or is cut off", () =>
    Effect.gen(function*() {
      const { port } = yield* serving((response) => void response.writeHead(200).end("{\"a\":1}"))
      const proxy = yield* makeProxy(port)
      for (
        const fault of [
          { kind: "refuse" }, { kind: "black hole" }, { kind: "trickle", bytes: 1, everyMs: 1_000 },
          { kind: "reset", afterBytes: 1 }, { kind: "garbage" }
        ] as const
      ) {
        yield* proxy.set(fault)
        yield* chooses(`http://127.0.0.1:${proxy.port}`)
        yield* proxy.set(none)
      }
      // No TLS there, and no such name.
      yield* chooses(`https://127.0.0.1:${port}`)
      yield* chooses("http://sextant.invalid")
    }))

  for (const status of [500, 502, 503, 504, 429]) {
    it.live(`chooses the default model when the service answers ${status}`, () =>
      Effect.gen(function*() {
        const { port } = yield* serving((response) => void response.writeHead(status).end("down"))
        yield* chooses(`http://127.0.0.1:${port}`)
      }))
  }

  it.live("has no queue: a feedback is stored when its promise resolves, or the promise rejects", () =>
    Effect.gen(function*() {
      let heard = 0
      const { port } = yield* serving((response) => {
        heard++
        response.writeHead(503).end("down")
      })
      const client = yield* clientOf(`http://127.0.0.1:${port}`)
      const report = { recommendationId: "r1", chosenModelId: "small", outcome: "success" } as const
      const results = yield* unhandled(Effect.promise(() =>
        Promise.allSettled(Array.from({ length: 20 }, () => client.feedback(report)))))
      assert.isTrue(results.every(({ status }) => status === "rejected"))
      assert.strictEqual(heard, 60)
      // Closed, it rejects what is still under way, and leaves nothing behind.
      const late = client.feedback(report)
      yield* unhandled(Effect.promise(() => Promise.allSettled([late, client.close()])))
    }))

  it.live("may be awaited twice, called concurrently and closed meanwhile, without an unhandled rejection", () =>
    Effect.gen(function*() {
      const { port } = yield* serving(nothing)
      const client = yield* clientOf(`http://127.0.0.1:${port}`)
      yield* unhandled(Effect.promise(async () => {
        const one = client.choose(request)
        assert.strictEqual(await one, await one)
        const choices = await Promise.all(
          Array.from({ length: isFullRun ? 3_000 : 300 }, () => client.choose(request))
        )
        assert.isTrue(choices.every(({ modelId }) => modelId === "mine"))
        const abandoned = client.choose(request)
        await client.close()
        assert.strictEqual((await abandoned).modelId, "mine")
      }))
    }))
})
