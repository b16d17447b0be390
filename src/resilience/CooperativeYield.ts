/** Long work in turns, so that it does not keep others waiting. */
import { Context, Effect } from "effect"

/** Long work in turns of some milliseconds, a yield after each, so that others can be answered between. */
export type CooperativeYield<A> = Generator<void, A>

/** Lets others have theirs after every turn. */
export const runCooperatively = <A>(work: CooperativeYield<A>): Effect.Effect<A> =>
  Effect.gen(function*() {
    for (;;) {
      const turn = work.next()
      if (turn.done === true) return turn.value
      yield* Effect.yieldNow
    }
  })

/** Runs one part of a request when it is its turn. */
export type InTurn = <A, E, R>(part: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/**
 * Gives the parts of a request turns of their own instead of the request's; at once outside of a server,
 * where no one else waits.
 */
export const PartTurns = Context.Reference<Effect.Effect<InTurn>>(
  "sextant/resilience/CooperativeYield/PartTurns",
  { defaultValue: () => Effect.succeed<InTurn>((part) => part) }
)

/** Those that wait for a turn of the event loop, in the order in which they came. */
const line = new Set<() => void>()
let isScheduled = false

const schedule = (): void => {
  if (isScheduled || line.size === 0) return
  isScheduled = true
  setImmediate(() => {
    isScheduled = false
    const [next] = line
    if (next === undefined) return
    line.delete(next)
    schedule()
    next()
  })
}

/** Calls `next` in a turn of the event loop that nothing else takes that asks for one. */
export const inOwnTurn = (next: () => void): void => {
  line.add(next)
  schedule()
}

const ofEventLoop = Effect.callback<void>((resume) => {
  const next = () => resume(Effect.void)
  inOwnTurn(next)
  return Effect.sync(() => void line.delete(next))
})

/** How {@link ownTurn} waits; a test that has a scheduler of its own gives another. */
export const OwnTurn = Context.Reference<Effect.Effect<void>>("sextant/resilience/CooperativeYield/OwnTurn", {
  defaultValue: () => ofEventLoop
})

/**
 * Goes on in a turn of the event loop of its own: before a stretch of work that takes milliseconds, so that
 * many such stretches that become due at once leave room for what comes in between.
 */
export const ownTurn: Effect.Effect<void> = Effect.flatten(OwnTurn)
