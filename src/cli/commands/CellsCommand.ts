/* `sextant cells`: runs a command in each cell, one cell after the other. */
import { Console, Effect, Stream } from "effect"
import { Argument, Command } from "effect/cli"
import { ChildProcess } from "effect/process"
import { cellsFile, cellsIn, withoutOurs } from "../CellsFile.ts"
import { refusal } from "../Refusal.ts"

/** This program with other words, in a cell's environment; yields its exit code. */
const runIn = (cell: string, environment: Readonly<Record<string, string>>, words: ReadonlyArray<string>) =>
  Effect.scoped(Effect.gen(function*() {
    const [, program = ""] = process.argv
    const named = words.map((word) => word.replaceAll("{cell}", cell))
    const child = yield* ChildProcess.make(process.execPath, [...process.execArgv, program, ...named], {
      env: { OTEL_RESOURCE_ATTRIBUTES: `sextant.cell=${cell}`, ...withoutOurs(), ...environment },
      extendEnv: true
    })
    yield* child.all.pipe(
      Stream.decodeText, Stream.splitLines, Stream.runForEach((line) => Console.log(`${cell} | ${line}`))
    )
    return yield* child.exitCode
  }))

/** Stops a release at the first cell that fails; looks at all of them otherwise. */
const stopsAtFailure = (words: ReadonlyArray<string>): boolean => words[0] === "migrate"

export const cells = Command.make(
  "cells",
  {
    file: cellsFile,
    words: Argument.String("command").pipe(
      Argument.withDescription("A command; its flags stand behind --, and {cell} is the cell's name"),
      Argument.variadic({ min: 1 })
    )
  },
  ({ file, words }) =>
    Effect.gen(function*() {
      const failed: Array<string> = []
      for (const [cell, environment] of Object.entries(yield* cellsIn(file))) {
        if (failed.length > 0 && stopsAtFailure(words)) break
        if (Number(yield* runIn(cell, environment, words)) !== 0) failed.push(cell)
      }
      if (failed.length > 0) {
        return yield* refusal(`${words[0]} failed in ${failed.join(", ")}`
          + `${stopsAtFailure(words) ? ", and the cells after it were left as they are" : ""}`)
      }
    })
)
