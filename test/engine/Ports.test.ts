import { assert, describe, it } from "@effect/vitest"
import { Context, Effect } from "effect"
import { withPorts } from "../../src/engine/Ports.ts"

class One extends Context.Service<One, { readonly name: string }>()("test/One") {}
class Two extends Context.Service<Two, { readonly name: string }>()("test/Two") {}

const ports = Context.make(One, { name: "one" }).pipe(Context.add(Two, { name: "two" }))
const names = Effect.gen(function*() {
  return [(yield* One).name, (yield* Two).name]
})

describe("ports of a pipeline", () => {
  it.effect("are given to a fiber that has none of them, or other ones", () =>
    Effect.gen(function*() {
      const provided = withPorts(ports, [One, Two])(names)
      assert.deepStrictEqual(yield* provided, ["one", "two"])
      assert.deepStrictEqual(yield* Effect.provideService(provided, Two, { name: "another" }), ["one", "two"])
    }))

  it.effect("leave the context of a fiber that has all of them as it is", () =>
    Effect.gen(function*() {
      let seen: unknown
      let within: unknown
      yield* Effect.withFiber((fiber) => {
        seen = fiber.context
        return withPorts(ports, [One, Two])(Effect.withFiber((inner) => {
          within = inner.context
          return Effect.void
        }))
      }).pipe(Effect.provide(ports))
      assert.strictEqual(within, seen)
    }))
})
