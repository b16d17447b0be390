import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { appendFileSync } from "node:fs"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { batchesOf, callsOf, fileOf, fixture, folder, leftOutOf, namesOf, ownRow, read } from "./reading.ts"

describe("readLogs", () => {
  it.live("yields every row of a file in its order, and counts the bytes", () =>
    Effect.gen(function*() {
      const rows = Array.from({ length: 5_000 }, (_, i) => ownRow(i))
      const path = fileOf(rows.join("\n"))
      const batches = yield* batchesOf([path])
      assert.deepStrictEqual(namesOf(batches), rows.map((_, i) => `call-${i}`))
      assert.isAbove(batches.length, 2)
      assert.strictEqual(batches.at(-1)?.bytesRead, batches.at(-1)?.bytesTotal)
    }))

  it.live("reads gzip of several members as it reads the plain file", () =>
    Effect.gen(function*() {
      const packed = Buffer.concat([0, 1, 2].map((i) => gzipSync(`${ownRow(i)}\n`)))
      assert.deepStrictEqual(
        namesOf(yield* batchesOf([fileOf(packed)])), ["call-0", "call-1", "call-2"])
    }))

  it.live("reads gzip to its end where zeros follow it, and says where other bytes do", () =>
    Effect.gen(function*() {
      const rows = Array.from({ length: 4_000 }, (_, i) => `${ownRow(i)}\n`).join("")
      const names = rows.trim().split("\n").map((_, i) => `call-${i}`)
      for (const zeros of [1, 100, 40_000, 200_000]) {
        const path = fileOf(Buffer.concat([gzipSync(rows), Buffer.alloc(zeros)]))
        assert.deepStrictEqual(namesOf(yield* batchesOf([path])), names, `${zeros} zeros`)
      }
      const path = fileOf(Buffer.concat([gzipSync(rows), Buffer.from("no gzip")]))
      const read = namesOf(yield* batchesOf([path]))
      assert.strictEqual(read.at(-1), "truncated")
      assert.isAbove(read.length, 3_000)
    }))

  it.live("counts a last line that is cut off, and gzip that breaks off, and keeps what came before", () =>
    Effect.gen(function*() {
      const cut = `${ownRow(0)}\n${ownRow(1).slice(0, 40)}`
      assert.deepStrictEqual(namesOf(yield* batchesOf([fileOf(cut)])), ["call-0", "truncated"])
      const rows = Array.from({ length: 4_000 }, (_, i) => `${ownRow(i)}\n`).join("")
      const packed = gzipSync(rows)
      const names = namesOf(yield* batchesOf([fileOf(packed.subarray(0, packed.length - 2_000))]))
      assert.strictEqual(names.at(-1), "truncated")
      assert.isAbove(names.length, 1_000)
      assert.deepStrictEqual(names.slice(0, -1), names.slice(0, -1).map((_, i) => `call-${i}`))
    }))

  it.live("goes on after each batch where an earlier reading of the same content stopped", () =>
    Effect.gen(function*() {
      const rows = Array.from({ length: 6_000 }, (_, i) => `${ownRow(i)}\n`).join("")
      for (const path of [fileOf(rows), fileOf(gzipSync(rows))]) {
        const all = yield* batchesOf([path])
        for (const [i, { position }] of all.entries()) {
          const rest = yield* batchesOf([path], { from: [position] })
          assert.deepStrictEqual(namesOf(rest), namesOf(all.slice(i + 1)))
        }
      }
    }))

  it.live("reads of a log that has grown what is new, a line that was cut off included", () =>
    Effect.gen(function*() {
      const path = fileOf(`${ownRow(0)}\n${ownRow(1).slice(0, 40)}`)
      const position = (yield* batchesOf([path])).at(-1)?.position
      appendFileSync(path, `${ownRow(1).slice(40)}\n${ownRow(2)}\n`)
      assert.deepStrictEqual(
        namesOf(yield* batchesOf([path], { from: position === undefined ? [] : [position] })), ["call-1", "call-2"])
    }))

  it.live("fails with the file's name where a file is missing, or is a folder", () =>
    Effect.gen(function*() {
      for (const path of [join(folder, "missing.jsonl"), folder]) {
        const error = yield* Effect.flip(batchesOf([path]))
        assert.strictEqual(error.reason, "unreadable")
        assert.include(error.message, path)
      }
    }))

  it.live("says in a sentence what a missing file, a folder, a pipe and standard input are", () =>
    Effect.gen(function*() {
      const pipe = join(folder, "pipe")
      execFileSync("mkfifo", [pipe])
      const messageOf = (path: string) => Effect.map(Effect.flip(batchesOf([path])), ({ message }) => message)
      assert.strictEqual(yield* messageOf("/missing"), "/missing: there is no such file")
      assert.strictEqual(yield* messageOf(folder), `${folder}: this is a folder: name the files in it`)
      // A pipe that is opened waits for its writer.
      assert.include(yield* messageOf(pipe), "this is a pipe or a device")
      assert.include(yield* messageOf("/missing/../-"), "-: standard input is not read")
    }))

  it.live("resumes a list and a table as it resumes lines", () =>
    Effect.gen(function*() {
      const rows = Array.from({ length: 6_000 }, (_, i) => ownRow(i))
      const table = ["id,at,model,prompt", ...rows.map((_, i) => `call-${i},2026-03-01,model-a,"Line\n${i}"`)]
      for (const path of [fileOf(`[${rows.join(",\n")}]`), fileOf(`${table.join("\r\n")}\r\n`)]) {
        const all = yield* batchesOf([path])
        assert.strictEqual(namesOf(all).length, 6_000)
        for (const [i, { position }] of all.entries()) {
          assert.deepStrictEqual(namesOf(yield* batchesOf([path], { from: [position] })), namesOf(all.slice(i + 1)))
        }
      }
    }))

  it.live("reads a file from its beginning where a position is of another file", () =>
    Effect.gen(function*() {
      const other = (yield* batchesOf([fileOf(ownRow(7))])).at(-1)?.position
      assert.isDefined(other)
      assert.deepStrictEqual(namesOf(yield* batchesOf([fileOf(ownRow(8))], { from: [other!] })), ["call-8"])
    }))

  it.live("leaves out a row above 16 MB, and reads the rows around it", () =>
    Effect.gen(function*() {
      const large = ownRow(1, { prompt: "x".repeat(16 * 2 ** 20) })
      const fits = ownRow(2, { prompt: "x".repeat(2 ** 20) })
      for (const content of [[ownRow(0), large, fits].join("\n"), `[${[ownRow(0), large, fits].join(",")}]`]) {
        assert.deepStrictEqual(namesOf(yield* batchesOf([fileOf(content)])), ["call-0", "row_too_large", "call-2"])
      }
    }))

  it.live("joins scores to calls whatever the order of the files, and whichever file they are in", () =>
    Effect.gen(function*() {
      const files = ["langfuse-observations.jsonl", "langfuse-scores.jsonl"].map(fixture)
      const forward = callsOf(yield* read(files))
      assert.deepStrictEqual(forward.map(({ quality }) => quality), [1, 0.75, null])
      assert.deepStrictEqual(callsOf(yield* read(files.toReversed())), forward)
    }))

  it.live("counts the labels that say nothing once, wherever a reading stops and goes on", () =>
    Effect.gen(function*() {
      const files = ["langfuse-observations.jsonl", "langfuse-scores.jsonl"].map(fixture)
      const unfit = (names: ReadonlyArray<string>) =>
        names.filter((name) => name.startsWith("label_") && name !== "label_without_call").length
      const all = yield* batchesOf(files)
      assert.strictEqual(unfit(namesOf(all)), 4)
      // The last batch is the one of labels: a reading that stops before it has told of none.
      const last = all.findLastIndex(({ items }) => items.every(({ _tag }) => _tag === "Call"))
      assert.strictEqual(unfit(namesOf(all.slice(0, last + 1))), 0)
      const position = all.findLast(({ path }) => path === files[0])?.position
      assert.isDefined(position)
      const rest = namesOf(yield* batchesOf(files, { from: [position!] }))
      assert.deepStrictEqual([unfit(rest), rest.length], [4, 4])
    }))

  it.live("reads no label that was not asked for by its name", () =>
    Effect.gen(function*() {
      const files = ["langfuse-observations.jsonl", "langfuse-scores.jsonl"].map(fixture)
      const items = yield* read(files, { labelNames: ["correctness"] })
      assert.deepStrictEqual(callsOf(items).map(({ quality }) => quality), [0.25, null, null])
      assert.include(leftOutOf(items), "label_not_quality: review")
    }))
})
