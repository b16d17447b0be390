/* The votes that were answered and wait to be counted, in memory; a few are counted at a time. */
import { Effect, Queue } from "effect"
import type { VoteRequest } from "../../domain/Vote.ts"
import { ReaderVotes } from "../../engine/ReaderVotes.ts"
import type { LedgerUnavailable } from "../../ledger/Ledger.ts"
import { makeTurns } from "../../resilience/Turns.ts"
import { limitSettings } from "../limits/LimitSettings.ts"

const { votesAtOnce, votesPauseMs, votesStopMs, votesWaitingMax } = limitSettings

interface WaitingVote {
  readonly token: string
  readonly vote: VoteRequest
}

/** A bounded queue, and the last vote of each token, which counts, until it has ended. Mutable. */
const makeVotes = Effect.map(Queue.dropping<WaitingVote>(votesWaitingMax), (queue) => {
  const last = new Map<string, WaitingVote>()
  const isLast = (each: WaitingVote) => last.get(each.token) === each
  return {
    isLast,
    take: Queue.take(queue),
    all: Effect.sync(() => [...last.values()]),
    /** False where there is no room. */
    add: (vote: WaitingVote): boolean => {
      const hasRoom = (last.size < votesWaitingMax || last.has(vote.token)) && Queue.offerUnsafe(queue, vote)
      if (hasRoom) last.set(vote.token, vote)
      return hasRoom
    },
    /** Adds a vote again, unless a later one of its token came meanwhile; false where there is no room. */
    addAgain: (vote: WaitingVote): boolean => !isLast(vote) || Queue.offerUnsafe(queue, vote),
    end: (vote: WaitingVote) => {
      if (isLast(vote)) last.delete(vote.token)
    }
  }
})

/**
 * Counts votes in the background, so that an answer says nothing of a token, by its status or by its time.
 * One that cannot be counted now waits again behind the others. Those that wait when the process stops are
 * counted then, for some seconds. Yields what adds one; false when too many wait.
 */
export const makeWaitingVotes = Effect.gen(function*() {
  const { cast } = yield* ReaderVotes
  const { add, addAgain, all, end, isLast, take } = yield* makeVotes
  const inTurn = makeTurns<string>()
  // Two votes of a token that are counted at once could end in the wrong order.
  const castLast = (each: WaitingVote) =>
    inTurn(each.token)(Effect.suspend(() => isLast(each) ? cast(each.token, each.vote) : Effect.void))
  const endOf = (each: WaitingVote) => Effect.sync(() => end(each))
  const lost = (each: WaitingVote) => (why: unknown) =>
    Effect.andThen(endOf(each), Effect.logError("A reader's vote is lost", why))
  const again = (each: WaitingVote, failure: LedgerUnavailable) =>
    failure.reason.isRetryable && addAgain(each) ? Effect.sleep(votesPauseMs) : lost(each)(failure)
  const count = (each: WaitingVote) =>
    castLast(each).pipe(
      Effect.andThen(endOf(each)),
      Effect.catch((failure) => again(each, failure)),
      Effect.catchDefect(lost(each))
    )
  const countAll = Effect.gen(function*() {
    for (const each of yield* all) {
      yield* castLast(each).pipe(Effect.catch(lost(each)), Effect.catchDefect(lost(each)))
    }
  })
  yield* Effect.addFinalizer(() =>
    Effect.catch(Effect.timeout(countAll, votesStopMs), (late) =>
      Effect.logError("The readers' votes that still wait are lost", late)))
  const worker = Effect.forever(Effect.flatMap(take, count))
  for (let index = 0; index < votesAtOnce; index++) yield* Effect.forkScoped(worker)
  return (token: string, vote: VoteRequest) => Effect.sync(() => add({ token, vote }))
})
