import { Clock, Effect, Layer } from "effect"
import type { Lane } from "../../../src/domain/Scope.ts"
import type { OutboxWrite } from "../../../src/memory/outbox/OutboxRows.ts"
import { OutboxStore } from "../../../src/memory/outbox/OutboxStore.ts"
import { onRollback } from "../../../src/testing/LocalRollback.ts"

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

const make = Effect.sync(() => {
  /** In the order in which they were enqueued. */
  const rows = new Map<string, Row>()
  let enqueued = 0
  const waiting = (accountId: string): ReadonlyArray<Row> =>
    [...rows.values()].filter((row) => row.accountId === accountId && !row.isRefused)

  return OutboxStore.of({
    isWaiting: (accountId, lane) => Effect.sync(() => waiting(accountId).some((row) => row.lane === lane)),
    enqueue: (accountId, write) =>
      Effect.suspend(() => {
        const outboxId = `write-${++enqueued}`
        const { lane } = write.body
        const fresh = { attempts: 0, badAnswers: 0, availableAtMs: 0, isRefused: false }
        rows.set(outboxId, { accountId, outboxId, lane, write, ...fresh })
        return onRollback(() => void rows.delete(outboxId))
      }),
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
    isAnyWaiting: (accountId) => Effect.sync(() => waiting(accountId).length > 0),
    countWaiting: (accountId) => Effect.sync(() => waiting(accountId).length)
  })
})

/** What `OutboxStoreSql` does in the database, in this process; what is enqueued goes back with the settlement of `LedgerLocal` around it. */
export const layer: Layer.Layer<OutboxStore> = Layer.effect(OutboxStore, make)
