import { Context, Effect } from "effect"

/** What undoes the writes of the settlement that this fiber is in; null outside one. */
export const LocalRollback = Context.Reference<Array<() => void> | null>("sextant/testing/LocalRollback", {
  defaultValue: () => null
})

/** Says how to take back what was just written, should the settlement around it fail. */
export const onRollback = (step: () => void): Effect.Effect<void> =>
  Effect.map(LocalRollback, (undo) => {
    undo?.push(step)
  })
