import { Effect } from "effect"
import type { Warning } from "../domain/Warning.ts"

/** A value that is always there, and what was lost on the way to it. */
export interface Degraded<A, W extends Warning> {
  readonly value: A
  readonly warnings: ReadonlyArray<W>
}

/** A warning for every failure tag of a stage, no tag missing and none too many. */
type Table<Tag extends string, T> = T & { readonly [Extra in Exclude<keyof T, Tag>]: never }

/**
 * Closes a stage's failure channel: each failure becomes `orElse` plus the warning named for its tag.
 * `warnings` is total over the channel, so a failure that nobody named a warning for does not compile.
 */
export const degrade = <
  A,
  E extends { readonly _tag: string },
  R,
  B,
  const T extends { readonly [Tag in E["_tag"]]: Warning }
>(
  stage: Effect.Effect<A, E, R>,
  options: { readonly orElse: (failure: E) => B; readonly warnings: Table<E["_tag"], T> }
): Effect.Effect<Degraded<A | B, T[E["_tag"]]>, never, R> =>
  Effect.matchEffect(stage, {
    onSuccess: (value) => Effect.succeed<Degraded<A | B, T[E["_tag"]]>>({ value, warnings: [] }),
    onFailure: (failure: E) => {
      const warning: T[E["_tag"]] = (options.warnings as T)[failure._tag as E["_tag"]]
      return Effect.as(
        Effect.logDebug("degraded", { failure: failure._tag, warning }),
        { value: options.orElse(failure), warnings: [warning] } as Degraded<A | B, T[E["_tag"]]>
      )
    }
  })
