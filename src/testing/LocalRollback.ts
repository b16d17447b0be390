/* Takes the changes of in-process drivers back when a settlement fails. */
import { Context, Effect } from "effect"

/** The steps that undo the current settlement's writes; null outside a settlement. */
export const LocalRollback = Context.Reference<Array<() => void> | null>("sextant/testing/LocalRollback", {
  defaultValue: () => null
})

/** Adds a step that undoes what was just written, in case the settlement fails. */
export const onRollback = (step: () => void): Effect.Effect<void> =>
  Effect.map(LocalRollback, (undo) => {
    undo?.push(step)
  })
