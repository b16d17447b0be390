import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { gzipSync } from "node:zlib"
import { promptOf } from "../../src/logs/formats/Prompt.ts"
import { countOf, dateOf, type UnusableFields } from "../../src/logs/formats/Values.ts"
import { batchesOf, callsOf, fileOf, fixture, leftOutOf, namesOf, ownRow, read } from "./reading.ts"

/** The rows of our own format, read with a good row before and after them, of which nothing is said. */
const readRows = (...rows: ReadonlyArray<string>) =>
  Effect.map(read([fileOf([ownRow(0), ...rows, ownRow(1)].join("\n"))]), (items) => {
    const calls = callsOf(items)
    assert.deepStrictEqual([calls.at(0)?.id, calls.at(-1)?.id], ["call-0", "call-1"])
    return { calls: calls.slice(1, -1), leftOut: leftOutOf(items) }
  })

describe("a hostile row", () => {
  it.live("that is no object of JSON is left out, and the rows after it are read", () =>
    Effect.gen(function*() {
      const rows = [
        "{\"id\": NaN}", "{broken", "[1,2]", "\"text\"", "null", "12", "}{", "\u0000", `${ownRow(2)} ${ownRow(3)}`,
        "{\"__proto__\": ", "[".repeat(100_000)
      ]
      const { calls, leftOut } = yield* readRows(...rows)
      assert.deepStrictEqual(calls, [])
      assert.deepStrictEqual(leftOut, rows.map(() => "unreadable_row"))
    }))

  it.live("that is nested deeply is read, and left out where it could not be written again", () =>
    Effect.gen(function*() {
      const nested = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`
      const { calls, leftOut } = yield* readRows(
        ownRow(2).replace("}", `,"messages":${nested(1_000)}}`),
        ownRow(3).replace("}", `,"x":${nested(1_000_000)}}`)
      )
      assert.deepStrictEqual(calls.map(({ id }) => id), ["call-2"])
      assert.deepStrictEqual(leftOut, ["unreadable_row"])
    }))

  it.live("cannot reach a prototype, in JSON or as a column of a table", () =>
    Effect.gen(function*() {
      const { calls } = yield* readRows(
        "{\"id\":\"a\",\"at\":\"2026-03-01\",\"model\":\"m\",\"tags\":[],\"__proto__\":{\"prompt\":\"no\",\"score\":1}}"
      )
      assert.deepInclude(calls[0], { prompt: null, quality: null })
      const table = "id,at,model,__proto__,constructor,tags\na,2026-03-01,m,x,y,z\n"
      assert.deepInclude(callsOf(yield* read([fileOf(table)]))[0], { id: "a", tags: ["z"] })
      assert.isUndefined(({} as { prompt?: unknown }).prompt)
    }))

  it.live("with texts that PostgreSQL cannot store is read with texts that it can", () =>
    Effect.gen(function*() {
      const { calls: [call] } = yield* readRows(
        "{\"id\":\"a\\u0000b\",\"at\":\"2026-03-01\",\"model\":\"m\\ud800\",\"prompt\":\"x\\u0000\\udc00y\",\"tags\":[\"\\ud800\"]}"
      )
      assert.deepInclude(call, { id: "ab", modelId: "m\ufffd", prompt: "x\ufffdy", tags: ["\ufffd"] })
    }))

  it.live("with numbers that cannot be right is read without them, and each is counted", () =>
    Effect.gen(function*() {
      const { calls: [call], leftOut } = yield* readRows(
        `{"id":"a","at":"2026-03-01","model":"m","input_tokens":-5,"output_tokens":1e400,"reasoning_tokens":"NaN",`
        + `"cost_usd":1e9,"latency_ms":"soon","task_type":"poetry","score":"good"}`
      )
      assert.deepInclude(call, {
        inputTokens: null, outputTokens: null, reasoningTokens: null, costUsd: null, latencyMs: null,
        taskType: null, quality: null
      })
      assert.sameMembers([...leftOut], [
        "label_not_numeric: good", "unusable_field: input_tokens: -5", "unusable_field: output_tokens: Infinity",
        "unusable_field: reasoning_tokens: NaN", "unusable_field: cost_usd: 1000000000",
        "unusable_field: latency_ms: soon", "unusable_field: task_type: poetry"
      ])
    }))

  it.live("with a date before any language model, in the future or of no calendar is left out", () =>
    Effect.gen(function*() {
      const dates = ["1970-01-01T00:00:00Z", "3000-01-01T00:00:00Z", 0, "2026-02-30", "yesterday", null]
      const { calls, leftOut } = yield* readRows(...dates.map((at, i) => ownRow(i + 2, { at })))
      assert.deepStrictEqual(calls, [])
      assert.deepStrictEqual(leftOut, [
        "implausible_date: 1970-01-01T00:00:00.000Z", "implausible_date: 3000-01-01T00:00:00.000Z",
        "implausible_date: 1970-01-01T00:00:00.000Z", "no_date: 2026-02-30", "no_date: yesterday", "no_date"
      ])
    }))

  it.live("of the clock of another machine, a day ahead, is read", () =>
    Effect.gen(function*() {
      const nowMs = yield* Clock.currentTimeMillis
      const { calls } = yield* readRows(ownRow(2, { at: new Date(nowMs + 86_400_000) }))
      assert.strictEqual(calls.length, 1)
    }))

  it.live("without an id is known by its content, and a long id by its hash", () =>
    Effect.gen(function*() {
      const bare = ownRow(2, { id: undefined })
      const { calls: [first, second, third] } = yield* readRows(bare, bare, ownRow(3, { id: "x".repeat(1_000) }))
      assert.match(first?.id ?? "", /^row:[0-9a-f]{64}$/)
      assert.strictEqual(first?.id, second?.id)
      assert.match(third?.id ?? "", /^id:[0-9a-f]{64}$/)
    }))

  it.live("with a model's name of a megabyte is read with its beginning", () =>
    Effect.gen(function*() {
      const { calls: [call] } = yield* readRows(ownRow(2, { model: "m".repeat(1_000_000) }))
      assert.strictEqual(call?.modelId.length, 256)
    }))

  it.live("of a table with too few or too many fields, or a mark that never ends, is left out", () =>
    Effect.gen(function*() {
      const table = ["id,at,model,prompt", "a,2026-03-01,m,p", "b,2026-03-01", "c,2026-03-01,m,p,q,r", "", "d,2026-03-01,m,p"]
      assert.deepStrictEqual(namesOf(yield* batchesOf([fileOf(table.join("\n"))])), [
        "a", "unreadable_row", "unreadable_row", "d"
      ])
      const open = [...table.slice(0, 2), "b,2026-03-01,m,\"p", "c,2026-03-01,m,p"]
      assert.deepStrictEqual(namesOf(yield* batchesOf([fileOf(open.join("\n"))])), ["a", "truncated"])
    }))

  it.live("of OpenTelemetry with lists and objects where others belong is read as far as it goes", () =>
    Effect.gen(function*() {
      const rows = [
        { resourceSpans: "none" }, { resourceSpans: [null, 1, { scopeSpans: [{ spans: [7, null, { attributes: {} }] }] }] },
        { resourceSpans: [{ scopeSpans: [{ spans: [{ attributes: [{ key: "gen_ai.request.model" }], events: 5 }] }] }] },
        { resourceLogs: [{ scopeLogs: [{ logRecords: [{ attributes: null, eventName: "gen_ai.evaluation.result" }] }] }] }
      ]
      const items = yield* read([fileOf(rows.map((row) => JSON.stringify(row)).join("\n"))])
      assert.deepStrictEqual(leftOutOf(items), ["not_a_call", "no_model", "label_not_numeric: "])
    }))
})

/** Rows of somebody who can write into a log; the ids of the calls, and the reasons, that come of each. */
const attacks: ReadonlyArray<
  readonly [name: string, attack: string, ids: ReadonlyArray<string>, leftOut: ReadonlyArray<string>]
> = [
  ["a weight and a propensity of its own", ownRow(2, { provenance_weight: 1e9, weight: 1e9, propensity: 1e-9 }),
    ["call-2"], []],
  ["another account and namespace", ownRow(2, { account_id: "victim", lane: "victim", namespace: "other" }), ["call-2"],
    []],
  ["a source of labels that there is not", ownRow(2, { score: 1, evidence_source: "admin" }), ["call-2"],
    ["unusable_field: evidence_source: admin"]],
  ["a bill beyond all numbers", ownRow(2, { cost_usd: 1e308 }), ["call-2"], ["unusable_field: cost_usd: 1e+308"]],
  ["a quadrillion tokens", ownRow(2, { output_tokens: 1e15 }), ["call-2"],
    ["unusable_field: output_tokens: 1000000000000000"]],
  ["a date in the year 9999", ownRow(2, { at: "9999-12-31" }), [], ["implausible_date: 9999-12-31T00:00:00.000Z"]],
  ["a prompt of ten megabytes", ownRow(2, { prompt: "p ".repeat(5e6) }), ["call-2"], []],
  ["a hundred thousand tags", ownRow(2, { tags: Array.from({ length: 1e5 }, (_, i) => `t${i}`) }), ["call-2"], []],
  ["a row of seventeen megabytes", "a".repeat(17 * 2 ** 20), [], ["row_too_large"]]
]

describe("a log with a row of", () => {
  for (const [name, attack, ids, leftOut] of attacks) {
    it.live(`${name} is read around it, plain and packed`, () =>
      Effect.gen(function*() {
        const log = [ownRow(0), attack, ownRow(1)].join("\n")
        for (const content of [log, gzipSync(log)]) {
          const items = yield* read([fileOf(content)])
          const calls = callsOf(items)
          assert.deepStrictEqual(calls.map(({ id }) => id), ["call-0", ...ids, "call-1"])
          assert.deepStrictEqual(leftOutOf(items), leftOut)
          const chosen = ["accountId", "lane", "propensity", "provenanceWeight", "weight"]
          for (const call of calls) assert.doesNotHaveAnyKeys(call, chosen)
        }
      }))
  }
})

describe("a table", () => {
  it.live("is read with semicolons, tabs and bars between its fields", () =>
    Effect.gen(function*() {
      for (const delimiter of [",", ";", "\t", "|"]) {
        const table = [["id", "at", "model", "prompt"], ["a", "2026-03-01", "m", "One, two; three"]]
        const text = table.map((row) => row.map((field) => `"${field}"`).join(delimiter)).join("\n")
        assert.deepInclude(callsOf(yield* read([fileOf(text)]))[0], { id: "a", prompt: "One, two; three" })
      }
    }))
})

describe("values", () => {
  it("are dates of ISO 8601, PostgreSQL, ClickHouse and Python, and Unix times of four units", () => {
    const same = [
      "2026-03-02T12:01:00.123Z", "2026-03-02 12:01:00.123", "2026-03-02 12:01:00.123456", "2026-03-02 12:01:00.123 UTC",
      "2026-03-02T17:31:00.123+05:30", "2026-03-02 13:01:00.123+01", "2026-03-02T12:01:00.123456789Z",
      1_772_452_860.123, 1_772_452_860_123, "1772452860123", 1_772_452_860_123_456, "1772452860123456789"
    ]
    assert.deepStrictEqual(same.map((value) => dateOf(value)?.toISOString()), same.map(() => "2026-03-02T12:01:00.123Z"))
    assert.deepStrictEqual(["March 2", "2026-13-01", "2026-02-29", {}, NaN, null].map(dateOf), Array(6).fill(null))
    assert.strictEqual(dateOf("2028-02-29")?.toISOString(), "2028-02-29T00:00:00.000Z")
  })

  it("are counts where they are numbers of at least 0, also as text", () => {
    const unusable: UnusableFields = []
    assert.deepStrictEqual([7, "7", " 7 ", "7.4", 0].map((one) => countOf(one, "n", unusable)), [7, 7, 7, 7, 0])
    assert.deepStrictEqual([null, "", undefined].map((one) => countOf(one, "n", unusable)), [null, null, null])
    assert.deepStrictEqual(unusable, [])
    assert.deepStrictEqual(["0x10", true, [], -1].map((one) => countOf(one, "n", unusable)), Array(4).fill(null))
    assert.strictEqual(unusable.length, 4)
  })

  it("are prompts in the forms of four APIs, without what a tool or the model said", () => {
    const says = (content: unknown, role = "user") => ({ role, content })
    assert.deepStrictEqual([
      promptOf("plain"), promptOf([says("first"), says("answer", "assistant"), says("last")]),
      promptOf({ model: "m", messages: [says([{ type: "text", text: "a" }, { type: "image_url" }, { type: "text", text: "b" }])] }),
      promptOf([says("asked"), says([{ type: "tool_result", content: "a result" }])]),
      promptOf({ contents: [{ role: "user", parts: [{ text: "gemini" }] }] }),
      promptOf({ input: [says([{ type: "input_text", text: "responses" }])] }),
      promptOf(JSON.stringify({ prompt: ["one", "two"] })), promptOf("[not JSON")
    ], ["plain", "last", "a\nb", "asked", "gemini", "responses", "one\ntwo", "[not JSON"])
    assert.deepStrictEqual([{}, [], "", 5, [says([])], { messages: {} }].map(promptOf), Array(6).fill(null))
  })
})

it.live("A log that repeats a row yields it twice with the same id", () =>
  Effect.gen(function*() {
    const names = namesOf(yield* batchesOf([fixture("own.jsonl"), fixture("own.jsonl")]))
    assert.deepStrictEqual(names.slice(names.length / 2), names.slice(0, names.length / 2))
  }))
