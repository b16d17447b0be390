import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { arrayOf, rowSet } from "../../src/sql/RowSet.ts"
import { onEachEngine, slow } from "../support/Databases.ts"

const columns = {
  modelId: "text", tags: "text[]", votes: "uuid[]", costUsd: "float8", isLate: "boolean", occurredAt: "timestamptz",
  vector: "bytea"
} as const

const id = "01890a5d-0000-7000-8000-000000000001"
const full = {
  modelId: `a "quoted" {text}, with a \\ and\na line; NULL; ü 🙂`, tags: ["a,b", `c"d\\`, "", "NULL", "{}"], votes: [id],
  costUsd: 0.1 + 0.2, isLate: true, occurredAt: new Date("2026-11-29T12:00:00.123Z"), vector: "AQL/"
}
const empty = { modelId: "", tags: [], votes: null, costUsd: null, isLate: false, occurredAt: null, vector: null }

onEachEngine((name, engine) => {
  layer(engine, slow)(`a row set ${name}`, (it) => {
    it.effect("is selected as it was given, in its order", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const rows = yield* sql`select model_id, tags, votes::text[] as votes, cost_usd, is_late, occurred_at,
          encode(vector, 'base64') as vector from ${rowSet(sql, "given", columns, [full, empty, full])}`
        const selected = ({ costUsd, isLate, modelId, occurredAt, tags, vector, votes }: typeof full | typeof empty) =>
          ({ model_id: modelId, tags, votes, cost_usd: costUsd, is_late: isLate, occurred_at: occurredAt, vector })
        assert.deepStrictEqual(rows, [full, empty, full].map(selected))
      }))

    it.effect("has null for a number that is not finite, and U+FFFD for half of a character", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const given = [{ costUsd: NaN, modelId: "\ud83d" }, { costUsd: Infinity, modelId: "\u{1f642}" }]
        const rows = yield* sql`select cost_usd, model_id from ${rowSet(sql, "t", { costUsd: "float8", modelId: "text" }, given)}`
        assert.deepStrictEqual(rows, [{ cost_usd: null, model_id: "\ufffd" }, { cost_usd: null, model_id: "\u{1f642}" }])
      }))

    it.effect("has a statement of one text, however many rows there are", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const textOf = (rows: ReadonlyArray<typeof full>) => sql`select * from ${rowSet(sql, "t", columns, rows)}`.compile()[0]
        assert.strictEqual(textOf([]), textOf([full, full]))
        assert.deepStrictEqual(yield* sql`select * from ${rowSet(sql, "t", columns, [])}`, [])
        assert.deepStrictEqual(
          yield* sql`select ${id}::uuid = any(${arrayOf(sql, "uuid", [id])}) as one, ${id}::uuid = any(${arrayOf(sql, "uuid", [])}) as none`,
          [{ one: true, none: false }]
        )
      }))
  })
})
