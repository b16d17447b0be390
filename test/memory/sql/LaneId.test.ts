import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { inspect } from "node:util"
import * as EmbedderLexical from "../../../src/embedder/lexical/EmbedderLexical.ts"
import { Memory } from "../../../src/memory/Memory.ts"
import * as MemorySql from "../../../src/memory/sql/MemorySql.ts"
import { account, key, recommend, engineService, teach } from "../../http/EngineService.ts"
import { sendRequest } from "../../http/FakeService.ts"
import { embedded } from "../../support/Databases.ts"

/* The memory in the service's own database is given a lane's id, and never the caller's key. */

/** Every `Redacted` that a value of the type may hold, however deep. */
type SecretIn<A> = A extends Redacted.Redacted<unknown> ? A
  : A extends string | Date | Uint8Array | Effect.Effect<unknown, unknown, unknown> | ((...args: ReadonlyArray<never>) => unknown) ? never
  : A extends ReadonlyArray<infer B> ? SecretIn<B>
  : A extends object ? { [Name in keyof A]-?: SecretIn<A[Name]> }[keyof A]
  : never

type Given = {
  [Name in keyof Memory["Service"]]-?: NonNullable<Memory["Service"][Name]> extends (...args: infer Args) => unknown ? Args : never
}[keyof Memory["Service"]]

/** Refused by the compiler as soon as a call of the port can be given a secret. */
const given: [SecretIn<Given>] extends [never] ? "no secret" : "a secret" = "no secret"

/** The search itself is sound: what is there is found. */
const found: [SecretIn<{ a: ReadonlyArray<{ b: Redacted.Redacted<string> | null }> }>] extends [never] ? false : true = true

const hasRedacted = (value: unknown): boolean =>
  Redacted.isRedacted(value)
  || (typeof value === "object" && value !== null && Object.values(value).some(hasRedacted))

/** The memory, which writes down what each of its calls is given. */
const recording = (memory: Memory["Service"], calls: Array<readonly [name: string, args: ReadonlyArray<unknown>]>) =>
  // Every value of the port is a function that is called with data.
  Object.fromEntries(Object.entries(memory).map(([name, method]) => [
    name,
    (...args: ReadonlyArray<unknown>) => {
      calls.push([name, args])
      return (method as (...args: ReadonlyArray<unknown>) => unknown)(...args)
    }
  ])) as unknown as Memory["Service"]

describe("the memory in the service's own database", () => {
  it("takes no secret in any of its calls, by their types", () => {
    assert.strictEqual(given, "no secret")
    assert.isTrue(found)
  })

  it.live("is given the account and the lane of each request, and no key in any form", () => {
    const calls: Array<readonly [name: string, args: ReadonlyArray<unknown>]> = []
    const memory = Layer.effect(Memory, Effect.map(Memory, (sql) => Memory.of(recording(sql, calls)))).pipe(
      Layer.provide(MemorySql.layer({ endpoint: "embedded" })),
      Layer.provide([EmbedderLexical.layer, embedded])
    )
    return Effect.gen(function*() {
      yield* recommend()
      yield* teach(2, {
        outcome: "failure", notes: "wrong sum", entry_ids: [],
        step_outcomes: [{ step_id: "one", outcome: "failure", rationale: "it broke" }]
      })
      yield* teach(1, { outcome: "success", quality_score: 1 })
      yield* sendRequest("GET", "/v1/strategies", { key })
      yield* sendRequest("POST", "/v1/diagnose", { key, json: { error_text: "wrong sum" } })
      yield* sendRequest("GET", "/v1/memory/health", { key })
      yield* sendRequest("GET", "/v1/health", { key })
      const names = new Set(calls.map(([name]) => name))
      assert.includeMembers([...names], ["recall", "strategies", "diagnose", "health", "ping"])
      assert.isAbove(calls.length, 10)
      for (const [name, args] of calls) {
        assert.isFalse(hasRedacted(args), name)
        const shown = inspect(args, { depth: null, showHidden: true })
        assert.notInclude(shown, "Redacted", name)
        assert.notInclude(shown, key, name)
        assert.notInclude(shown, key.slice(-32), name)
        assert.include(shown, account, name)
      }
    }).pipe(Effect.provide(engineService({ memory })))
  })
})
