import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { inRequestTurn, inStep, ownTurn, PartTurns, runCooperatively, Step } from "../../src/resilience/CooperativeYield.ts"

describe("A turn of the event loop", () => {
  it.live("leaves another turn to other work between any two", () =>
    Effect.gen(function*() {
      const seen: Array<string> = []
      const work = yield* Effect.forkChild(
        Effect.forEach([1, 2, 3], (n) => Effect.andThen(ownTurn, Effect.sync(() => seen.push(`work ${n}`))), {
          concurrency: "unbounded"
        })
      )
      yield* Effect.callback<void>((resume) => {
        let left = 8
        const look = () => {
          seen.push("look")
          if (--left === 0) resume(Effect.void)
          else setImmediate(look)
        }
        setImmediate(look)
      })
      yield* Fiber.join(work)
      assert.deepStrictEqual(seen.filter((name) => name !== "look"), ["work 1", "work 2", "work 3"])
      assert.notMatch(seen.join(), /work \d,work/)
    }))

  it.live("is given up by an interrupted waiter, and the next waiter still gets its own", () =>
    Effect.gen(function*() {
      const interrupted = yield* Effect.forkChild(ownTurn, { startImmediately: true })
      const next = yield* Effect.forkChild(ownTurn, { startImmediately: true })
      yield* Fiber.interrupt(interrupted)
      yield* Fiber.join(next)
    }))

  it.live("is shared by the requests that wait, up to sixteen", () =>
    Effect.gen(function*() {
      const turns: Array<number> = []
      yield* Effect.callback<void>((resume) => {
        let turn = 0
        const look = () => {
          turn++
          if (turns.length < 20) setImmediate(look)
          else resume(Effect.void)
        }
        setImmediate(look)
        for (let request = 0; request < 20; request++) inRequestTurn(() => turns.push(turn))
      })
      const [first = 0] = turns
      assert.deepStrictEqual(turns.map((turn) => turn - first), [...Array(16).fill(0), ...Array(4).fill(1)])
    }))

  it.live("is not taken by a request that left the line", () =>
    Effect.gen(function*() {
      const begun: Array<string> = []
      const leave = inRequestTurn(() => begun.push("left"))
      inRequestTurn(() => begun.push("stayed"))
      leave()
      yield* Effect.callback<void>((resume) => void inRequestTurn(() => resume(Effect.void)))
      assert.deepStrictEqual(begun, ["stayed"])
    }))

  it.live("passes between two stages, so that one stage runs for all requests under way", () =>
    Effect.gen(function*() {
      const stages: Array<string> = []
      const request = (name: string) =>
        Effect.forEach([1, 2], (stage) => Effect.andThen(inStep, Effect.sync(() => stages.push(`${name}${stage}`))))
      const both = Effect.all([request("a"), request("b")], { concurrency: "unbounded" })
      yield* Effect.provideService(both, Step, Effect.yieldNow)
      assert.deepStrictEqual(stages.splice(0), ["a1", "b1", "a2", "b2"])
      yield* both
      assert.deepStrictEqual(stages, ["a1", "a2", "b1", "b2"])
    }))

  it.effect("is not awaited by the parts of a request outside of a server", () =>
    Effect.gen(function*() {
      const inTurn = yield* yield* PartTurns
      assert.strictEqual(yield* inTurn(Effect.succeed(1)), 1)
    }))

  it.effect("is left to other work between the turns of long work, whose result is kept", () =>
    Effect.gen(function*() {
      const work = function*() {
        yield
        yield
        return 7
      }
      assert.strictEqual(yield* runCooperatively(work()), 7)
    }))
})
