/* Settles feedbacks of one account as a group, in one transaction and with one wait for the disk. */
import { Array as Arr, Context, Deferred, Effect, Exit, PartitionedSemaphore } from "effect"
import { SqlClient } from "effect/sql"
import type { FeedbackResponse } from "../../domain/Feedback.ts"
import type { AccountId } from "../../domain/Scope.ts"
import { deadline } from "../../resilience/Deadline.ts"
import { databaseSettings } from "../../sql/DatabaseSettings.ts"
import { poolShare } from "../../sql/PoolShare.ts"
import { type Claim, LedgerUnavailable, type SettledFeedback } from "../Ledger.ts"
import type { PlannedSettlement } from "../Settlement.ts"
import { settleOnce } from "./Settle.ts"
import { settleBatch, type ClaimedResponse } from "./SettleBatch.ts"
import { makeSettlePlanned, type PlannedMember } from "./SettlePlanned.ts"

/** A settlement that waits for its turn. */
interface Member {
  readonly claim: Claim
  readonly work: Effect.Effect<FeedbackResponse, unknown>
  /** The same as values, for one statement; null where the work alone can do it. */
  readonly planned: PlannedSettlement | null
  /** What a group settled, or null: settle alone. */
  readonly turn: Deferred.Deferred<SettledFeedback | null>
  /** Completed when the caller has its answer, or is interrupted. */
  readonly end: Deferred.Deferred<void>
}

/** Gives each member of a committed group its answer. */
const answerMembers = Effect.fnUntraced(function*(
  members: Arr.NonEmptyReadonlyArray<Member>,
  claimed: ReadonlyMap<string, ClaimedResponse>
) {
  const answered = new Set<string>()
  for (const { claim: { fingerprint, idempotencyKey }, turn } of members) {
    const known = claimed.get(idempotencyKey)
    const isFirst = known?.isNew === true && !answered.has(idempotencyKey)
    answered.add(idempotencyKey)
    const settled: SettledFeedback | null = known === undefined ? null : {
      response: known.response,
      claim: isFirst ? "first" : known.fingerprint === fingerprint ? "same" : "other"
    }
    yield* Deferred.succeed(turn, settled)
  }
})

/** Whether a member can be settled by its plan. */
const isPlanned = (member: Member): member is Member & PlannedMember =>
  member.planned !== null && member.claim.about !== undefined

/** What no two members of a group may share: the decision, and of planned ones the key. */
const uniqueIn = (member: Member): ReadonlyArray<string> => {
  const { about, idempotencyKey } = member.claim
  return [
    ...(about === undefined ? [] : [`decision ${about.recommendationId}`]),
    ...(isPlanned(member) ? [`key ${idempotencyKey}`] : [])
  ]
}

/**
 * Takes the next group out of a queue, in its order: at most one report of each decision, and either planned
 * members or such as have a work alone.
 */
const nextGroup = (waiting: Array<Member>, membersMax: number): Array<Member> => {
  const group: Array<Member> = []
  const taken = new Set<string>()
  const [first] = waiting
  const isOfKind = first !== undefined && isPlanned(first) ? isPlanned : (each: Member) => !isPlanned(each)
  for (let at = 0; at < waiting.length && group.length < membersMax;) {
    const member = waiting[at]
    const own = member === undefined ? [] : uniqueIn(member)
    if (member === undefined || !isOfKind(member) || own.some((each) => taken.has(each))) {
      at++
      continue
    }
    for (const each of own) taken.add(each)
    group.push(...waiting.splice(at, 1))
  }
  return group
}

/**
 * The queues of accounts that have settlements under way. `settleAll` settles one group; the groups of a
 * queue run one after the other, each waiting at most `groupMs` for members that settle alone.
 */
const makeQueues = Effect.fnUntraced(function*(
  settleAll: (
    accountId: AccountId,
    members: Arr.NonEmptyReadonlyArray<Member>
  ) => Effect.Effect<void, never, SqlClient.SqlClient>
) {
  const own = yield* Effect.context<SqlClient.SqlClient>()
  const queues = new Map<AccountId, Array<Member>>()

  /** Settles group after group until no member waits. */
  const serve = Effect.fnUntraced(function*(accountId: AccountId, waiting: Array<Member>) {
    for (;;) {
      const members = nextGroup(waiting, databaseSettings.settledTogether)
      if (!Arr.isArrayNonEmpty(members)) break
      yield* settleAll(accountId, members)
    }
    queues.delete(accountId)
  })

  return {
    /** Adds a member to its account's queue. Uninterruptible: a queue that is there is being served. */
    join: (member: Member) =>
      Effect.uninterruptible(Effect.suspend(() => {
        const { accountId } = member.claim
        const queue = queues.get(accountId)
        if (queue !== undefined) {
          queue.push(member)
          return Effect.void
        }
        const waiting = [member]
        queues.set(accountId, waiting)
        // A group belongs to no caller: the interruption of one must not stop the others.
        return serve(accountId, waiting).pipe(
          Effect.updateContext((_: Context.Context<never>) => own),
          Effect.interruptible,
          Effect.forkDetach
        )
      })),
    /** Takes a member out of its queue once its caller is answered or interrupted. */
    leave: (member: Member) =>
      Effect.suspend(() => {
        const waiting = queues.get(member.claim.accountId) ?? []
        const at = waiting.indexOf(member)
        if (at >= 0) waiting.splice(at, 1)
        return Deferred.succeed(member.end, undefined)
      })
  }
})

