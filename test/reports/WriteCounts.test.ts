import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Ledger } from "../../src/ledger/Ledger.ts"
import * as WriteCounts from "../../src/reports/WriteCounts.ts"
import * as LedgerLocal from "../local/LedgerLocal.ts"
import { rowsOf } from "./reference/LedgerRows.ts"
import { decisionOf, newAccount, reportOf, reportTo, submissionOf } from "../ledger/LedgerContract.ts"

it.effect("every write of an account changes its count and no other's, and reading does not", () =>
  Effect.gen(function*() {
    const ledger = yield* Ledger
    const changes = yield* WriteCounts.WriteCounts
    const [one, other] = [newAccount(), newAccount()]
    const decision = decisionOf(one)
    const seen = new Set([changes.of(one)])
    yield* ledger.record([decision])
    seen.add(changes.of(one))
    yield* reportTo(ledger, one, decision.recommendationId, reportOf())
    seen.add(changes.of(one))
    yield* ledger.applyReport(submissionOf(one))
    seen.add(changes.of(one))
    yield* ledger.applyReport(submissionOf(one, { decision }))
    seen.add(changes.of(one))
    assert.strictEqual(seen.size, 5)
    yield* ledger.find(one, decision.recommendationId)
    yield* rowsOf({ accountId: one, lane: null, since: new Date(0) })
    assert.isTrue(seen.has(changes.of(one)))
    assert.strictEqual(changes.of(other), 0)
  }).pipe(Effect.provide(WriteCounts.layer.pipe(Layer.provide(LedgerLocal.layer)))))
