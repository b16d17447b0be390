import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { makeSpinner } from "../../src/cli/StartSpinner.ts"
import { startStep } from "../../src/telemetry/StartSteps.ts"

/** A terminal that remembers what it shows: lines that ended, and the last one. */
const makeScreen = () => {
  const lines: Array<string> = []
  let last = ""
  return {
    lines,
    last: () => last,
    write: (text: string) => {
      for (const character of text.replaceAll("\r\u001b[K", "\f")) {
        if (character === "\f") last = ""
        else if (character === "\n") lines.push(last), last = ""
        else last += character
      }
    }
  }
}

const withoutTime = (line: string): string => line.replace(/\d+\.\d s/, "… s")

describe("The spinner of a start", () => {
  it("shows the step that runs, and leaves a line of each that has ended", () => {
    const screen = makeScreen()
    const { begin } = makeSpinner(screen)
    const endFirst = begin("Making a database")
    assert.match(screen.last(), /^\S Making a database$/)
    endFirst(true)
    const endSecond = begin("Migrating the database")
    assert.match(screen.last(), /^\S Migrating the database$/)
    endSecond(false)
    assert.strictEqual(screen.last(), "")
    assert.deepStrictEqual(screen.lines.map(withoutTime), ["✓ Making a database (… s)", "✗ Migrating the database (… s)"])
  })

  it("gives its line to a line of the log, and to nothing once all steps have ended", () => {
    const screen = makeScreen()
    const { begin, yieldLine } = makeSpinner(screen)
    const end = begin("Starting PostgreSQL")
    yieldLine()
    screen.write("level=WARN\n")
    end(true)
    screen.write("Sextant is ready")
    yieldLine()
    assert.deepStrictEqual(screen.lines.map(withoutTime), ["level=WARN", "✓ Starting PostgreSQL (… s)"])
    assert.strictEqual(screen.last(), "Sextant is ready")
  })

  it("shows a step within a step, and the outer one again after it", () => {
    const screen = makeScreen()
    const { begin } = makeSpinner(screen)
    const endOuter = begin("outer")
    const endInner = begin("inner")
    assert.match(screen.last(), /inner$/)
    endInner(true)
    begin("another")(true)
    endOuter(true)
    assert.deepStrictEqual(screen.lines.map(withoutTime), ["✓ inner (… s)", "✓ another (… s)", "✓ outer (… s)"])
  })
})

describe("A step of a start", () => {
  it.effect("is a line of the log before its work where no terminal shows it", () =>
    Effect.gen(function*() {
      const said: Array<string> = []
      const logger = Logger.make(({ message }) => void said.push(String(message)))
      const work = Effect.sync(() => said.push("work"))
      yield* startStep("Making a database", work).pipe(Effect.provide(Logger.layer([logger])))
      assert.deepStrictEqual(said, ["Making a database", "work"])
    }))
})
