import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { appendFileSync, mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import type { LogBatch, LogItem, LogPosition } from "../../src/logs/LoggedCall.ts"
import { readLogs } from "../../src/logs/ReadLogs.ts"

const folder = mkdtempSync(join(tmpdir(), "sextant-logs-"))

const fileOf = (name: string, content: string | Uint8Array): string => {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}

const ownRow = (i: number) => JSON.stringify({
  id: `call-${i}`, at: "2026-03-01T10:00:00Z", model: "model-a", prompt: `Sum the numbers up to ${i}.`
})

const batchesOf = (paths: ReadonlyArray<string>, from: ReadonlyArray<LogPosition> = []) =>
  Stream.runCollect(readLogs(paths, { format: "jsonl", from }))

const itemsOf = (batches: ReadonlyArray<LogBatch>): ReadonlyArray<LogItem> =>
  batches.flatMap(({ items }) => items)

/** Calls by their ids, and what was left out by its reason. */
const namesOf = (batches: ReadonlyArray<LogBatch>): ReadonlyArray<string> =>
  itemsOf(batches).map((item) => item._tag === "Call" ? item.call.id : item.reason)

describe("readLogs", () => {
  it.live("yields every row of a file in its order, and counts the bytes", () =>
    Effect.gen(function*() {
      const rows = Array.from({ length: 5_000 }, (_, i) => ownRow(i))
      const path = fileOf("order.jsonl", rows.join("\n"))
      const batches = yield* batchesOf([path])
      assert.deepStrictEqual(namesOf(batches), rows.map((_, i) => `call-${i}`))
      assert.isAbove(batches.length, 2)
      assert.strictEqual(batches.at(-1)?.bytesRead, batches.at(-1)?.bytesTotal)
    }))

  it.live("reads gzip of several members as it reads the plain file", () =>
    Effect.gen(function*() {
      const packed = Buffer.concat([0, 1, 2].map((i) => gzipSync(`${ownRow(i)}\n`)))
      assert.deepStrictEqual(
        namesOf(yield* batchesOf([fileOf("members.jsonl.gz", packed)])), ["call-0", "call-1", "call-2"])
    }))

  it.live("counts a last line that is cut off, and gzip that breaks off, and keeps what came before", () =>
    Effect.gen(function*() {
      const cut = `${ownRow(0)}\n${ownRow(1).slice(0, 40)}`
      assert.deepStrictEqual(namesOf(yield* batchesOf([fileOf("cut.jsonl", cut)])), ["call-0", "truncated"])
      const rows = Array.from({ length: 4_000 }, (_, i) => `${ownRow(i)}\n`).join("")
      const packed = gzipSync(rows)
      const names = namesOf(yield* batchesOf([fileOf("cut.gz", packed.subarray(0, packed.length - 2_000))]))
      assert.strictEqual(names.at(-1), "truncated")
      assert.isAbove(names.length, 1_000)
      assert.deepStrictEqual(names.slice(0, -1), names.slice(0, -1).map((_, i) => `call-${i}`))
    }))

  it.live("goes on after each batch where an earlier reading of the same content stopped", () =>
    Effect.gen(function*() {
      const rows = Array.from({ length: 6_000 }, (_, i) => `${ownRow(i)}\n`).join("")
      for (const path of [fileOf("resume.jsonl", rows), fileOf("resume.jsonl.gz", gzipSync(rows))]) {
        const all = yield* batchesOf([path])
        for (const [i, { position }] of all.entries()) {
          const rest = yield* batchesOf([path], [position])
          assert.deepStrictEqual(namesOf(rest), namesOf(all.slice(i + 1)))
        }
      }
    }))

  it.live("reads of a log that has grown what is new, a line that was cut off included", () =>
    Effect.gen(function*() {
      const path = fileOf("grown.jsonl", `${ownRow(0)}\n${ownRow(1).slice(0, 40)}`)
      const position = (yield* batchesOf([path])).at(-1)?.position
      appendFileSync(path, `${ownRow(1).slice(40)}\n${ownRow(2)}\n`)
      assert.deepStrictEqual(
        namesOf(yield* batchesOf([path], position === undefined ? [] : [position])), ["call-1", "call-2"])
    }))

  it.live("fails with the file's name where a file is missing, or is a folder", () =>
    Effect.gen(function*() {
      for (const path of [join(folder, "missing.jsonl"), folder]) {
        const error = yield* Effect.flip(batchesOf([path]))
        assert.strictEqual(error.reason, "unreadable")
        assert.include(error.message, path)
      }
    }))
})
