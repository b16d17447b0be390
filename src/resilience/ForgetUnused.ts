/* Drops what a process no longer uses, so that it holds an erased account's data for at most 15 minutes. */
import { Effect, type Scope } from "effect"
import { monotonicMs } from "../domain/Time.ts"

/** Time for which unused data is kept, ms: with {@link everyMs}, less than the promised 15 minutes. */
const keptMs = 14 * 60_000
const everyMs = 60_000

/**
 * Calls `forgetBefore` once a minute until the scope closes.
 * @param forgetBefore drops what was last used before this monotonic time, ms
 */
export const forgettingUnused = (
  forgetBefore: (beforeMs: number) => void
): Effect.Effect<void, never, Scope.Scope> =>
  Effect.map(monotonicMs, (nowMs) => forgetBefore(nowMs - keptMs)).pipe(
    Effect.delay(everyMs),
    Effect.forever,
    Effect.forkScoped,
    Effect.asVoid
  )
