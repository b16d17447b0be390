/** Splits work into short turns of the event loop, so that other requests are answered in between. */
import { Context, Effect } from "effect"

/** Synchronous work that yields after every turn of some milliseconds. */
export type CooperativeYield<A> = Generator<void, A>

/** Runs the work to its end. Other fibers run after every turn. */
export const runCooperatively = <A>(work: CooperativeYield<A>): Effect.Effect<A> =>
  Effect.gen(function*() {
    for (;;) {
      const turn = work.next()
      if (turn.done === true) return turn.value
      yield* Effect.yieldNow
    }
  })

/** Runs a part of a request when its turn comes. */
export type InTurn = <A, E, R>(part: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/**
 * Makes the {@link InTurn} of a request, which lets other requests run between its parts. The default runs
 * every part at once, and a server replaces it.
 */
export const PartTurns = Context.Reference<Effect.Effect<InTurn>>(
  "sextant/resilience/CooperativeYield/PartTurns",
  { defaultValue: () => Effect.succeed<InTurn>((part) => part) }
)

/** Waits in a line until `next` is called. Returns a function that leaves the line. */
type Enter = (next: () => void) => () => void

/** Makes a line for turns of the event loop, first come first served. A turn calls at most `turnMax`. */
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

/** Most requests that begin in one turn, count. Their stages take about 10 ms together. Measured. */
const requestsMax = 16

/** Calls `next` in a turn of the event loop in which only other requests begin. */
export const inRequestTurn: Enter = makeLine(requestsMax)

/** The wait of {@link inStep}. The default does not wait, and a server replaces it. */
export const Step = Context.Reference<Effect.Effect<void>>("sextant/resilience/CooperativeYield/Step", {
  defaultValue: () => Effect.void
})

/**
 * Lets the other running requests come to the same point. The pipeline runs it between two stages. A stage
 * then runs for one request after the other, while its code is in the processor's caches.
 */
export const inStep: Effect.Effect<void> = Effect.flatten(Step)

const inOwnTurn = makeLine(1)

const ofEventLoop = Effect.callback<void>((resume) => {
  const leave = inOwnTurn(() => resume(Effect.void))
  return Effect.sync(leave)
})

/** The wait of {@link ownTurn}. A test with its own scheduler replaces it. */
export const OwnTurn = Context.Reference<Effect.Effect<void>>("sextant/resilience/CooperativeYield/OwnTurn", {
  defaultValue: () => ofEventLoop
})

/**
 * Waits for a turn of the event loop that nothing else from this line shares. Run it before work that takes
 * milliseconds, so that other work runs in between.
 */
export const ownTurn: Effect.Effect<void> = Effect.flatten(OwnTurn)
