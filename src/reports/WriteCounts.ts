/* Counts the writes to each account's ledger, so that the cache can recognise outdated reports. */
import { Context, Effect, Layer } from "effect"
import type { AccountId } from "../domain/Scope.ts"
import { Ledger } from "../ledger/Ledger.ts"

export class WriteCounts extends Context.Service<WriteCounts, {
  readonly of: (accountId: AccountId) => number
}>()("sextant/reports/WriteCounts") {}

const make = Effect.gen(function*() {
  const ledger = yield* Ledger
  const counts = new Map<AccountId, number>()
  const of = (accountId: AccountId): number => counts.get(accountId) ?? 0
  const changed = (accountId: AccountId) =>
    Effect.sync(() => {
      counts.set(accountId, of(accountId) + 1)
    })
  const watched = Ledger.of({
    ...ledger,
    record: (decisions) => Effect.ensuring(ledger.record(decisions), Effect.forEach(
      new Set(decisions.map(({ accountId }) => accountId)), changed, { discard: true }
    )),
    recordWithin: (decisions, check) =>
      Effect.ensuring(ledger.recordWithin(decisions, check), changed(decisions[0].accountId)),
    applyReport: (submission) =>
      Effect.ensuring(ledger.applyReport(submission), changed(submission.key.accountId))
  })
  return Context.make(Ledger, watched).pipe(Context.add(WriteCounts, WriteCounts.of({ of })))
})

/** Wraps a ledger so that every write is counted, whether it succeeds or fails. */
export const layer: Layer.Layer<Ledger | WriteCounts, never, Ledger> = Layer.effectContext(make)
