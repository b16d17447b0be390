import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { makeTurns } from "../../src/resilience/Turns.ts"

it.effect("effects of one key run one after another in their order, and of another key at once", () =>
  Effect.gen(function*() {
    const inTurn = makeTurns<string>()
    const gate = yield* Deferred.make<void>()
    const ran: Array<string> = []
    const noting = (what: string) => Effect.sync(() => void ran.push(what))
    const first = yield* Effect.forkChild(inTurn("a")(Effect.andThen(Deferred.await(gate), noting("first"))), {
      startImmediately: true
    })
    const gone = yield* Effect.forkChild(inTurn("a")(noting("gone")), { startImmediately: true })
    const second = yield* Effect.forkChild(inTurn("a")(noting("second")), { startImmediately: true })
    yield* inTurn("b")(noting("other"))
    yield* Fiber.interrupt(gone)
    yield* Deferred.succeed(gate, undefined)
    yield* Fiber.join(first)
    yield* Fiber.join(second)
    assert.deepStrictEqual(ran, ["other", "first", "second"])
  }))

it.effect("an effect that fails ends its turn", () =>
  Effect.gen(function*() {
    const inTurn = makeTurns<string>()
    assert.strictEqual(yield* Effect.flip(inTurn("a")(Effect.fail("no"))), "no")
    assert.strictEqual(yield* inTurn("a")(Effect.succeed(1)), 1)
  }))
