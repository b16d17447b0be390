import { Effect } from "effect"

/** Long work in turns of some milliseconds, a yield after each, so that others can be answered between. */
export type Turns<A> = Generator<void, A>

/** Lets others have theirs after every turn. */
export const inTurns = <A>(work: Turns<A>): Effect.Effect<A> =>
  Effect.gen(function*() {
    for (;;) {
      const turn = work.next()
      if (turn.done === true) return turn.value
      yield* Effect.yieldNow
    }
  })
