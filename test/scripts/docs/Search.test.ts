import { assert, describe, it } from "@effect/vitest"
import { excerptOf, found, type Section } from "../../../scripts/docs/Search.ts"

const section = (heading: string, text: string, page = "Page"): Section => ({ page, heading, url: `docs/page#${heading}`, text })
const headings = (sections: ReadonlyArray<Section>, query: string) => found(sections, query).map(({ heading }) => heading)

describe("the search of the documentation", () => {
  it("prefers a heading to a mention, and many mentions to one", () => {
    const sections = [section("a", "a budget"), section("b", "budget, budgets, budget"), section("Budgets", "money")]
    assert.deepStrictEqual(headings(sections, "budget"), ["Budgets", "b", "a"])
  })

  it("finds other forms of a word, and no word in which it only stands", () => {
    const sections = [section("a", "it retries twice"), section("b", "an entry"), section("c", "prompt caching")]
    assert.deepStrictEqual(headings(sections, "retry"), ["a"])
    assert.deepStrictEqual(headings(sections, "Caches"), ["c"])
    assert.deepStrictEqual(headings(sections, "try"), [])
  })

  it("yields what has every word, else what has any", () => {
    const sections = [section("a", "red"), section("b", "red and blue")]
    assert.deepStrictEqual(headings(sections, "blue red"), ["b"])
    assert.deepStrictEqual(headings(sections, "red green"), ["a", "b"])
    assert.deepStrictEqual(headings(sections, "$(* "), [])
  })

  it("reads a question as its telling words", () => {
    const sections = [section("How do I", "how do I, how do I"), section("a", "it scales")]
    assert.deepStrictEqual(headings(sections, "How do I scale?"), ["a"])
    assert.deepStrictEqual(headings(sections, "how"), ["How do I"])
  })

  it("shows the words where the text has them", () => {
    const long = section("a", `${"word ".repeat(60)}the needle ${"end ".repeat(60)}`)
    assert.match(excerptOf(long, "needles"), /^… word.* the needle end .* …$/)
    assert.strictEqual(excerptOf(section("a", "short"), "other"), "short")
  })
})
