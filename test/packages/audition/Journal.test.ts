import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { type CellResult, type Header, openJournal, readJournal } from "../../../packages/audition/src/Journal.ts"
import { temporaryDirectory } from "../../support/Databases.ts"

const header: Header = { audition: 1, prompts: "p", models: ["a", "b"], gradedBy: "judge j", outputTokensMax: 100 }
const reservation = (cell: number, reservedUsd: number) => ({ cell, prompt: cell, model: 0, reservedUsd })
const result = (cell: number, spentUsd: number): CellResult => ({
  cell, prompt: cell, model: 0, at: 1, spentUsd, judgeUsd: 0, costUsd: spentUsd, inputTokens: 1, outputTokens: 1,
  latencyMs: 1, quality: 1, isCutOff: false, leftOut: null
})
const textOf = (...rows: ReadonlyArray<object>): string => [header, ...rows].map((row) => `${JSON.stringify(row)}\n`).join("")

describe("the journal", () => {
  it("counts an unfinished reservation as spent, with later ones of its pair that were freed", () => {
    const kept = readJournal(textOf(
      reservation(0, 2), reservation(1, 3), result(0, 1), reservation(1, 4), reservation(2, 5), reservation(1, -6),
      { clearAtUsd: null }
    ), header)
    assert.deepInclude(kept, { unfinishedUsd: 6, cells: 3, results: [result(0, 1)], clearAtUsd: [null] })
  })

  it("reads every prefix of itself, never as less than the finished and reserved of its lines", () => {
    const text = textOf(reservation(0, 2), reservation(1, 3), result(0, 1))
    const first = textOf().length
    for (let end = first; end <= text.length; end++) {
      const kept = readJournal(text.slice(0, end), header)
      assert.isNotString(kept)
      if (typeof kept === "string") continue
      const whole = text.slice(0, end).split("\n").length - 2
      const committed = kept.unfinishedUsd + kept.results.reduce((sum, { spentUsd }) => sum + spentUsd, 0)
      // A last line that lacks its line feed alone counts already.
      assert.include([0, 2, 5, 4].slice(whole, whole + 2), committed)
    }
  })

  for (
    const [name, other, words] of [
      ["prompts", { prompts: "q" }, "other prompts"], ["models", { models: ["a"] }, "other models"],
      ["judge", { gradedBy: "judge k" }, "other judge or gate"], ["tokens", { outputTokensMax: 9 }, "other --max-output-tokens"]
    ] as const
  ) {
    it(`of other ${name} is refused`, () => {
      assert.include(readJournal(textOf(), { ...header, ...other }), words)
    })
  }

  it.live("goes on after a torn last line, in a line of its own", () =>
    Effect.scoped(Effect.gen(function*() {
      const path = join(yield* temporaryDirectory, "journal.jsonl")
      const torn = JSON.stringify(result(0, 1)).slice(0, 40)
      writeFileSync(path, textOf(reservation(0, 2)) + torn)
      yield* Effect.scoped(Effect.gen(function*() {
        const journal = yield* openJournal(path, header)
        assert.deepInclude(journal, { unfinishedUsd: 2, cells: 1, results: [] })
        yield* journal.reserve(reservation(1, 3))
        yield* journal.settle(result(1, 1))
      }))
      assert.strictEqual(readFileSync(path, "utf8"), `${textOf(reservation(0, 2))}${torn}\n`
        + `${JSON.stringify(reservation(1, 3))}\n${JSON.stringify(result(1, 1))}\n`)
      const again = yield* openJournal(path, header)
      assert.deepInclude(again, { unfinishedUsd: 2, cells: 2, results: [result(1, 1)] })
    })))

  it.live("refuses a file that is something else, and leaves it as it was", () =>
    Effect.scoped(Effect.gen(function*() {
      const path = join(yield* temporaryDirectory, "notes.txt")
      writeFileSync(path, "my notes\n")
      const failure = yield* Effect.flip(openJournal(path, header))
      assert.include(failure.message, "it is no journal of an audition")
      assert.strictEqual(readFileSync(path, "utf8"), "my notes\n")
    })))

  it.live("refuses a second run beside a running one, and takes over from one that was killed", () =>
    Effect.scoped(Effect.gen(function*() {
      const path = join(yield* temporaryDirectory, "journal.jsonl")
      // The first process of the machine runs always; a number beyond all processes never does.
      writeFileSync(`${path}.lock`, "1")
      assert.include((yield* Effect.flip(openJournal(path, header))).message, "process 1 is running this audition")
      writeFileSync(`${path}.lock`, "4194305")
      assert.strictEqual((yield* openJournal(path, header)).cells, 0)
    })))
})
