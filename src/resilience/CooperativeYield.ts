/** Splits work into short turns of the event loop, so that other requests are answered in between. */
import { Context, Effect } from "effect"

export type CooperativeYield<A> = Generator<void, A>

/** Runs the work turn by turn, and lets other fibers run between two turns. */
export const runCooperatively = <A>(work: CooperativeYield<A>): Effect.Effect<A> =>
  Effect.gen(function*() {
    for (;;) {
      const turn = work.next()
      if (turn.done === true) return turn.value
      yield* Effect.yieldNow
    }
  })

export type InTurn = <A, E, R>(part: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/** Yields the function by which a server may make each part of a request wait for its turn. */
export const PartTurns = Context.Reference<Effect.Effect<InTurn>>(
  "sextant/resilience/CooperativeYield/PartTurns",
  { defaultValue: () => Effect.succeed<InTurn>((part) => part) }
)

/** Adds a function to a line of waiting functions, and returns a function that removes it from the line. */
type Enter = (next: () => void) => () => void

/** First come first served. In one turn, at most `turnMax` waiting functions are called. */
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

/** Maximum number of requests that begin in one turn of the event loop. Measured. */
const requestsMax = 16

/** Calls `next`, which begins a request, in a later turn of the event loop. */
export const inRequestTurn: Enter = makeLine(requestsMax)

/** The effect by which {@link inStep} waits. Outside of a server, `inStep` does not wait. */
export const Step = Context.Reference<Effect.Effect<void>>("sextant/resilience/CooperativeYield/Step", {
  defaultValue: () => Effect.void
})

/** Lets other requests run between two stages of a request. */
export const inStep: Effect.Effect<void> = Effect.flatten(Step)

const inOwnTurn = makeLine(1)

const ofEventLoop = Effect.callback<void>((resume) => {
  const leave = inOwnTurn(() => resume(Effect.void))
  return Effect.sync(leave)
})

export const OwnTurn = Context.Reference<Effect.Effect<void>>("sextant/resilience/CooperativeYield/OwnTurn", {
  defaultValue: () => ofEventLoop
})

/** Waits for a later turn of the event loop, as is needed before work that takes milliseconds. */
export const ownTurn: Effect.Effect<void> = Effect.flatten(OwnTurn)
