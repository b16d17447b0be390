/* One queue per account. Calls that arrive while a statement of the account runs share the next statement. */
import { Effect, Exit } from "effect"
import type { AccountId } from "../domain/Scope.ts"

/**
 * Time after which the account's next group no longer waits for a running group, ms. Most groups take 1 to 5
 * ms. Chosen.
 */
const slowMs = 20
/** Maximum time that calls of a busy process wait for others to join their group, ms. Chosen. */
const gatherMs = 8
/**
 * Length of a turn of the event loop from which the process is treated as busy, ms. A turn of an idle process
 * takes some 0.05 ms.
 */
const busyMs = 0.25

/**
 * Waits until the process is idle, `isEnough` returns true, or `gatherMs` are over. Waiting is worth it,
 * because one statement costs as much as several of its rows.
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

/** Waits for the other calls of this turn of the event loop. */
const endOfTurn: Effect.Effect<void> = Effect.callback((resume) => queueMicrotask(() => resume(Effect.void)))

/** A call that waits for its group. */
interface QueuedCall<A, B, E> {
  readonly item: A
  readonly end: (result: Exit.Exit<B, E>) => void
}

/** The waiting calls and running groups of one account. */
interface Queue<A, B, E> {
  /** Calls that no group has taken yet. */
  readonly waiting: Array<QueuedCall<A, B, E>>
  /** Number of fibers that run groups. Each of these fibers runs one group at a time. */
  runners: number
  /** Number of fibers whose group takes longer than `slowMs`. */
  slow: number
}

interface GroupRule<A, B, E> {
  /**
   * Maximum number of groups of an account that run at once. Another group starts only while a slow group or
   * a full group runs.
   */
  readonly groupsMax: number
  /**
   * Begins a group. The returned function receives the waiting items in order, and returns true for each item
   * that the group takes.
   */
  readonly begin: () => (item: A) => boolean
  /** Runs a group, and yields one result for each item, in order. */
  readonly run: (
    accountId: AccountId,
    items: ReadonlyArray<A>
  ) => Effect.Effect<ReadonlyArray<Exit.Exit<B, E>>>
}

const unanswered = Exit.die(new Error("A group says what becomes of each of its calls"))

/**
 * Runs the calls of an account in groups. Calls share a group if they arrive while the process is busy or
 * while an earlier group of the account runs. If no group runs and the last group had a single call, the next
 * group begins at once. The next group does not wait then, because another call would hardly join it.
 *
 * An interrupted call leaves the queue. If the group of an interrupted call has begun, the call may still
 * take effect. A group that dies fails only its own calls.
 */
export const makeGroups = Effect.fnUntraced(function*<A, B, E>(
  { begin, groupsMax, run }: GroupRule<A, B, E>
) {
  const fork = Effect.runForkWith(yield* Effect.context())
  const queues = new Map<AccountId, Queue<A, B, E>>()
  /**
   * Accounts whose last group had several calls. The set contains at most every account that the process
   * serves.
   */
  const joined = new Set<AccountId>()

  /** Takes the calls of the next group out of the queue. */
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
   * Runs one group. After `slowMs`, the account's next group may start while this group runs. Yields true if
   * calls wait or another fiber of the account runs groups.
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

  /** Runs groups one after the other until no call waits. */
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

  /**
   * Starts another fiber if all other fibers have slow groups, or if more calls wait than one group takes.
   */
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
