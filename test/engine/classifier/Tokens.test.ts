import { assert, describe, it } from "@effect/vitest"
import {
  conceptMax, conceptsIn, decode, encode, keyStep, type Phrase, phraseTokensMax, tokens
} from "../../../src/engine/classifier/Tokens.ts"
import { offsetBasis } from "../../../src/stats/Hash.ts"
import { rowsIn } from "../../../scripts/training/words.ts"

const found = (text: string, table?: ReturnType<typeof decode>) => {
  const list = tokens(text.toLowerCase())
  const { ids, last, size } = conceptsIn(list, 0, list.size, table)
  return { ids: [...ids.subarray(0, size)], last }
}

/** A phrase of a text, and its beginnings. */
const phrases = (text: string, concepts: readonly [number, number]): ReadonlyArray<Phrase> => {
  const { hashes, size } = tokens(text)
  let key = offsetBasis
  return Array.from({ length: size }, (_, place) => {
    key = keyStep(key, hashes[place]!)
    return { key, concepts: place === size - 1 ? concepts : [0, 0], goesOn: place < size - 1 }
  })
}

describe("the concepts of a text", () => {
  const table = decode(encode([
    ...phrases("gist", [1, 0]), ...phrases("boil down", [1, 2]), ...phrases("要約", [1, 0]), ...phrases("poem", [3, 0])
  ]))

  it("are those of its words and phrases, each once, in the order in which they come", () => {
    assert.deepStrictEqual(found("A poem, then the gist of it, boil down", table), { ids: [3, 1, 2], last: 2 })
    assert.deepStrictEqual(found("この文章を要約して", table), { ids: [1], last: 1 })
  })

  it("are none for the beginning of a phrase, and for a phrase that the stretch cuts", () => {
    assert.deepStrictEqual(found("boil the water down", table), { ids: [], last: 0 })
    const list = tokens("boil down")
    assert.strictEqual(conceptsIn(list, 0, 1, table).size, 0)
    assert.strictEqual(conceptsIn(list, 1, 2, table).size, 0)
  })

  it("are none for an empty table", () => {
    assert.deepStrictEqual(found("gist", decode(new Uint8Array(0))), { ids: [], last: 0 })
  })

  it("are refused from a file that is cut", () => {
    assert.throws(() => decode(new Uint8Array(9)), RangeError)
  })

  it("stay bounded for any text", () => {
    for (const text of ["boil ".repeat(50_000), "要".repeat(50_000), "\0".repeat(1_000)]) {
      assert.isAtMost(found(text).ids.length, conceptMax)
    }
  })
})

describe("the committed concepts", () => {
  const rows = rowsIn<Readonly<Record<string, string | ReadonlyArray<string>>>>("concepts")

  it("are named once each, and no more than a byte can number", () => {
    assert.isAtMost(rows.length, conceptMax)
    assert.strictEqual(new Set(rows.map(({ concept }) => concept)).size, rows.length)
  })

  it("are found by every entry of the lexicon that is no longer than a phrase", () => {
    const missed = rows.flatMap((row, index) =>
      Object.values(row).filter((entries) => typeof entries !== "string").flat().filter((entry) => {
        const { size } = tokens(entry.toLowerCase())
        // A phrase that names three concepts in three languages keeps the first two.
        return size > 0 && size <= phraseTokensMax && !found(entry).ids.includes(index + 1)
      }))
    assert.isAtMost(missed.length, 25, missed.join("; "))
  })

  it("join languages: the same request names the same concepts in each", () => {
    const asks = [
      "Please summarize this text", "Bitte den Text zusammenfassen", "Peux-tu résumer ce texte ?",
      "¿Puedes resumir este texto?", "Pode resumir este texto?", "请总结这段文字", "この文章を要約してください"
    ]
    const summarize = rows.findIndex(({ concept }) => concept === "summarize") + 1
    for (const ask of asks) assert.include(found(ask).ids, summarize, ask)
  })
})
