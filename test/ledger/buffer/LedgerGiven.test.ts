import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { findDecision } from "../../../src/engine/learn/FindDecision.ts"
import { bufferSettings } from "../../../src/ledger/buffer/BufferSettings.ts"
import * as LedgerGiven from "../../../src/ledger/buffer/LedgerGiven.ts"
import { Ledger } from "../../../src/ledger/Ledger.ts"
import * as LedgerSql from "../../../src/ledger/sql/LedgerSql.ts"
import type { AccountId } from "../../../src/domain/Scope.ts"
import { withAccount } from "../../../src/sql/AccountScope.ts"
import { partitionedTables } from "../../../src/sql/LedgerTables.ts"
import { SqlClient } from "effect/sql"
import { feedback, snapshot } from "../../support/builders.ts"
import { embedded, slow } from "../../support/Databases.ts"
import { answerOf, decisionOf, ledgerContract, newAccount, planOf, reporting, reportOf, reportTo, submissionOf } from "../LedgerContract.ts"

const keyIn = (accountId: AccountId, idempotencyKey = "key") => ({ accountId, idempotencyKey, fingerprint: "f" })

/** A copy with its own memory of what it gave, and the reads that reach the ledger beneath. */
const copy = Effect.gen(function*() {
  const beneath = yield* Ledger
  const reads: Array<string> = []
  const watched = Ledger.of({
    ...beneath,
    find: (accountId, id, asOf) => Effect.suspend(() => {
      reads.push(id)
      return beneath.find(accountId, id, asOf)
    })
  })
  const built = yield* Layer.build(Layer.fresh(LedgerGiven.layer).pipe(
    Layer.provide(Layer.succeed(Ledger, watched))
  ))
  return { ledger: Context.get(built, Ledger), reads }
})

