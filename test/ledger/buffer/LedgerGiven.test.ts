import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { reported } from "../../../src/domain/FeedbackPrecedence.ts"
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
import { onEachEngine, slow } from "../../support/Databases.ts"
import { answerOf, decisionOf, ledgerContract, newAccount, reportOf, reportTo, settlementOf } from "../LedgerContract.ts"

const claimIn = (accountId: AccountId, idempotencyKey = "key") => ({ accountId, idempotencyKey, fingerprint: "f" })

/** A copy with its own memory of what it gave, and the reads that reach the ledger beneath. */
const copy = Effect.gen(function*() {
  const beneath = yield* Ledger
  const reads: Array<string> = []
  const watched = Ledger.of({
    ...beneath,
    find: (accountId, id, claim) => Effect.suspend(() => {
      reads.push(id)
      return beneath.find(accountId, id, claim)
    })
  })
  const ledger = yield* Effect.provide(Ledger, Layer.fresh(LedgerGiven.layer).pipe(
    Layer.provide(Layer.succeed(Ledger, watched))
  ))
  return { ledger, reads }
})

/** A copy that has given a decision. */
const giving = Effect.gen(function*() {
  const own = yield* copy
  const accountId = newAccount()
  const decision = decisionOf(accountId)
  yield* own.ledger.record([decision])
  return { ...own, accountId, decision }
})

describe("a ledger beside what the process gave", () =>
  onEachEngine((name, engine) =>
    layer(Layer.provideMerge(LedgerSql.layer, engine), slow)(name, (it) => {
      it.effect("is read for no report on what the process gave, and answers a repeat as before", () =>
        Effect.gen(function*() {
          const { ledger, reads } = yield* copy
          const accountId = newAccount()
          const decision = decisionOf(accountId, { taskKey: "chain:first" })
          const { recommendationId } = decision
          yield* ledger.record([decision])
          const claim = claimIn(accountId)
          const found = yield* ledger.find(accountId, recommendationId, claim)
          assert.deepStrictEqual(found, { decision, known: { outcomes: [], revision: 1 }, answered: null })
          const { outcomes } = reported([], reportOf(), 1, 16)
          const response = answerOf("first")
          const settling = settlementOf(accountId, { claim, decision, before: [], outcomes, response, taskKey: "id:named" })
          assert.deepStrictEqual(yield* ledger.settle(settling), { claim: "first", response })
          const other = claimIn(accountId, "later")
          const later = yield* ledger.find(accountId, recommendationId, other)
          assert.deepStrictEqual(later?.known, { outcomes, revision: 2 })
          assert.strictEqual(later?.decision.taskKey, "id:named")
          assert.deepStrictEqual(reads, [])
          // What there is says the same, and is read where no claim is asked for.
          const there = yield* ledger.find(accountId, recommendationId)
          assert.deepStrictEqual([there?.decision, there?.known.outcomes], [later?.decision, outcomes])
          assert.deepStrictEqual(reads, [recommendationId])
          const again = reported(outcomes, reportOf({ quality: 0.25 }), 2, 16).outcomes
          const repeat = settlementOf(accountId, { claim, decision, before: outcomes, outcomes: again })
          assert.deepStrictEqual(yield* ledger.settle(repeat), { claim: "same", response })
          const second = settlementOf(accountId, { claim: other, decision, before: outcomes, outcomes: again })
          assert.strictEqual((yield* ledger.settle(second)).claim, "first")
          assert.deepStrictEqual((yield* ledger.find(accountId, recommendationId))?.known.outcomes, again)
        }))

      it.effect("is told by the settlement of what another copy settled, and of an erased decision", () =>
        Effect.gen(function*() {
          const [{ ledger }, other] = [yield* copy, yield* Ledger]
          const accountId = newAccount()
          const [reportedThere, claimedThere, erased] = [decisionOf(accountId), decisionOf(accountId), decisionOf(accountId)]
          yield* ledger.record([reportedThere, claimedThere, erased])
          yield* reportTo(other, accountId, reportedThere.recommendationId, reportOf())
          const plan = (decision: typeof erased) => settlementOf(accountId, {
            decision, before: [], outcomes: reported([], reportOf(), 1, 16).outcomes
          })
          const overtaken = yield* ledger.settle(plan(reportedThere))
          if (overtaken.claim !== "outdated") return assert.fail("another report came first")
          assert.lengthOf(overtaken.known?.outcomes ?? [], 1)
          const claim = claimIn(accountId, "there")
          yield* other.settle({ ...plan(claimedThere), claim, response: answerOf("there") })
          assert.deepStrictEqual(yield* ledger.settle({ ...plan(claimedThere), claim }), {
            claim: "same", response: answerOf("there")
          })
          const sql = yield* SqlClient.SqlClient
          for (const table of partitionedTables) {
            yield* sql`delete from ${sql(table)} where account_id = ${accountId}`.pipe(withAccount(accountId))
          }
          assert.deepStrictEqual(yield* ledger.settle(plan(erased)), { claim: "outdated", known: null })
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

      it.effect("is read for a decision that got more reports than are remembered", () =>
        Effect.gen(function*() {
          const { accountId, decision, ledger, reads } = yield* giving
          const { recommendationId } = decision
          for (let count = 0; count <= bufferSettings.givenReportsMax; count++) {
            assert.deepStrictEqual(reads, [])
            const claim = claimIn(accountId, `key ${count}`)
            const { known } = (yield* ledger.find(accountId, recommendationId, claim)) ?? assert.fail("it is recorded")
            const { outcomes } = reported(known.outcomes, reportOf(), known.revision, 16)
            const settling = settlementOf(accountId, { claim, decision, before: known.outcomes, outcomes })
            assert.strictEqual((yield* ledger.settle(settling)).claim, "first")
          }
          yield* ledger.find(accountId, recommendationId, claimIn(accountId, "one more"))
          assert.deepStrictEqual(reads, [recommendationId])
        }))

      it.effect("is read for another account, and for a decision that many came after", () =>
        Effect.gen(function*() {
          const { accountId, decision, ledger, reads } = yield* giving
          const { recommendationId } = decision
          const stranger = newAccount()
          assert.isNull(yield* ledger.find(stranger, recommendationId, claimIn(stranger)))
          assert.lengthOf(reads, 1)
          for (let count = 0; count < bufferSettings.givenMax; count += 100) {
            const [first, ...others] = Array.from({ length: 100 }, () => decisionOf(accountId))
            yield* ledger.record([first!, ...others])
          }
          assert.deepStrictEqual((yield* ledger.find(accountId, recommendationId, claimIn(accountId)))?.decision, decision)
          assert.lengthOf(reads, 2)
        }))
    })))

describe("the contract of a ledger beside what the process gave", () =>
  onEachEngine((name, engine) =>
    layer(LedgerGiven.layer.pipe(Layer.provideMerge(LedgerSql.layer), Layer.provideMerge(engine)), slow)(name, (it) => {
      ledgerContract(it)
    })))
