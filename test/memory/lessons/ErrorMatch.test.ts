import { assert, describe, it } from "@effect/vitest"
import { matchError } from "../../../src/memory/lessons/ErrorMatch.ts"
import { keptOf } from "../../../src/memory/lessons/StoredLesson.ts"
import { freshScope, lessonIn } from "../fixtures.ts"

const scope = freshScope()
const kept = (lessonId: string, errorText: string | null, over: Partial<Parameters<typeof keptOf>[0]> = {}) =>
  keptOf(lessonIn(scope, { lessonId, lessonType: "failure", scope: "run", content: lessonId, errorText, ...over }))

const idsFor = (lessons: ReadonlyArray<ReturnType<typeof kept>>, errorText: string, errorType: string | null = null) =>
  matchError(lessons, { errorText, errorType, userId: null, limit: 25 }).lessons.map(({ lessonId }) => lessonId)

describe("matching an error", () => {
  it("puts the same error first, then those that read like it, and leaves the rest", () => {
    const lessons = [
      kept("like", "TypeError: Cannot read properties of undefined (reading 'total')"),
      kept("same", "TypeError: Cannot read properties of undefined (reading 'price')"),
      kept("other", "SyntaxError: Unexpected token in JSON at position 3"),
      kept("success", "TypeError: Cannot read properties of undefined (reading 'price')", { lessonType: "success" })
    ]
    assert.deepStrictEqual(
      idsFor(lessons, "Uncaught TypeError: Cannot read properties of undefined (reading 'price')\n    at /a/b.js:1:2"),
      ["same", "like"]
    )
  })

  it("finds the error wherever it stands in a pasted log", () => {
    const log = [
      "npm ERR! code ELIFECYCLE", "AssertionError: expected 3 to equal 4", "    at /ci/build/7/cart.test.js:9:1",
      "psycopg2.errors.UniqueViolation: duplicate key", "OperationalError: server closed the connection unexpectedly"
    ].join("\n")
    assert.deepStrictEqual(
      idsFor([kept("lost", "OperationalError: server closed the connection unexpectedly")], log),
      ["lost"]
    )
  })

  it("takes the error's class as a hint: it orders what matches and matches nothing by itself", () => {
    const lessons = [
      kept("a", "ValueError: price is missing in row 12"), kept("b", "KeyError: price is missing in row 12"),
      kept("c", "KeyError: nothing of the kind")
    ]
    const text = "LookupError: price is missing in row 99"
    assert.deepStrictEqual(idsFor(lessons, text, "builtins.KeyError").slice(0, 2), ["b", "a"])
    assert.deepStrictEqual(idsFor(lessons, text, "ValueError").slice(0, 2), ["a", "b"])
    assert.deepStrictEqual(idsFor(lessons, "segmentation violation", "KeyError"), [])
  })

  it("of text without any word matches only itself", () => {
    assert.deepStrictEqual(idsFor([kept("a", "TypeError: x is not a function")], "12 34"), [])
  })
})
