import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
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

  it.live("leaves out a line above 16 MB and reads those around it; a list with such a row is refused", () =>
    Effect.gen(function*() {
      const large = ownRow(1, { prompt: "x".repeat(16 * 2 ** 20) })
      const fits = ownRow(2, { prompt: "x".repeat(2 ** 20) })
      const rows = [ownRow(0), large, fits]
      assert.deepStrictEqual(
        namesOf(yield* batchesOf([fileOf(rows.join("\n"))])), ["call-0", "row_too_large", "call-2"])
      const error = yield* Effect.flip(batchesOf([fileOf(`[${rows.join(",")}]`)]))
      assert.include(error.message, "exceeds")
    }))

  it.live("joins scores to calls whatever the order of the files, and whichever file they are in", () =>
    Effect.gen(function*() {
      const files = ["langfuse-observations.jsonl", "langfuse-scores.jsonl"].map(fixture)
      const forward = callsOf(yield* read(files))
      assert.deepStrictEqual(forward.map(({ quality }) => quality), [1, 0.75, null])
      assert.deepStrictEqual(callsOf(yield* read(files.toReversed())), forward)
    }))

  it.live("counts the labels that say nothing once, at the end", () =>
    Effect.gen(function*() {
      const names = namesOf(yield* batchesOf(["langfuse-observations.jsonl", "langfuse-scores.jsonl"].map(fixture)))
      const unfit = names.filter((name) => name.startsWith("label_") && name !== "label_without_call")
      assert.strictEqual(unfit.length, 4)
      assert.deepStrictEqual(names.slice(-unfit.length - 1).filter((name) => unfit.includes(name)), unfit)
    }))

  it.live("reads no label that was not asked for by its name", () =>
    Effect.gen(function*() {
      const files = ["langfuse-observations.jsonl", "langfuse-scores.jsonl"].map(fixture)
      const items = yield* read(files, { labelNames: ["correctness"] })
      assert.deepStrictEqual(callsOf(items).map(({ quality }) => quality), [0.25, null, null])
      assert.include(leftOutOf(items), "label_not_quality: review")
    }))
})
