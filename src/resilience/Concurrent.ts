/** Effects side by side, of which most end at once. */
import { type Context, Effect, Exit } from "effect"

/** At least one effect, of which none fails. */
type Effects = readonly [
  Effect.Effect<unknown, never, unknown>,
  ...ReadonlyArray<Effect.Effect<unknown, never, unknown>>
]

/** The values of effects, each in its place. */
type Successes<All extends Effects> = { readonly [I in keyof All]: Effect.Success<All[I]> }

/**
 * Begins every effect and waits for those that do not end at once. A defect is passed on once all have ended.
 * An interruption of the caller interrupts them.
 */
export const together = <const All extends Effects>(
  effects: All
): Effect.Effect<Successes<All>, never, Effect.Services<All[number]>> =>
  Effect.contextWith((context: Context.Context<Effect.Services<All[number]>>) =>
    Effect.callback<Successes<All>>((resume) => {
      // The context holds what every one of them needs.
      const run = Effect.runForkWith(context as Context.Context<unknown>)
      const values: Array<unknown> = effects.map(() => undefined)
      let defect: Exit.Exit<never> | null = null
      let left = effects.length
      const fibers = effects.map((effect, i) => {
        const fiber = run(effect)
        fiber.addObserver((exit) => {
          if (Exit.isSuccess(exit)) values[i] = exit.value
          else defect ??= Exit.failCause(exit.cause)
          left--
          // Every place holds the value of the effect there.
          if (left === 0) resume(defect ?? Exit.succeed(values as unknown as Successes<All>))
        })
        return fiber
      })
      return Effect.sync(() => fibers.forEach((fiber) => fiber.interruptUnsafe()))
    }))
