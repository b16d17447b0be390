/* One queue per account: calls that come while a statement of their account is under way share the next. */
import { Effect, Exit } from "effect"
import type { AccountId } from "../domain/Scope.ts"

/** From when on a group holds up its account's next no longer, ms: most take one to five. Chosen. */
const slowMs = 20
/** Longest that calls wait for others to join them, ms, while other requests are worked at. Chosen. */
const gatherMs = 8
/** Turn of the event loop from which on something is worked at, ms: an idle one takes some 0.05. */
const busyMs = 0.25

/**
 * Waits until the process has nothing else to work at or `isEnough`, and no longer than `gatherMs`: a
 * statement costs as much as several of its rows.
 */
export const gathered = (isEnough: () => boolean): Effect.Effect<void> =>
  Effect.callback((resume) => {
    const beganMs = performance.now()
    let turnMs = beganMs
    const look = () => {
      const nowMs = performance.now()
      if (nowMs - turnMs < busyMs || nowMs - beganMs >= gatherMs || isEnough()) return resume(Effect.void)
      turnMs = nowMs
      next = setImmediate(look)
    }
    let next = setImmediate(look)
    return Effect.sync(() => clearImmediate(next))
  })

/** Waits until what comes in this turn of the event loop has come. */
const endOfTurn: Effect.Effect<void> = Effect.callback((resume) => queueMicrotask(() => resume(Effect.void)))

/** A call that waits for its group. */
interface QueuedCall<A, B, E> {
  readonly item: A
  readonly end: (result: Exit.Exit<B, E>) => void
}

/** What is under way for one account. */
interface Queue<A, B, E> {
  /** Calls that no group has taken yet. */
  readonly waiting: Array<QueuedCall<A, B, E>>
  /** Fibers that run its groups one after the other, and how many of them have a slow group under way. */
  runners: number
  slow: number
}

interface GroupRule<A, B, E> {
  /** Most groups of an account under way, count: more than one only while one is slow or the next is full. */
  readonly groupsMax: number
  /** A function for each group, which says of each item that waits, in order, whether the group takes it. */
  readonly begin: () => (item: A) => boolean
  /** Runs a group, and yields what becomes of each of its items. */
  readonly run: (
    accountId: AccountId,
    items: ReadonlyArray<A>
  ) => Effect.Effect<ReadonlyArray<Exit.Exit<B, E>>>
}

const unanswered = Exit.die(new Error("A group says what becomes of each of its calls"))

/**
 * Runs calls of one account in groups: those that come while the process is busy (`gathered`), or the
 * account's group before is under way. Where nothing of the account is under way and its last group was of
 * one call, a group begins at once: another call would hardly join it. A group belongs to no caller: an
 * interrupted call leaves its queue, and once its group has begun it may have its effect. A group that dies
 * ends its own calls, and holds up no other.
 */
export const makeGroups = Effect.fnUntraced(function*<A, B, E>(
  { begin, groupsMax, run }: GroupRule<A, B, E>
) {
  const fork = Effect.runForkWith(yield* Effect.context())
  const queues = new Map<AccountId, Queue<A, B, E>>()
  /** Accounts whose last group was of several calls: at most all that this process serves. */
  const joined = new Set<AccountId>()

  /** Takes the calls of the next group out of those that wait. */
  const nextGroup = ({ waiting }: Queue<A, B, E>): ReadonlyArray<QueuedCall<A, B, E>> => {
    const isTaken = begin()
    const group: Array<QueuedCall<A, B, E>> = []
    const left = waiting.filter((call) => {
      const isNext = isTaken(call.item)
      if (isNext) group.push(call)
      return !isNext
    })
    waiting.splice(0, waiting.length, ...left)
    return group
  }

  const hasMoreThanOneGroup = ({ waiting }: Queue<A, B, E>): boolean => {
    const isTaken = begin()
    return waiting.some(({ item }) => !isTaken(item))
  }

  /**
   * Runs one group; from `slowMs` on its account's next calls need not wait for it. It yields whether calls
   * came while it was under way, or another is.
   */
  const runGroup = (accountId: AccountId, queue: Queue<A, B, E>, calls: ReadonlyArray<QueuedCall<A, B, E>>) =>
    Effect.suspend(() => {
      let isSlow = false
      const timer = setTimeout(() => {
        isSlow = true
        queue.slow++
        if (queue.waiting.length > 0) addRunner(accountId, queue)
      }, slowMs)
      const work = Effect.suspend(() => run(accountId, calls.map(({ item }) => item)))
      return Effect.map(Effect.exit(work), (all) => {
        clearTimeout(timer)
        if (isSlow) queue.slow--
        const isFollowed = queue.waiting.length > 0 || queue.runners > 1
        calls.forEach(({ end }, at) =>
          end(Exit.isSuccess(all) ? all.value[at] ?? unanswered : Exit.failCause(all.cause)))
        return isFollowed
      })
    })

  /** Runs group after group until no call waits. */
  const runAll = Effect.fnUntraced(function*(accountId: AccountId, queue: Queue<A, B, E>) {
    let isUnderWay = queue.runners > 1
    do {
      const isLone = !isUnderWay && !joined.has(accountId)
      yield* isLone ? endOfTurn : gathered(() => hasMoreThanOneGroup(queue))
      const calls = nextGroup(queue)
      if (calls.length === 0) break
      if (calls.length > 1) joined.add(accountId)
      else joined.delete(accountId)
      isUnderWay = yield* runGroup(accountId, queue, calls)
    } while (queue.waiting.length > 0)
    queue.runners--
    if (queue.runners === 0) queues.delete(accountId)
  })

  /** Starts another runner where all others have a slow group under way, or a full group waits. */
  const addRunner = (accountId: AccountId, queue: Queue<A, B, E>): void => {
    if (queue.runners >= groupsMax) return
    if (queue.runners > queue.slow && !hasMoreThanOneGroup(queue)) return
    queue.runners++
    fork(runAll(accountId, queue))
  }

  return (accountId: AccountId, item: A): Effect.Effect<B, E> =>
    Effect.callback((resume) => {
      const call: QueuedCall<A, B, E> = { item, end: resume }
      const queue: Queue<A, B, E> = queues.get(accountId) ?? { waiting: [], runners: 0, slow: 0 }
      queues.set(accountId, queue)
      queue.waiting.push(call)
      addRunner(accountId, queue)
      return Effect.sync(() => {
        const at = queue.waiting.indexOf(call)
        if (at >= 0) queue.waiting.splice(at, 1)
      })
    })
})
