import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { gzipSync } from "node:zlib"
import { batchesOf, fileOf, fixture, namesOf, ownRow, read } from "./reading.ts"

const messageOf = (content: string | Uint8Array) =>
  Effect.map(Effect.flip(read([fileOf(content)])), ({ message }) => message)

describe("the recognition of a file", () => {
  for (
    const [name, format] of [
      ["litellm.jsonl", "litellm"], ["litellm.csv", "litellm"], ["langfuse-observations.jsonl", "langfuse"],
      ["langfuse-scores.csv", "langfuse"], ["helicone.json", "helicone"], ["openrouter.jsonl", "openrouter"],
      ["otel.jsonl", "otel"], ["own.jsonl", "jsonl"], ["own.csv", "csv"]
    ] as const
  ) {
    it.live(`finds ${format} in ${name} by its rows`, () =>
      Effect.gen(function*() {
        const batches = yield* batchesOf([fixture(name)])
        assert.isAbove(batches.length, 0)
        assert.deepStrictEqual([...new Set(batches.map((batch) => batch.format))], [format])
      }))
  }

  it.live("reads rows on lines, a list, and answers with a list; of objects over several lines one", () =>
    Effect.gen(function*() {
      const rows = [0, 1].map((i) => ownRow(i, { nested: { deep: [{ x: "}]\"" }] } }))
      const pretty = rows.map((row) => JSON.stringify(JSON.parse(row), null, 2))
      for (
        const content of [
          rows.join("\n"), rows.join("\r\n"), `\ufeff${rows.join("\n")}\n\n`, rows.join("\r\n"),
          `[${pretty.join(",")}]`, ` [\n${rows.join("\n,\n")}\n]\n`, `{"data": [${rows.join(",")}], "meta": {"page": 1}}`,
          `{\n  "data": [\n${pretty.join(",\n")}\n  ],\n  "meta": {}\n}\n`
        ]
      ) {
        assert.deepStrictEqual(namesOf(yield* batchesOf([fileOf(content)])), ["call-0", "call-1"], content)
      }
      assert.deepStrictEqual(namesOf(yield* batchesOf([fileOf(pretty[0]!)])), ["call-0"])
      assert.include(yield* messageOf(pretty.join("\n")), "not well formed")
    }))

  it.live("reads nothing from an empty file, packed or not", () =>
    Effect.gen(function*() {
      for (const content of ["", "\n \n", gzipSync("")]) {
        assert.deepStrictEqual(namesOf(yield* batchesOf([fileOf(content)])), [])
      }
    }))

  it.live("refuses Parquet, archives, other packings, databases and UTF-16, each with what to do", () =>
    Effect.gen(function*() {
      const contents = [
        "PAR1\u0015\u0004", "PK\u0003\u0004", Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0]), "SQLite format 3\0",
        Buffer.from(`\ufeff${ownRow(0)}`, "utf16le"), gzipSync(gzipSync(ownRow(0)))
      ]
      for (const content of contents) assert.match(yield* messageOf(content), /unpack it, or export .* in UTF-8/)
    }))

  it.live("refuses bytes that are no text, and gzip that breaks off at once", () =>
    Effect.gen(function*() {
      for (const bytes of [Buffer.alloc(5_000), Buffer.from("\u0001,\u0002,model\n"), Buffer.from([0x89, 1, 2, 3])]) {
        const message = yield* messageOf(bytes)
        assert.include(message, "this is no text")
        assert.notMatch(message, /[\u0000-\u001f]/)
      }
      assert.include(yield* messageOf(gzipSync(ownRow(0)).subarray(0, 12)), "nothing of it can be unpacked")
    }))

  it.live("refuses in doubt, and says what it saw", () =>
    Effect.gen(function*() {
      assert.include(yield* messageOf("just\nsome\nwords\n"), "names no columns")
      assert.include(yield* messageOf(`{"level":"info","msg":"started"}\n`), "fields level, msg")
      assert.include(yield* messageOf("not json at all {"), "names no columns")
      const both = [ownRow(0), `{"request_id":"a","call_type":"completion","startTime":"2026-03-01"}`].join("\n")
      assert.include(yield* messageOf(both), "litellm, jsonl")
    }))

  it.live("takes the format that was named where the rows alone would not tell", () =>
    Effect.gen(function*() {
      const path = fileOf(`{"id":"a","model":"m","at":"2026-03-01"}\n`)
      assert.strictEqual((yield* Effect.flip(read([path]))).reason, "unclear")
      assert.deepStrictEqual(namesOf(yield* batchesOf([path], { format: "jsonl" })), ["a"])
    }))
})
