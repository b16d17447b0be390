import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Ledger } from "../../src/ledger/Ledger.ts"
import * as WriteCounts from "../../src/reports/WriteCounts.ts"
import * as LedgerLocal from "../../src/testing/LedgerLocal.ts"
import { answerOf, decisionOf, newAccount, plainRule, reportOf } from "../ledger/LedgerContract.ts"

it.effect("every write of an account changes its count and no other's, and reading does not", () =>
  Effect.gen(function*() {
    const ledger = yield* Ledger
    const changes = yield* WriteCounts.WriteCounts
    const [one, other] = [newAccount(), newAccount()]
    const decision = decisionOf(one)
    const claim = { accountId: one, idempotencyKey: "key", fingerprint: "f" }
    const seen = new Set([changes.of(one)])
    yield* ledger.record([decision])
    seen.add(changes.of(one))
    yield* ledger.reconcile(one, decision.recommendationId, reportOf(), plainRule)
    seen.add(changes.of(one))
    yield* ledger.settle(claim, Effect.succeed(answerOf("r")))
    seen.add(changes.of(one))
    yield* ledger.settle({ ...claim, idempotencyKey: "another" }, Effect.fail("lost")).pipe(Effect.ignore)
    seen.add(changes.of(one))
    assert.strictEqual(seen.size, 5)
    yield* ledger.find(one, decision.recommendationId)
    yield* ledger.window({ accountId: one, lane: null, since: new Date(0) })
    assert.isTrue(seen.has(changes.of(one)))
    assert.strictEqual(changes.of(other), 0)
  }).pipe(Effect.provide(WriteCounts.layer.pipe(Layer.provide(LedgerLocal.layer)))))
