import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { readFileSync } from "node:fs"
import { verdictsSection, verdictsWords } from "../../packages/dashboard/src/VerdictsSection.ts"
import { htmlOf } from "../../packages/dashboard/src/Html.ts"
import type { LedgerRow } from "../../src/domain/Decision.ts"
import { VerdictsNeeded } from "../../src/domain/reports/VerdictsNeeded.ts"
import type { CellSums } from "../../src/reports/Aggregates.ts"
import { verdictsNeededOf } from "../../src/reports/VerdictsNeeded.ts"
import { answersOn } from "../packages/dashboard/answers.ts"
import { overview, referenceWindow } from "./reference/Overview.ts"
import { decidedAt, reported } from "./rows.ts"

const cell = (modelId: string, nOutcomes: number, successes: number, but: Partial<CellSums> = {}): CellSums => ({
  cluster: "code:hard", modelId, nOutcomes, successes, nRecommended: 0, nPredicted: 0, predicted: 0, nBilled: 0,
  billedUsd: 0, nOutliers: 0, outliersUsd: 0, ...but
})
/** Bills of a model whose calls cost so much each. */
const billed = (usd: number) => ({ nBilled: 10, billedUsd: 10 * usd })
const usual = cell("usual", 40, 32, { nRecommended: 50, ...billed(0.1) })

const rivalsOf = (...others: ReadonlyArray<CellSums>) =>
  verdictsNeededOf([usual, ...others], 10).map(({ rival }) => rival.modelId)

describe("the verdicts that a kind of task needs", () => {
  it("are of the model recommended most and its nearest rival, at the rate of verdicts there", () => {
    const [needed, ...others] = verdictsNeededOf([cell("near", 10, 7), usual, cell("far", 10, 2)], 10)
    assert.lengthOf(others, 0)
    assert.deepInclude(needed, { cluster: "code:hard", verdictsPerDay: 6 })
    assert.deepInclude(needed?.usual, { modelId: "usual", nVerdicts: 40 })
    assert.deepInclude(needed?.rival, { modelId: "near", nVerdicts: 10 })
    const { days, verdicts, verdictsPaired } = needed ?? assert.fail("nothing is compared")
    assert.isAbove(verdicts ?? 0, 20)
    assert.isBelow(verdictsPaired ?? Infinity, verdicts ?? 0)
    assert.strictEqual(days, Math.ceil((verdicts ?? 0) / 6))
  })

  it("are of no rival that is dearer and worse, nor of one with fewer than three verdicts", () => {
    assert.deepStrictEqual(rivalsOf(cell("dear", 10, 7, billed(0.2))), [])
    assert.deepStrictEqual(rivalsOf(cell("of unknown cost", 10, 7)), ["of unknown cost"])
    assert.deepStrictEqual(rivalsOf(cell("new", 2, 1)), [])
    assert.deepStrictEqual(rivalsOf(cell("dear", 10, 7, billed(0.2)), cell("cheap", 10, 4, billed(0.01))), ["cheap"])
    assert.deepStrictEqual(rivalsOf(cell("dear and better", 10, 10, billed(0.2))), ["dear and better"])
  })

  it("leave out what outliers cost, as the table of models does", () => {
    const odd = { nBilled: 10, billedUsd: 9 * 0.01 + 1_000, nOutliers: 1, outliersUsd: 1_000 }
    assert.deepStrictEqual(rivalsOf(cell("cheap", 10, 7, odd)), ["cheap"])
  })

  it("are rather of a rival that is not told apart than of a nearer one that is", () => {
    const known = [cell("usual", 5_000, 4_000, { nRecommended: 1 }), cell("known", 5_000, 3_990)]
    const rivals = (cells: ReadonlyArray<CellSums>) => verdictsNeededOf(cells, 10).map(({ rival }) => rival.modelId)
    assert.deepStrictEqual(rivals(known), ["known"])
    assert.deepStrictEqual(rivals([...known, cell("unknown", 5, 3)]), ["unknown"])
  })

  it("are 0 where the two are told apart, which names the better one", () => {
    const [needed] = verdictsNeededOf([cell("usual", 400, 300, { nRecommended: 400 }), cell("rival", 400, 380)], 10)
    assert.deepInclude(needed, { verdicts: 0, verdictsPaired: 0, days: 0 })
  })

  it("are compared within a kind of task, and the kind with most verdicts comes first", () => {
    const other = { cluster: "writing:easy" }
    const all = verdictsNeededOf(
      [usual, cell("near", 10, 7), cell("a", 90, 60, { nRecommended: 9, ...other }), cell("b", 30, 20, other)], 10
    )
    assert.deepStrictEqual(all.map(({ cluster, rival }) => [cluster, rival.modelId]), [["writing:easy", "b"], ["code:hard", "near"]])
    assert.deepStrictEqual(verdictsNeededOf([usual, cell("b", 30, 20, other)], 10), [])
  })
})

