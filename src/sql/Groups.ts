/* One queue per account. Calls that arrive while a statement of the account runs share the next statement. */
import { Effect, Exit } from "effect"
import type { AccountId } from "../domain/Scope.ts"

/** Time after which a running group counts as slow, so that the next group may start, ms. Chosen. */
const slowMs = 20
/** Maximum time that calls of a busy process wait for others to join their group, ms. Chosen. */
const gatherMs = 8
/** Length of a turn of the event loop from which the process counts as busy, ms. */
const busyMs = 0.25

/** Waits until the process is idle, `isEnough` returns true, or `gatherMs` have passed. */
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

/** Waits for a microtask, so that calls made at the same moment can join. */
const endOfTurn: Effect.Effect<void> = Effect.callback((resume) => queueMicrotask(() => resume(Effect.void)))

interface QueuedCall<A, B, E> {
  readonly item: A
  readonly end: (result: Exit.Exit<B, E>) => void
}

interface Queue<A, B, E> {
  readonly waiting: Array<QueuedCall<A, B, E>>
  /** Number of fibers that run the account's groups. */
  runners: number
  /** Number of fibers whose group takes longer than `slowMs`. */
  slow: number
}

interface GroupRule<A, B, E> {
  /**
   * Maximum number of an account's groups of calls that run at once. A group starts beside running groups
   * only if these are all slow, or if the waiting calls do not fit into one group.
   */
  readonly groupsMax: number
  /** The returned function receives the waiting items in order, and returns true for each it takes. */
  readonly begin: () => (item: A) => boolean
  readonly run: (
    accountId: AccountId,
    items: ReadonlyArray<A>
  ) => Effect.Effect<ReadonlyArray<Exit.Exit<B, E>>>
}

const unanswered = Exit.die(new Error("A group says what becomes of each of its calls"))

/**
 * Runs the calls of an account in groups. Calls may share a group if they arrive at the same moment, while
 * the process is busy, or while an earlier group of the account runs. An interrupted call leaves the queue;
 * if its group has begun, it may still take effect. A group that dies fails only its own calls.
 */
export const makeGroups = Effect.fnUntraced(function*<A, B, E>(
  { begin, groupsMax, run }: GroupRule<A, B, E>
) {
  const fork = Effect.runForkWith(yield* Effect.context())
  const queues = new Map<AccountId, Queue<A, B, E>>()
  /** Accounts whose last group had several calls. */
  const joined = new Set<AccountId>()

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

  /** Runs one group. True if calls wait or another fiber of the account runs groups. */
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
