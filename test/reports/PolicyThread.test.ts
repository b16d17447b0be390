import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { outcomeColumns } from "./reference/OutcomeColumns.ts"
import { makePolicyThread } from "../../src/reports/PolicyThread.ts"
import { policyWorths } from "../../src/reports/PolicyWorth.ts"
import { isReconciled } from "./reference/Reconciled.ts"
import { idOf } from "../support/builders.ts"
import { reported } from "./rows.ts"

const columnsOf = (rows: number) =>
  outcomeColumns(Array.from({ length: rows }, (_, row) =>
    reported(
      { outcome: row % 3 === 0 ? "failure" : "success", chosenModelId: row % 7 === 0 ? "large" : "small" },
      { recommendationId: idOf(`00000000-0000-7000-8000-${String(row).padStart(12, "0")}`) }
    )).filter(isReconciled))

it.live("a thread judges as this one does, one log after another", () =>
  Effect.gen(function*() {
    const judge = yield* makePolicyThread
    const sizes = [9_000, 10, 12_000]
    const judged = yield* Effect.forEach(sizes, (rows) => judge(columnsOf(rows)), { concurrency: "unbounded" })
    assert.deepStrictEqual(judged, sizes.map((rows) => policyWorths(columnsOf(rows))))
  }), 30_000)

it.live("a log that no thread can judge is a failure, and the next one has another thread", () =>
  Effect.gen(function*() {
    const judge = yield* makePolicyThread
    const { log, ...columns } = columnsOf(9_000)
    const failure = yield* Effect.flip(judge({ ...columns, log: { ...log, groups: -1 } }))
    assert.strictEqual(failure._tag, "LedgerUnavailable")
    assert.isAbove((yield* judge(columnsOf(9_000))).report.policies.length, 1)
  }), 30_000)