/**
 * Settles each claim once, as {@link settleOnce} does. Settlements that arrive while others of their
 * account are under way wait for those, and then share one transaction: its start, its end, its locks and
 * its wait for the disk. A settlement that finds none under way settles alone, as soon as
 * a permit is free.
 *
 * Each settlement keeps its guarantee. A group commits as a whole before any of its callers is answered.
 * When a work fails, or a statement whose failure a work has hidden, or the connection, or the commit, every
 * member settles again by itself: the failure of one is not the failure of another. The group has left no
 * trace, or its claims show that it committed. A caller that is interrupted
 * before its group has started takes no part in it; later, its work may commit with the group, which does
 * not wait for the caller.
 */
export const makeGroupCommit = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const { groupMs } = databaseSettings
  const { settlements } = yield* poolShare
  // Decisions, keys and recall keep connections even when settlements wait for locks; accounts take turns.
  const settling = yield* PartitionedSemaphore.make<AccountId>({ permits: settlements })

  const settlePlanned = makeSettlePlanned()

  /** Waits for members that settle alone, but not longer than for a group. */
  const endOf = (members: ReadonlyArray<Member>) =>
    Effect.forEach(members, ({ end }) => Deferred.await(end), { discard: true }).pipe(
      Effect.timeoutOption(groupMs)
    )

  /** Settles planned members in one statement, and has those that it leaves out settle alone. */
  const settleTogether = Effect.fnUntraced(function*(accountId: AccountId, members: ReadonlyArray<Member>) {
    const beginning = Effect.suspend(() =>
      settlePlanned(accountId, members.filter(isPlanned).filter(({ end }) => !Deferred.isDoneUnsafe(end))))
    const outcome = yield* beginning.pipe(
      deadline(groupMs, () => LedgerUnavailable.timedOut(groupMs)),
      settling.withPermit(accountId),
      Effect.exit
    )
    const responses: ReadonlyMap<Member, FeedbackResponse> = Exit.isSuccess(outcome)
      ? outcome.value
      : new Map()
    yield* Effect.forEach(members, (member) => {
      const response = responses.get(member)
      const settled: SettledFeedback | null = response === undefined ? null : { response, claim: "first" }
      return Deferred.succeed(member.turn, settled)
    }, { discard: true })
    return members.filter((member) => !responses.has(member))
  })

  /** Settles a group in one transaction, or else has each member settle alone. */
  const settleAll = Effect.fnUntraced(function*(
    accountId: AccountId,
    members: Arr.NonEmptyReadonlyArray<Member>
  ) {
    if (members.some(isPlanned)) {
      const left = yield* settleTogether(accountId, members)
      return yield* endOf(left)
    }
    // Chosen when the group begins: it may have waited for its permit longer than its callers waited.
    const beginning = Effect.suspend(() =>
      settleBatch(accountId, members.filter(({ end }) => !Deferred.isDoneUnsafe(end))))
    const outcome = members.length === 1 ? null : yield* beginning.pipe(
      deadline(groupMs, () => LedgerUnavailable.timedOut(groupMs)),
      settling.withPermit(accountId),
      Effect.exit
    )
    if (outcome !== null && Exit.isSuccess(outcome)) return yield* answerMembers(members, outcome.value)
    yield* Effect.forEach(members, ({ turn }) => Deferred.succeed(turn, null), { discard: true })
    yield* endOf(members)
  })
  const { join, leave } = yield* makeQueues(settleAll)

  return Effect.fnUntraced(function*<E, R>(
    claim: Claim,
    work: Effect.Effect<FeedbackResponse, E, R>,
    planned: PlannedSettlement | null = null
  ): Effect.fn.Return<SettledFeedback, E | LedgerUnavailable, R> {
    const services = yield* Effect.context<R>()
    const member: Member = {
      claim,
      // The caller's services over those of the group, whose transaction they do not hide.
      work: Effect.updateContext(work, (group: Context.Context<never>) => Context.merge(group, services)),
      planned,
      turn: yield* Deferred.make<SettledFeedback | null>(),
      end: yield* Deferred.make<void>()
    }
    // A work that has failed already only asks whether its claim is settled; it would fail its group.
    const joined = Effect.andThen(join(member), Deferred.await(member.turn))
    const turn = Exit.isExit(work) && Exit.isFailure(work)
      ? Effect.succeed(null)
      : planned?.writes.around?.(joined) ?? joined
    return yield* turn.pipe(
      Effect.flatMap((settled) => settled !== null ? Effect.succeed(settled) : settleOnce(claim, work).pipe(
        settling.withPermit(claim.accountId),
        Effect.provideService(SqlClient.SqlClient, sql)
      )),
      Effect.ensuring(leave(member))
    )
  })
})
