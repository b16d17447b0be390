// Moves of an account between two databases, without services.
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { AccountId } from "../../../src/domain/Scope.ts"
import { confirmMove, undoMove } from "../../../src/privacy/move/EndMove.ts"
import { moveAccount } from "../../../src/privacy/move/MoveAccount.ts"
import { beginPhase, holdMove, readState, type Side } from "../../../src/privacy/move/MoveState.ts"
import { layerPostgres } from "../../../src/sql/Database.ts"
import { freshDatabase, postgresServer } from "../../support/Databases.ts"

const accountId = AccountId.make("acme")

/** A cell's database, with other connections to it. */
const startSide = Effect.fnUntraced(function*(cell: string) {
  const { url } = yield* freshDatabase(postgresServer ?? "")
  const sql = Context.get(yield* Layer.build(Layer.fresh(layerPostgres(url))), SqlClient.SqlClient)
  const other = yield* Layer.build(Layer.fresh(PgClient.layer({ url: Redacted.make(Redacted.value(url)) })))
  return { side: { cell, sql }, reader: { cell, sql: Context.get(other, SqlClient.SqlClient) } }
})

const twoSides = Effect.gen(function*() {
  const a = yield* startSide("cell_a")
  const b = yield* startSide("cell_b")
  const move = <E>(from: typeof a, to: typeof a, route: Effect.Effect<void, E>) =>
    moveAccount({
      accountId, from: from.side, reader: from.reader, to: to.side, route,
      freezeMs: 10_000, drainMs: 0, say: () => Effect.void
    })
  return {
    a: a.side, b: b.side,
    there: <E = never>(route: Effect.Effect<void, E> = Effect.void) => move(a, b, route),
    back: <E = never>(route: Effect.Effect<void, E> = Effect.void) => move(b, a, route)
  }
})

/** Keeps a decision that is so old, and was recorded then, in minutes; yields its id. */
const decide = ({ sql }: Side, ageMinutes: number, recordedMinutesAgo: number) =>
  Effect.map(sql<{ readonly id: string }>`insert into decision (account_id, created_at, recommendation_id,
      recorded_at, lane, task_excerpt, task_type, difficulty, tags, recommended_model_id, predicted_success,
      threshold, decision_basis, selection_policy, propensity, is_exploration, is_escalated,
      cost_recommended_usd, cost_premium_usd, candidates, neighbours, warnings, catalog_version, latency_ms)
    values (${accountId}, now() - ${ageMinutes}::int * interval '1 minute', gen_random_uuid(),
      now() - ${recordedMinutesAgo}::int * interval '1 minute', 'sextant:default', '', 'code', 'hard', '[]', 'm', 0.5,
      0.5, 'prior', 'greedy', 1, false, false, 0, 0, '[]', '[]', '[]', '1', 1)
    returning recommendation_id::text as id`, ([row]) => row?.id ?? "")

const decisionsOf = ({ sql }: Side) =>
  Effect.map(sql<{ readonly id: string }>`select recommendation_id::text as id from decision
    where account_id = ${accountId}`, (rows) => rows.map(({ id }) => id))

/** As if the account had been frozen there so long ago. */
const frozenAgo = ({ sql }: Side, minutes: number) =>
  sql`update account_move set frozen_at = frozen_at - ${minutes}::int * interval '1 minute'
    where account_id = ${accountId}`

const phaseOf = (side: Side) => Effect.map(readState(side, accountId), (state) => state?.phase)

describe.skipIf(postgresServer === null)("a move of an account between two databases", () => {
  it.live("that is run again long after the account has left brings what the old cell has decided since", () =>
    Effect.gen(function*() {
      const { a, b, there } = yield* twoSides
      const first = yield* decide(a, 300, 300)
      assert.strictEqual(yield* Effect.flip(there(Effect.fail("no route"))), "no route")
      assert.deepStrictEqual([yield* phaseOf(a), yield* phaseOf(b)], ["left", "arriving"])
      yield* frozenAgo(a, 120)
      const late = yield* decide(a, 100, 100)
      yield* there()
      assert.sameMembers([...yield* decisionsOf(b)], [first, late])
      assert.strictEqual(yield* phaseOf(b), "arrived")
    }), 60_000)

  it.live("is confirmed with what waited in the old cell's spool, and brings back nothing that was erased", () =>
    Effect.gen(function*() {
      const { a, b, there } = yield* twoSides
      const [erased, kept] = [yield* decide(a, 30, 30), yield* decide(a, 3_000, 30)]
      yield* there()
      yield* b.sql`delete from decision where recommendation_id = ${erased}::uuid`
      const spooled = yield* decide(a, 4_000, 0)
      yield* confirmMove({ accountId, from: a, to: b })
      assert.sameMembers([...yield* decisionsOf(b)], [kept, spooled])
      assert.deepStrictEqual(yield* decisionsOf(a), [])
      assert.deepStrictEqual([yield* readState(a, accountId), yield* readState(b, accountId)], [null, null])
    }), 60_000)

  it.live("and back keeps what came to the first cell late", () =>
    Effect.gen(function*() {
      const { a, b, back, there } = yield* twoSides
      const first = yield* decide(a, 30, 30)
      yield* there()
      const spooled = yield* decide(a, 60, 0)
      const later = yield* decide(b, 0, 0)
      yield* back()
      assert.sameMembers([...yield* decisionsOf(a)], [first, spooled, later])
      assert.sameMembers([...yield* decisionsOf(b)], [first, spooled, later])
    }), 60_000)

  it.live("is refused from a cell that does not serve the account", () =>
    Effect.gen(function*() {
      const { back, a, b } = yield* twoSides
      yield* decide(a, 30, 30)
      assert.include(String(yield* Effect.flip(back())), "cell_b does not serve acme")
      assert.deepStrictEqual([yield* phaseOf(a), yield* phaseOf(b)], [undefined, undefined])
    }), 60_000)

  it.live("is held against one in the other direction", () =>
    Effect.scoped(Effect.gen(function*() {
      const { a, b } = yield* twoSides
      assert.isTrue(yield* holdMove([a, b], accountId))
      assert.isFalse(yield* holdMove([b, a], accountId))
    })), 60_000)

  it.live("is given up where it began in one cell alone, but not for another cell's move", () =>
    Effect.gen(function*() {
      const { a, b, there } = yield* twoSides
      const first = yield* decide(a, 30, 30)
      yield* there()
      yield* beginPhase(a, accountId, { peer: "cell_b", phase: "arriving", isReturn: true })
      assert.include(String(yield* Effect.flip(undoMove({ accountId, from: { ...b, cell: "cell_c" }, to: a }))),
        "is not being moved from cell_c")
      yield* undoMove({ accountId, from: b, to: a })
      assert.deepStrictEqual([yield* phaseOf(a), yield* phaseOf(b)], ["left", "arrived"])
      assert.deepStrictEqual(yield* decisionsOf(a), [first])
    }), 60_000)
})
