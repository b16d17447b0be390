import { Clock, Effect, Schema } from "effect"
import type { Lane } from "../../../src/domain/Scope.ts"
import { OutboxWrite } from "../../../src/memory/outbox/OutboxRows.ts"
import { OutboxStore } from "../../../src/memory/outbox/OutboxStore.ts"

interface Row {
  readonly accountId: string
  readonly outboxId: string
  readonly lane: Lane
  readonly write: OutboxWrite
  attempts: number
  badAnswers: number
  availableAtMs: number
  isRefused: boolean
}

/**
 * What `OutboxStoreSql` does in the database, in this process, and how the settlements of `LedgerLocal` put writes
 * into it.
 */
export const makeOutbox = () => {
  /** In the order in which they were enqueued. */
  const rows = new Map<string, Row>()
  let enqueued = 0
  const waiting = (accountId: string): ReadonlyArray<Row> =>
    [...rows.values()].filter((row) => row.accountId === accountId && !row.isRefused)

  const enqueue = (accountId: string, row: Readonly<Record<string, unknown>>): void => {
    const outboxId = `write-${++enqueued}`
    const write = Schema.decodeUnknownSync(OutboxWrite)(row["write"])
    const fresh = { attempts: 0, badAnswers: 0, availableAtMs: 0, isRefused: false }
    rows.set(outboxId, { accountId, outboxId, lane: write.body.lane, write, ...fresh })
  }

  const store = OutboxStore.of({
    isWaiting: (accountId, lane) => Effect.sync(() => waiting(accountId).some((row) => row.lane === lane)),
    claim: (accountId, { leaseMs, rowsMax }) =>
      Effect.map(Clock.currentTimeMillis, (nowMs) => {
        const mine = waiting(accountId)
        const heads = new Map(mine.toReversed().map((row) => [row.lane, row]))
        const head = mine.find((row) => heads.get(row.lane) === row && row.availableAtMs <= nowMs)
        if (head === undefined) return []
        head.availableAtMs = nowMs + leaseMs
        return mine.filter(({ lane }) => lane === head.lane).slice(0, rowsMax)
          .map(({ attempts, badAnswers, outboxId, write }) => ({ attempts, badAnswers, outboxId, write }))
      }),
    settle: (_accountId, { delivered, failed, refused }) =>
      Effect.map(Clock.currentTimeMillis, (nowMs) => {
        for (const outboxId of delivered) rows.delete(outboxId)
        for (const outboxId of refused) {
          const row = rows.get(outboxId)
          if (row !== undefined) row.isRefused = true
        }
        const row = failed === null ? undefined : rows.get(failed.outboxId)
        if (failed === null || row === undefined) return
        row.attempts += 1
        row.badAnswers += failed.isBadAnswer ? 1 : 0
        row.availableAtMs = nowMs + failed.delayMs
      }),
    countWaiting: (accountId) => Effect.sync(() => waiting(accountId).length)
  })
  return { enqueue, store }
}
