/** A stage's value or its fallback, and the warnings of its failure; used by the conductors alone. */
import { Effect } from "effect"
import type { Warning } from "../domain/Warning.ts"

/** A value that is always there, and the warnings of what was lost on the way to it. */
export interface Degraded<A, W extends Warning> {
  readonly value: A
  readonly warnings: ReadonlyArray<W>
}

/**
 * A failure that no warning of the contract names: the answer is whole but coarser, and only the log says so.
 */
interface LoggedOnly {
  readonly log: string
}

/** A warning for every failure tag of a stage, no tag missing and none too many. */
type ExactTable<Tag extends string, T> = T & { readonly [Extra in Exclude<keyof T, Tag>]: never }

/** The warnings among the entries of a table. */
type WarningIn<T> = Exclude<T, LoggedOnly>

/**
 * Closes a stage's failure channel: each failure becomes `orElse` plus the warning named for its tag.
 * `warnings` is total over the channel, so a failure without an entry does not compile.
 */
export const degrade = <
  A,
  E extends { readonly _tag: string },
  R,
  B,
  const T extends { readonly [Tag in E["_tag"]]: Warning | LoggedOnly }
>(
  stage: Effect.Effect<A, E, R>,
  options: { readonly orElse: (failure: E) => B; readonly warnings: ExactTable<E["_tag"], T> }
): Effect.Effect<Degraded<A | B, WarningIn<T[E["_tag"]]>>, never, R> =>
  Effect.matchEffect(stage, {
    onSuccess: (value) => Effect.succeed<Degraded<A | B, WarningIn<T[E["_tag"]]>>>({ value, warnings: [] }),
    onFailure: (failure: E) => {
      const entry: Warning | LoggedOnly = (options.warnings as T)[failure._tag as E["_tag"]]
      const value = options.orElse(failure)
      return typeof entry === "string"
        ? Effect.as(
          Effect.logDebug("degraded", { failure: failure._tag, warning: entry }),
          { value, warnings: [entry as WarningIn<T[E["_tag"]]>] }
        )
        : Effect.as(Effect.logWarning(entry.log, failure), { value, warnings: [] })
    }
  })
