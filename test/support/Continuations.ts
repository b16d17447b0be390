import { Effect, Fiber } from "effect"

/** A fiber as the runtime of effect has it: `getCont` takes the next continuation from its stack. */
interface Runtime {
  getCont(this: unknown, symbol: unknown): unknown
}

/** Runs an effect; yields how many continuations each fiber took meanwhile, the most first. */
export const continuations = Effect.fnUntraced(function*<A, E, R>(effect: Effect.Effect<A, E, R>) {
  const runtime = yield* Effect.withFiber((fiber: Fiber.Fiber<unknown, unknown>) =>
    Effect.succeed(Object.getPrototypeOf(fiber) as Runtime))
  const { getCont } = runtime
  const counts = new Map<unknown, number>()
  runtime.getCont = function(symbol) {
    counts.set(this, (counts.get(this) ?? 0) + 1)
    return getCont.call(this, symbol)
  }
  yield* Effect.ensuring(effect, Effect.sync(() => {
    runtime.getCont = getCont
  }))
  return [...counts.values()].sort((one, other) => other - one)
})
