/** Splits work into short turns of the event loop, so that other requests are answered in between. */
import { Context, Effect } from "effect"

/** Synchronous work that pauses after every turn of some milliseconds. */
export type CooperativeYield<A> = Generator<void, A>

/** Runs the work to its end. Other fibers run after every turn of the work. */
export const runCooperatively = <A>(work: CooperativeYield<A>): Effect.Effect<A> =>
  Effect.gen(function*() {
    for (;;) {
      const turn = work.next()
      if (turn.done === true) return turn.value
      yield* Effect.yieldNow
    }
  })

/** Runs a part of a request when the turn of this part comes. */
export type InTurn = <A, E, R>(part: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/**
 * Makes the {@link InTurn} of a request, which lets other requests run between the parts of this request. The
 * default runs every part at once, and a server replaces it.
 */
export const PartTurns = Context.Reference<Effect.Effect<InTurn>>(
  "sextant/resilience/CooperativeYield/PartTurns",
  { defaultValue: () => Effect.succeed<InTurn>((part) => part) }
)

/** Waits in a line until `next` is called. Returns the function that leaves the line. */
type Enter = (next: () => void) => () => void

/**
 * Makes a line for turns of the event loop, first come first served. In one turn of the event loop, at most
 * `turnMax` waiting functions are called.
 */
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

/**
 * Maximum number of requests that begin in one turn. The stages of these requests take about 10 ms together.
 * The number was measured.
 */
const requestsMax = 16

/** Calls `next` in a turn of the event loop in which only other requests begin. */
export const inRequestTurn: Enter = makeLine(requestsMax)

/**
 * The effect by which {@link inStep} waits. By default {@link inStep} does not wait, and a server replaces
 * this effect.
 */
export const Step = Context.Reference<Effect.Effect<void>>("sextant/resilience/CooperativeYield/Step", {
  defaultValue: () => Effect.void
})

/**
 * Pauses this request, so that the other running requests can come to the same point. The pipeline runs this
 * effect between two stages. So a stage runs for one request after the other, while the stage's code is in
 * the processor's caches.
 */
export const inStep: Effect.Effect<void> = Effect.flatten(Step)

const inOwnTurn = makeLine(1)

const ofEventLoop = Effect.callback<void>((resume) => {
  const leave = inOwnTurn(() => resume(Effect.void))
  return Effect.sync(leave)
})

/** The effect by which {@link ownTurn} waits. A test with its own scheduler replaces this effect. */
export const OwnTurn = Context.Reference<Effect.Effect<void>>("sextant/resilience/CooperativeYield/OwnTurn", {
  defaultValue: () => ofEventLoop
})

/**
 * Waits for a turn of the event loop that is not shared with other waiting work of this line. Run this effect
 * before work that takes milliseconds, so that other work runs in between.
 */
export const ownTurn: Effect.Effect<void> = Effect.flatten(OwnTurn)
