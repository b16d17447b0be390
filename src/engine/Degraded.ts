import { Effect } from "effect"
import type { Warning } from "../domain/Warning.ts"

/** A value that is always there, and what was lost on the way to it. */
export interface Degraded<A, W extends Warning> {
  readonly value: A
  readonly warnings: ReadonlyArray<W>
}

/**
 * Closes a stage's failure channel: each failure becomes `orElse` plus the warning named for its tag. `warnings`
 * is total over the channel, so a failure that nobody named a warning for does not compile.
 */
export const degrade = <A, E extends { readonly _tag: string }, R, B, W extends Warning>(
  stage: Effect.Effect<A, E, R>,
  options: { readonly orElse: () => B; readonly warnings: { readonly [Tag in E["_tag"]]: W } }
): Effect.Effect<Degraded<A | B, W>, never, R> =>
  Effect.matchEffect(stage, {
    onSuccess: (value) => Effect.succeed<Degraded<A | B, W>>({ value, warnings: [] }),
    onFailure: (failure: E) =>
      Effect.as(
        Effect.logDebug("degraded", { failure: failure._tag }),
        ({ value: options.orElse(), warnings: [options.warnings[failure._tag as E["_tag"]]] }) as Degraded<A | B, W>
      )
  })