/** Outcomes of two models on one kind of task, so many verdicts each, of which every third fails. */
const rows = (count: number): ReadonlyArray<LedgerRow> =>
  Array.from({ length: count }, (_, i) => ["small", "large"].map((chosenModelId) =>
    reported({ chosenModelId, outcome: i % 3 === 0 ? "failure" : "success" }))).flat()

describe("the verdicts needed, on the page", () => {
  it("are the book's sentence after 40 verdicts of one and 12 of another in nine days", () => {
    const [needed] = verdictsNeededOf([cell("claude-haiku-4-5", 40, 34, { nRecommended: 50 }), cell("gpt-5-mini", 12, 8)], 9)
    const words = verdictsWords(Schema.encodeSync(VerdictsNeeded)(needed ?? assert.fail("nothing is compared")))
    assert.strictEqual(
      words,
      "hard code: claude-haiku-4-5 and gpt-5-mini: about 52 more verdicts (9 days at your rate) to tell; 36 if both run each task."
    )
    assert.include(readFileSync(new URL("../../docs/using/what-to-change.md", import.meta.url), "utf8"), `\n${words}\n`)
  })

  it("come at the rate since the first decision, not since the window began", () => {
    const day = 86_400_000
    const end = referenceWindow.since.getTime() + referenceWindow.days * day
    const first = Date.parse(decidedAt.toISOString().slice(0, 10))
    assert.closeTo(overview(rows(10)).verdictsNeeded[0]?.verdictsPerDay ?? 0, 20 * day / (end - first), 1e-9)
  })

  it("are a sentence: two models, how many more, in how many days, and how many where both run", () => {
    const answers = answersOn(rows(10))
    const [needed] = answers.dashboard.verdicts_needed ?? []
    const words = verdictsWords(needed ?? assert.fail("nothing is compared"))
    assert.match(words, /^hard code: small and large: about \d+ more verdicts \(\d+ days at your rate\) to tell; \d+ if both run each task\.$/)
    const section = verdictsSection(answers)
    assert.include(section === null ? "" : htmlOf(section), "How many verdicts it takes")
    assert.isNull(verdictsSection(answersOn([reported()])))
  })

  it("are rounded up to two digits, never to fewer than it takes", () => {
    const needed = answersOn(rows(10)).dashboard.verdicts_needed?.[0] ?? assert.fail("nothing is compared")
    const wordsOf = (verdicts: number | null, paired: number | null = null) =>
      verdictsWords({ ...needed, verdicts, verdicts_paired: paired, days: 3 })
    assert.include(wordsOf(121), "about 130 more verdicts")
    assert.include(wordsOf(1_990), "about 2,000 more verdicts")
    assert.include(wordsOf(8), "about 8 more verdicts")
    assert.include(wordsOf(null, 3_100), "over 4,000 more verdicts to tell; 3,100 if both run each task.")
    assert.include(wordsOf(0, 0), "told apart, ")
  })
})
