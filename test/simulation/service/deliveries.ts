import { Clock, Effect } from "effect"
import type { MemoryWrite } from "../../../src/domain/MemoryWrite.ts"
import type { Lane, LaneId } from "../../../src/domain/Scope.ts"
import { type Failures, noFailures, type SentReport } from "../../../src/memory/delivery/Delivery.ts"
import { DeliveryStore } from "../../../src/memory/delivery/DeliveryStore.ts"
import type * as LedgerLocal from "../../local/LedgerLocal.ts"

/** A report with waiting writes. */
interface Row extends LaneId {
  readonly revision: number
  readonly atMs: number
  writes: ReadonlyArray<MemoryWrite>
}

/** A lane that is behind. */
interface Behind extends Failures {
  readonly lane: Lane
  readonly nextAtMs: number
}

/** What `DeliveryStoreSql` does in the database, in this process, and how `LedgerLocal` leaves writes to it. */
export const makeDeliveries = () => {
  const rows = new Map<number, Row>()
  const answers = new Map<number, Parameters<LedgerLocal.Leave>[3]>()
  const behind = new Map<string, Map<Lane, Behind>>()
  const lanesOf = (accountId: string): Map<Lane, Behind> => {
    const lanes = behind.get(accountId) ?? new Map<Lane, Behind>()
    behind.set(accountId, lanes)
    return lanes
  }
  const waitingOf = (accountId: string): ReadonlyArray<Row> =>
    [...rows.values()].filter((row) => row.accountId === accountId).sort((one, other) => one.revision - other.revision)
  const waitingIn = ({ accountId, lane }: LaneId) => waitingOf(accountId).filter((row) => row.lane === lane)

  /** Takes what was sent from the report, unless it lacks nothing any more. */
  const take = ({ revision, waiting }: SentReport): void => {
    const row = rows.get(revision)
    if (row === undefined) return
    row.writes = waiting === 0 ? [] : row.writes.slice(-waiting)
    if (row.writes.length === 0) rows.delete(revision)
  }

  /** Takes the writes of a report that was appended. */
  const leave: LedgerLocal.Leave = (accountId, revision, writes, answered) =>
    Effect.map(Clock.currentTimeMillis, (atMs) => {
      const [first] = writes
      if (first === undefined) return
      rows.set(revision, { accountId, revision, lane: first.body.lane, atMs, writes })
      answers.set(revision, answered)
    })

  const store = DeliveryStore.of({
    isBehind: (accountId, lane) => Effect.sync(() => lanesOf(accountId).has(lane)),
    lease: (accountId, leaseMs, reportsMax) =>
      Effect.map(Clock.currentTimeMillis, (nowMs) => {
        const lanes = lanesOf(accountId)
        const [due] = [...lanes.values()].filter(({ nextAtMs }) => nextAtMs <= nowMs)
          .sort((one, other) => one.nextAtMs - other.nextAtMs)
        if (due === undefined) return null
        lanes.set(due.lane, { ...due, nextAtMs: nowMs + leaseMs })
        const reports = waitingIn({ accountId, lane: due.lane }).slice(0, reportsMax).map(({ revision, writes }) =>
          ({ revision, writes: writes.map((write) => Effect.succeed(write)) }))
        return { ...due, reports }
      }),
    record: (accountId, lane, sent, next, response) =>
      Effect.map(Clock.currentTimeMillis, (nowMs) => {
        for (const report of sent.filter(({ written }) => written.length > 0)) {
          take(report)
          if (response !== undefined) answers.get(report.revision)?.(response, nowMs)
        }
        if (next === null) return
        const { delayMs, ...failures } = next
        lanesOf(accountId).set(lane, { ...failures, lane, nextAtMs: nowMs + delayMs })
        if (waitingIn({ accountId, lane }).length === 0) lanesOf(accountId).delete(lane)
      }),
    recover: (accountId, ageMs) =>
      Effect.map(Clock.currentTimeMillis, (nowMs) => {
        const lanes = lanesOf(accountId)
        const before = lanes.size
        for (const { atMs, lane } of waitingOf(accountId)) {
          if (atMs < nowMs - ageMs && !lanes.has(lane)) lanes.set(lane, { ...noFailures, lane, nextAtMs: nowMs })
        }
        return lanes.size - before
      }),
    countWaiting: (accountId) => Effect.sync(() => waitingOf(accountId).length)
  })
  return { leave, store, waiting: (accountId: string): number => waitingOf(accountId).length }
}
