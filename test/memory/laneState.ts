/* What a lane's memory holds and answers, for comparing two lanes that came about in different ways. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { LaneId } from "../../src/domain/Scope.ts"
import { Memory } from "../../src/memory/Memory.ts"
import { withAccount } from "../../src/sql/AccountScope.ts"
import { eventually, queryIn } from "./fixtures.ts"

/** Waits until no reflection of the lane is due. */
export const applied = ({ accountId, lane }: LaneId) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const due = sql`select from reflection where lane = ${lane} and reflected_at is null`.pipe(withAccount(accountId))
    return yield* eventually(due, ({ length }) => length === 0)
  })

/** Equal, but for what roundings and a few seconds of ageing do to a number. */
export const alike = (one: unknown, other: unknown, within = 1e-4, path = ""): void => {
  if (typeof one === "number" && typeof other === "number") return assert.closeTo(one, other, within, path)
  if (one === null || other === null || typeof one !== "object" || typeof other !== "object") {
    return assert.strictEqual(one, other, path)
  }
  assert.deepStrictEqual(Object.keys(one), Object.keys(other), path)
  const others = new Map(Object.entries(other))
  for (const [name, value] of Object.entries(one)) alike(value, others.get(name), within, `${path}.${name}`)
}

/** Nothing but what names this very lane, or counts its versions, is left out. */
const leftOut = /^(account_id|lane|import_id|version|rewritten_version|created_at|requested_at|voted_up|voted_down)$/
/** What identifies a row: its texts. */
const nameOf = (row: Record<string, unknown>): string =>
  JSON.stringify(row, (name, value: unknown) => typeof value === "number" || name === "content" ? 0 : value)

/** All that a lane's tables hold, in an order of its own. */
export const rowsOf = ({ accountId, lane }: LaneId) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const tables = ["lane", "observation", "observation_vector", "outcome_record", "lesson", "step_reward", "vote"]
    return yield* Effect.forEach(tables, (table) =>
      Effect.map(
        sql<{ readonly row: Record<string, unknown> }>`select to_jsonb(t) as row from ${sql(table)} t where lane = ${lane}`,
        (rows) => ({
          table,
          rows: rows.map(({ row }) => Object.fromEntries(Object.entries(row).filter(([name]) => !leftOut.test(name))))
            .sort((one, other) => nameOf(one) < nameOf(other) ? -1 : 1)
        })
      ))
  }).pipe(withAccount(accountId))

/** All that memory answers about a lane. */
export const seenOf = (scope: LaneId) =>
  Effect.gen(function*() {
    const memory = yield* Memory
    const { neighbours, tallies, ...recalled } = yield* memory.recall(queryIn(scope, { task: "Write function number 2", perModel: 64 }))
    // Among equally similar ones the order is that in which an index came to know of them.
    const inOrder = [...neighbours].toSorted((one, other) => one.entryId < other.entryId ? -1 : 1)
    const strategies = yield* memory.strategies({ ...scope, lessonTypes: [], limit: 50 })
    const diagnosed = yield* memory.diagnose({ ...scope, errorText: "TimeoutError: ann waited too long", errorType: null, userId: null, limit: 25 })
    const health = yield* memory.health({ ...scope, staleThresholdDays: 30 })
    const ages = (name: string, value: unknown): unknown => name === "ageDays" || name === "averageAgeHours" ? 0 : value
    return JSON.parse(JSON.stringify({ recalled, inOrder, tallies: [...tallies], strategies, diagnosed, health }, ages)) as object
  })
