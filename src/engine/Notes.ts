/** Collects the warnings of one request, and replaces the result of a failed stage by a fallback. */
import { Effect } from "effect"
import type { RecommendWarning } from "../domain/Warning.ts"

/** A mutable list of warnings in the order of the stages. */
export class Notes {
  #said: Array<RecommendWarning | Notes> | null = null

  add(...warnings: ReadonlyArray<RecommendWarning>): void {
    if (warnings.length > 0) (this.#said ??= []).push(...warnings)
  }

  /** Reserves a place in the order of warnings for a stage that runs concurrently. */
  place(): Notes {
    const notes = new Notes()
    ;(this.#said ??= []).push(notes)
    return notes
  }

  get warnings(): ReadonlyArray<RecommendWarning> {
    return this.#said?.flatMap((each) => each instanceof Notes ? each.warnings : [each]) ?? []
  }
}

/** The log line of a failure that needs no warning. */
interface LoggedOnly {
  readonly log: string
}

type ExactTable<Tag extends string, T> = T & { readonly [Extra in Exclude<keyof T, Tag>]: never }

/**
 * Replaces a stage's failure by `orElse`, and adds the failure's warning or writes its log line. A failure
 * tag that `warnings` leaves out does not compile.
 */
export const degrade = <
  A,
  E extends { readonly _tag: string },
  R,
  B,
  const T extends { readonly [Tag in E["_tag"]]: RecommendWarning | LoggedOnly }
>(
  notes: Notes,
  stage: Effect.Effect<A, E, R>,
  options: { readonly orElse: (failure: E) => B; readonly warnings: ExactTable<E["_tag"], T> }
): Effect.Effect<A | B, never, R> =>
  Effect.catch(stage, (failure: E) => {
    const entry: RecommendWarning | LoggedOnly = (options.warnings as T)[failure._tag as E["_tag"]]
    const value = options.orElse(failure)
    if (typeof entry !== "string") return Effect.as(Effect.logWarning(entry.log, failure), value)
    notes.add(entry)
    return Effect.as(Effect.logDebug("degraded", { failure: failure._tag, warning: entry }), value)
  })
