import { assert, describe, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { Decision } from "../../../../src/domain/Decision.ts"
import { type AccountId, laneOf } from "../../../../src/domain/Scope.ts"
import type { GuaranteeQuery } from "../../../../src/ledger/GuaranteeEvidence.ts"
import { Ledger } from "../../../../src/ledger/Ledger.ts"
import * as LedgerSql from "../../../../src/ledger/sql/LedgerSql.ts"
import { undoTrials } from "../../../../src/ledger/sql/guarantee/UndoneTrials.ts"
import { withAccount } from "../../../../src/sql/AccountScope.ts"
import { newAccount } from "../../../accounts/KeysContract.ts"
import { decision } from "../../../support/builders.ts"
import { nextId } from "../../../support/ids.ts"
import { reporting, reportOf, submissionOf } from "../../LedgerContract.ts"
import { onEachEngine, slow } from "../../../support/Databases.ts"
import { queryOf, read } from "./reads.ts"

/** How many trials of each candidate count in a kind of task. */
const trialsOf = (query: GuaranteeQuery) =>
  Effect.map(read(query), ({ kinds, starts }) => ({
    starts,
    trials: Object.fromEntries(Object.entries(kinds).map(([kind, { candidates }]) => [kind,
      Object.fromEntries(Object.entries(candidates).map(([id, { arms }]) => [id, arms.candidate.trials]))]))
  }))

const at = (hour: number) => new Date(Date.UTC(2027, 0, 1, hour))

/** A success of a trial's candidate, reported at an hour. */
const report = (decided: Decision, hour: number) => {
  const { accountId, guaranteeCandidateId } = decided
  const said = reportOf({ chosenModelId: guaranteeCandidateId ?? "", feedbackAt: at(hour), outcome: "success", errorCause: null })
  return Effect.flatMap(Ledger, ({ applyReport }) => applyReport(submissionOf(accountId, {
    decision: decided, plan: reporting(said, 1)
  })))
}

/** A trial of a user, reported at an hour. */
const trial = Effect.fnUntraced(function*(accountId: AccountId, userId: string, over: Partial<Decision> = {}, hour: number | null = 1) {
  const { createdAtMillis, recommendationId } = yield* nextId
  const createdAt = new Date(createdAtMillis)
  const candidate = over.guaranteeCandidateId ?? "cheap"
  const made = decision({
    recommendationId, accountId, createdAt, userId, recommendedModelId: candidate, propensity: 0.2,
    guaranteeBaselineId: "dear", guaranteeCandidateId: candidate, ...over
  })
  yield* (yield* Ledger).record([made])
  if (hour !== null) yield* report(made, hour)
  return made
})

const all = { lane: null, userId: null, since: null, until: null }

describe("Outcomes that are undone", () =>
  onEachEngine((name, engine) =>
    layer(Layer.provideMerge(LedgerSql.layer, engine), slow)(name, (it) => {
      it.effect("count for no guarantee: their candidates start from nothing, once, and no others do", () =>
        Effect.gen(function*() {
          const [mine, theirs] = [newAccount(), newAccount()]
          for (const account of [mine, theirs]) {
            for (const userId of ["ann", "mallory", "ann"]) yield* trial(account, userId)
            yield* trial(account, "ann", { guaranteeCandidateId: "middle" })
            yield* trial(account, "ann", { taskType: "qa" })
            yield* trial(account, "mallory", { lane: laneOf("other") })
          }
          const before = yield* trialsOf(queryOf(mine))
          assert.deepStrictEqual(before, { starts: 3, trials: { code: { cheap: 3, middle: 1 }, qa: { cheap: 1 } } })
          yield* trialsOf(queryOf(mine, { confidence: 0.9 }))
          yield* trialsOf(queryOf(theirs))

          const undone = { ...all, accountId: mine, userId: "mallory", lane: laneOf(null) }
          const dropped = { lane: "sextant:default", baselineModelId: "dear", taskType: "code", candidateModelId: "cheap" }
          assert.deepInclude((yield* undoTrials(undone))[0], dropped)
          const after = { starts: 3, trials: { code: { middle: 1 }, qa: { cheap: 1 } } }
          for (const confidence of [0.95, 0.9]) assert.deepStrictEqual(yield* trialsOf(queryOf(mine, { confidence })), after)
          assert.deepStrictEqual(yield* trialsOf(queryOf(theirs)), before)

          yield* trial(mine, "ann")
          const again = { starts: 4, trials: { code: { middle: 1, cheap: 1 }, qa: { cheap: 1 } } }
          assert.deepStrictEqual(yield* trialsOf(queryOf(mine)), again)
          assert.deepStrictEqual(yield* undoTrials(undone), [])
          assert.deepStrictEqual(yield* trialsOf(queryOf(mine)), again)
          // In the other lane too, and a guarantee that is read for the first time does not count it either.
          assert.deepStrictEqual(yield* undoTrials({ ...undone, lane: null }), [])
          assert.deepStrictEqual((yield* trialsOf(queryOf(mine, { lane: laneOf("other") }))).trials, {})
          assert.deepStrictEqual((yield* trialsOf(queryOf(mine, { confidence: 0.8 }))).trials["code"], { cheap: 3, middle: 1 })
        }))

      it.effect("are chosen by the time of their report, and one that was not counted yet never is", () =>
        Effect.gen(function*() {
          const mine = newAccount()
          yield* trial(mine, "ann", {}, 1)
          const waiting = yield* trial(mine, "ann", {}, null)
          yield* trial(mine, "ann", {}, 3)
          assert.deepStrictEqual((yield* trialsOf(queryOf(mine))).trials, { code: { cheap: 1 } })
          const undone = { ...all, accountId: mine, since: at(2), until: at(4) }
          // What was counted stays, since none of it is undone.
          assert.deepStrictEqual(yield* undoTrials(undone), [])
          assert.deepStrictEqual((yield* trialsOf(queryOf(mine))).trials, { code: { cheap: 1 } })
          yield* report(waiting, 5)
          assert.deepStrictEqual((yield* trialsOf(queryOf(mine))).trials, { code: { cheap: 2 } })
        }))

      it.effect("do not come back by a process that was counting them meanwhile", () =>
        Effect.gen(function*() {
          const mine = newAccount()
          const sql = yield* SqlClient.SqlClient
          yield* trial(mine, "mallory")
          yield* trialsOf(queryOf(mine))
          yield* trial(mine, "ann")
          const isLocked = yield* Deferred.make<void>()
          const mayGoOn = yield* Deferred.make<void>()
          // Whoever writes the checkpoint waits for this transaction; undoing is a part of it.
          const undoing = yield* Effect.forkChild(Effect.gen(function*() {
            yield* sql`select from guarantee_evidence where account_id = ${mine} for update`
            yield* Deferred.succeed(isLocked, undefined)
            yield* Deferred.await(mayGoOn)
            return yield* undoTrials({ ...all, accountId: mine, userId: "mallory" })
          }).pipe(withAccount(mine)))
          yield* Deferred.await(isLocked)
          const counting = yield* Effect.forkChild(trialsOf(queryOf(mine)))
          yield* Effect.repeat(
            sql<{ readonly waiting: number }>`select count(*)::int as waiting from pg_stat_activity
              where wait_event_type = 'Lock' and query like 'insert into guarantee_evidence%'`,
            { until: ([row]) => row?.waiting === 1 }
          )
          yield* Deferred.succeed(mayGoOn, undefined)
          assert.lengthOf(yield* Fiber.join(undoing), 1)
          assert.deepStrictEqual((yield* Fiber.join(counting)).trials, { code: { cheap: 2 } })
          assert.deepStrictEqual(yield* trialsOf(queryOf(mine)), { starts: 2, trials: { code: { cheap: 1 } } })
        }))
    })))