// On one engine: what the wrapper remembers does not depend on the ledger beneath, whose suite runs on both.
layer(Layer.provideMerge(LedgerSql.layer, embedded), slow)("a ledger beside what the process gave", (it) => {
  it.effect("is read for no report on what the process gave, and answers a repeat as before", () =>
    Effect.gen(function*() {
      const { ledger, reads } = yield* copy
      const accountId = newAccount()
      const decision = decisionOf(accountId, { taskKey: "chain:first" })
      const { recommendationId } = decision
      yield* ledger.record([decision])
      const key = keyIn(accountId)
      const found = yield* ledger.find(accountId, recommendationId, "given")
      assert.deepStrictEqual(found, { decision, outcomes: [] })
      const applying = submissionOf(accountId, { key, decision, plan: reporting(reportOf()), taskKey: "id:named" })
      const first = yield* ledger.applyReport(applying)
      if (first?.reception !== "first") return assert.fail("it is the first under its key")
      const { plan: { outcomes }, response } = first
      assert.deepStrictEqual(response, answerOf("record"))
      const other = keyIn(accountId, "later")
      const later = yield* ledger.find(accountId, recommendationId, "given")
      assert.deepStrictEqual(later?.outcomes, outcomes)
      assert.strictEqual(later?.decision.taskKey, "id:named")
      assert.deepStrictEqual(reads, [])
      // What there is says the same, and is read where nothing former will do.
      const there = yield* ledger.find(accountId, recommendationId)
      assert.deepStrictEqual([there?.decision, there?.outcomes], [later?.decision, outcomes])
      assert.deepStrictEqual(reads, [recommendationId])
      const plan = reporting(reportOf({ quality: 0.25 }))
      assert.deepStrictEqual(yield* ledger.applyReport(submissionOf(accountId, { key, decision, plan })), {
        reception: "same", response
      })
      const second = yield* ledger.applyReport(submissionOf(accountId, { key: other, decision, plan }))
      if (second?.reception !== "first") return assert.fail("it is the first under its key")
      assert.deepStrictEqual((yield* ledger.find(accountId, recommendationId))?.outcomes, second.plan.outcomes)
    }))

  it.effect("is told by the report of what another copy applied, and of an erased decision", () =>
    Effect.gen(function*() {
      const [{ ledger }, other] = [yield* copy, yield* Ledger]
      const accountId = newAccount()
      const [reportedThere, givenThere, erased] = [decisionOf(accountId), decisionOf(accountId), decisionOf(accountId)]
      yield* ledger.record([reportedThere, givenThere, erased])
      yield* reportTo(other, accountId, reportedThere.recommendationId, reportOf())
      const given: Array<number> = []
      const reportingOn = (decision: typeof erased) => submissionOf(accountId, {
        decision,
        plan: (known) => {
          given.push(known.outcomes.length)
          return reporting(reportOf())(known)
        }
      })
      yield* ledger.applyReport(reportingOn(reportedThere))
      assert.deepStrictEqual(given, [1])
      const key = keyIn(accountId, "there")
      yield* other.applyReport({ ...reportingOn(givenThere), key, plan: () => planOf({}, answerOf("there")) })
      assert.deepStrictEqual(yield* ledger.applyReport({ ...reportingOn(givenThere), key }), {
        reception: "same", response: answerOf("there")
      })
      const sql = yield* SqlClient.SqlClient
      for (const table of partitionedTables) {
        yield* sql`delete from ${sql(table)} where account_id = ${accountId}`.pipe(withAccount(accountId))
      }
      assert.isNull(yield* ledger.applyReport(reportingOn(erased)))
    }))

  it.effect("tells a report that names no model what another copy was told last", () =>
    Effect.gen(function*() {
      const [{ ledger, reads }, other] = [yield* copy, yield* Ledger]
      const accountId = newAccount()
      const decision = decisionOf(accountId)
      const { recommendationId } = decision
      yield* ledger.record([decision])
      yield* reportTo(other, accountId, recommendationId, reportOf({ chosenModelId: "maker/other" }))
      const about = (chosenModelId: string | null) =>
        findDecision(ledger, snapshot([]), accountId, { ...feedback(), recommendationId, chosenModelId })
      assert.strictEqual((yield* about("cheap")).chosenModelId, "cheap")
      assert.deepStrictEqual(reads, [])
      assert.strictEqual((yield* about(null)).chosenModelId, "maker/other")
      assert.deepStrictEqual(reads, [recommendationId])
    }))

  it.effect("is read for another account, and for a decision that many came after", () =>
    Effect.gen(function*() {
      const { ledger, reads } = yield* copy
      const accountId = newAccount()
      const decision = decisionOf(accountId)
      yield* ledger.record([decision])
      const { recommendationId } = decision
      const stranger = newAccount()
      assert.isNull(yield* ledger.find(stranger, recommendationId, "given"))
      assert.lengthOf(reads, 1)
      for (let count = 0; count < bufferSettings.givenMax; count += 100) {
        const [first, ...others] = Array.from({ length: 100 }, () => decisionOf(accountId))
        yield* ledger.record([first!, ...others])
      }
      assert.deepStrictEqual((yield* ledger.find(accountId, recommendationId, "given"))?.decision, decision)
      assert.lengthOf(reads, 2)
    }))

  it.effect("holds nothing of an erased account after a quarter of an hour, used or not", () =>
    Effect.gen(function*() {
      const { ledger, reads } = yield* copy
      const accountId = newAccount()
      const decision = decisionOf(accountId)
      const { recommendationId } = decision
      yield* ledger.record([decision])
      yield* TestClock.adjust("13 minutes")
      assert.deepStrictEqual((yield* ledger.find(accountId, recommendationId, "given"))?.decision, decision)
      assert.lengthOf(reads, 0)
      yield* TestClock.adjust("2 minutes")
      yield* ledger.find(accountId, recommendationId, "given")
      assert.lengthOf(reads, 1)
    }).pipe(Effect.provide(TestClock.layer())))
})

layer(LedgerGiven.layer.pipe(Layer.provideMerge(LedgerSql.layer), Layer.provideMerge(embedded)), slow)(
  "the contract of a ledger beside what the process gave", ledgerContract
)
