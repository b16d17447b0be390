import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Decision } from "../../../src/domain/Decision.ts"
import { lineOf, linesIn } from "../../../src/ledger/buffer/SpoolLines.ts"
import { decision } from "../../support/builders.ts"
import { temporaryDirectory } from "../../support/Databases.ts"

const decisions: ReadonlyArray<Decision> = [
  decision({ taskExcerpt: "first \u2028 line\n" }),
  { ...decision({ userId: "user" }), taskExcerpt: "", taskVectors: [{ embedder: "e", scale: 0.1, vector: "AQID" }] },
  { ...decision({ taskExcerpt: "x".repeat(40_000) }), isShadow: true },
  decision({ taskExcerpt: "naïve, 日本語" })
]
const whole = Buffer.from(decisions.map(lineOf).join(""))

const readAll = (bytes: Buffer) =>
  Effect.gen(function*() {
    const path = join(yield* temporaryDirectory, "a.spool")
    writeFileSync(path, bytes)
    return yield* Effect.promise(async () => {
      const read = { decisions: Array<Decision>(), damaged: 0, unreadable: 0 }
      for await (const lines of linesIn(path)) {
        read.decisions.push(...lines.decisions)
        read.damaged += lines.damaged
        read.unreadable += lines.unreadable
      }
      return read
    })
  }).pipe(Effect.scoped)

describe("the lines of a spool", () => {
  it.effect("are read as they were written, also over several pieces of the file", () =>
    Effect.gen(function*() {
      const many = Array.from({ length: 40 }, () => decisions).flat()
      assert.deepStrictEqual(yield* readAll(Buffer.from(many.map(lineOf).join(""))),
        { decisions: many, damaged: 0, unreadable: 0 })
    }))

  it.effect("come back up to a torn end, wherever it was torn", () =>
    Effect.gen(function*() {
      const last = whole.lastIndexOf("\n\n") + 1
      for (let end = last; end < whole.length - 1; end += 17) {
        assert.deepStrictEqual(yield* readAll(whole.subarray(0, end)),
          { decisions: decisions.slice(0, 3), damaged: 0, unreadable: 0 })
      }
    }))

  it.effect("lose one decision and no more to one damaged byte, and say so", () =>
    Effect.gen(function*() {
      const ends = [...whole.keys()].filter((at) => whole[at] === 10)
      for (const at of [...ends, ...Array.from({ length: 100 }, (_, i) => i * 411)]) {
        for (const bits of [0x55, (whole[at] ?? 0) ^ 10]) {
          const bytes = Buffer.from(whole)
          bytes[at] = (bytes[at] ?? 0) ^ bits
          const { damaged, decisions: read } = yield* readAll(bytes)
          assert.isAtLeast(read.length, 3, `byte ${at}`)
          for (const each of read) assert.deepInclude(decisions, each)
          // The last end of line may go: what is before it is whole.
          if (read.length < 4) assert.isAtLeast(damaged + Number(at > whole.lastIndexOf("\n\n")), 1, `byte ${at}`)
        }
      }
    }), 60_000)

  it.effect("are found after megabytes of rubbish, and what is another thing is not read", () =>
    Effect.gen(function*() {
      const rubbish = Buffer.concat([Buffer.alloc(9_000_000, "S"), whole])
      assert.deepStrictEqual((yield* readAll(rubbish)).decisions, decisions)
      for (const text of ["", "{", "{}", "[]", lineOf(decisions[0] ?? assert.fail()).replace("{", "")]) {
        assert.deepStrictEqual((yield* readAll(Buffer.from(text))).decisions, [])
      }
    }))
})
