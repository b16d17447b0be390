import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { cellsIn } from "../../src/cli/CellsFile.ts"
import { temporaryFolder } from "../support/temporaryFolder.ts"

it.effect("a file that is none of cells is refused, and nothing of it is repeated", () =>
  Effect.gen(function*() {
    const file = join(temporaryFolder(), "cells.json")
    for (const cells of ["{", "[]", '{"EU 1":{}}', '{"eu_1":{"DATABASE_URL":5,"KEY":"hidden"}}', "{}"]) {
      writeFileSync(file, cells)
      const { message } = yield* Effect.flip(cellsIn(file))
      assert.match(message, /is no file of cells|names no cell/)
      assert.notInclude(message, "hidden")
    }
  }))
