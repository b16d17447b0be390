import { assert, it } from "@effect/vitest"
import { Schema } from "effect"
import { embedLexical } from "../../../src/embedder/lexical/EmbedderLexical.ts"

const cosine = (left: string, right: string): number => {
  const a = embedLexical(left)
  const b = embedLexical(right)
  return a.reduce((sum, coordinate, index) => sum + coordinate * b[index]!, 0)
}

it("near-duplicates have a cosine above 0.9", () => {
  assert.isAbove(
    cosine(
      "Refactor the payment module so that retries are idempotent; order 4711",
      "Refactor the payment module so that retries are idempotent; order 4712"
    ),
    0.9
  )
})

it("unrelated short texts have a cosine below 0.3", () => {
  const texts = [
    "Write a function that sums a list of integers in Python",
    "Translate this letter into French, please",
    "Summarise the attached quarterly report for the board",
    "What is the capital of Mongolia?"
  ]
  for (const [index, text] of texts.entries()) {
    for (const other of texts.slice(index + 1)) assert.isBelow(cosine(text, other), 0.3)
  }
})

it("case and white space do not change a vector", () => {
  assert.closeTo(cosine("Sum  a LIST\n of integers", "sum a list of integers"), 1, 1e-6)
})

it("a text has the same vector each time", () => {
  const first = embedLexical("sum a list")
  embedLexical("something else entirely, and longer")
  assert.deepStrictEqual(embedLexical("sum a list"), first)
})

it("a blank text is similar to nothing", () => {
  for (const blank of ["", " \n\t", "\u0000"]) assert.strictEqual(cosine(blank, "sum a list"), 0)
})

it("words outside the excerpt do not change a vector, and the last words of the text do", () => {
  const long = "alpha beta gamma ".repeat(1_000)
  const changed = `${long.slice(0, 5_000)}zebra${long.slice(5_005)}`
  assert.closeTo(cosine(long, changed), 1, 1e-6)
  assert.isBelow(cosine(long, `${long.slice(0, -600)}${"omega psi ".repeat(60)}`), 0.999)
})

it.prop("every text gives a unit vector or the zero vector", { text: Schema.String }, ({ text }) => {
  for (const candidate of [text, `${text}\u0000😀`, `\ud800${text}`]) {
    const norm = Math.hypot(...embedLexical(candidate))
    assert.isTrue(norm === 0 || Math.abs(norm - 1) < 1e-5)
  }
})
