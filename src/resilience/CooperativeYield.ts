/** Long work on the event loop in short turns, so that other requests are answered in between. */
import { Context, Effect } from "effect"

/** Synchronous work that yields after every turn of some milliseconds. */
export type CooperativeYield<A> = Generator<void, A>

/** Runs the work to its end; other fibers run after every turn. */
export const runCooperatively = <A>(work: CooperativeYield<A>): Effect.Effect<A> =>
  Effect.gen(function*() {
    for (;;) {
      const turn = work.next()
      if (turn.done === true) return turn.value
      yield* Effect.yieldNow
    }
  })

/** Runs one part of a request when that part has its turn. */
export type InTurn = <A, E, R>(part: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/**
 * Makes what runs the parts of a request in turns of their own, so that other requests run between them. The
 * default, outside of a server, runs every part at once.
 */
export const PartTurns = Context.Reference<Effect.Effect<InTurn>>(
  "sextant/resilience/CooperativeYield/PartTurns",
  { defaultValue: () => Effect.succeed<InTurn>((part) => part) }
)

/** Waits in a line; yields what leaves it. */
type Enter = (next: () => void) => () => void

/** A line for turns of the event loop, first come first served: so many callbacks at most share a turn. */
const makeLine = (turnMax: number): Enter => {
  const line = new Set<() => void>()
  let isScheduled = false
  const schedule = (): void => {
    if (isScheduled || line.size === 0) return
    isScheduled = true
    setImmediate(() => {
      isScheduled = false
      const turn: Array<() => void> = []
      for (const next of line) {
        if (turn.length === turnMax) break
        turn.push(next)
      }
      for (const next of turn) line.delete(next)
      schedule()
      for (const next of turn) next()
    })
  }
  return (next) => {
    line.add(next)
    schedule()
    return () => void line.delete(next)
  }
}

/** Requests that begin in one turn, count: their stages fit into about 10 ms. Measured. */
const requestsMax = 16

/** Calls `next` in a turn of the event loop in which only other requests begin. */
export const inRequestTurn: Enter = makeLine(requestsMax)

/** How {@link inStep} waits: not at all outside of a server. */
export const Step = Context.Reference<Effect.Effect<void>>("sextant/resilience/CooperativeYield/Step", {
  defaultValue: () => Effect.void
})

/**
 * Lets the other requests under way come to the same point. The pipeline runs it between two stages: a stage
 * then runs for one request after the other, while its code and tables are in the processor's caches.
 */
export const inStep: Effect.Effect<void> = Effect.flatten(Step)

const inOwnTurn = makeLine(1)

const ofEventLoop = Effect.callback<void>((resume) => {
  const leave = inOwnTurn(() => resume(Effect.void))
  return Effect.sync(leave)
})

/** How {@link ownTurn} waits; a test with its own scheduler replaces it. */
export const OwnTurn = Context.Reference<Effect.Effect<void>>("sextant/resilience/CooperativeYield/OwnTurn", {
  defaultValue: () => ofEventLoop
})

/**
 * Waits for a turn of the event loop of its own. To be run before work that takes milliseconds: when much of
 * it becomes due at once, other work runs in between.
 */
export const ownTurn: Effect.Effect<void> = Effect.flatten(OwnTurn)
