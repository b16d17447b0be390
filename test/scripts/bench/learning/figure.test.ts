import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { copies, type Copy, type LearningReport } from "../../../../scripts/bench/learning/copies.ts"
import type { DecileFigures } from "../../../../scripts/bench/learning/deciles.ts"
import { figureOf } from "../../../../scripts/bench/learning/figure.ts"
import { compare, deciles, secondHalf, summaryOf, wholeStream } from "../../../../scripts/bench/learning/summary.ts"
import { element, ticksOf } from "../../../../scripts/bench/learning/svg.ts"
import { tablesOf } from "../../../../scripts/bench/learning/tables.ts"

const figures = (quality: number): DecileFigures =>
  ({ quality, costUsd: 0.002, costRatio: 0.4, ece: 0.05, eceFloor: 0.03, regret: 0.9 - quality, lift: 0 })

/** Starts at `from` and gains `step` with every tenth. */
const report = (set: string, seed: number, copy: Copy, from: number, step: number): LearningReport => ({
  set,
  seed,
  copy,
  rows: 100,
  runs: [0, 10].map((slider) => ({ slider, deciles: deciles.map((_, i) => figures(from + i * step)) }))
})

/** The second seed's prompts are easier by .2 for everyone, and the learning copy gains .01 a tenth. */
const reports = ["one", "two"].flatMap((set) =>
  [1, 2].flatMap((seed) =>
    copies.map((copy) => report(set, seed, copy, 0.4 + 0.2 * seed, copy === "learning" ? 0.01 : 0))))

describe("copies compared", () => {
  it("what is easier for all copies of a seed leaves their paired difference without error", () => {
    const tenth = compare(reports, "quality", deciles[9]!)
    assert.closeTo(tenth.learning.mean, 0.79, 1e-12)
    assert.closeTo(tenth.learning.error, 0.1, 1e-12)
    assert.closeTo(tenth.overCold.mean, 0.09, 1e-12)
    assert.closeTo(tenth.overCold.error, 0, 1e-12)
    assert.closeTo(tenth.overShuffled.mean, 0.09, 1e-12)
  })

  it("a span is the mean of its tenths", () => {
    assert.closeTo(compare(reports, "quality", wholeStream).overCold.mean, 0.045, 1e-12)
    assert.closeTo(compare(reports, "quality", secondHalf).overCold.mean, 0.07, 1e-12)
  })

  it("every set weighs the same", () => {
    const odd = [...reports, report("three", 1, "cold", 0, 0), report("three", 2, "cold", 0.2, 0)]
    assert.closeTo(compare(odd, "quality", wholeStream).cold.mean, (0.7 + 0.7 + 0.1) / 3, 1e-12)
  })

  it("the summary holds every figure by tenth", () => {
    const { quality, regret } = summaryOf(reports)
    assert.lengthOf(quality?.deciles ?? [], 10)
    assert.closeTo(regret?.all.overCold.mean ?? 0, -0.045, 1e-12)
  })
})

it("the tables name both differences, the last tenth and every set", () => {
  const tables = tablesOf(reports)
  assert.match(tables, /^10 +0\.790\+-0\.100 +0\.700\+-0\.100 .* 0\.090\+-0\.000/m)
  assert.match(tables, /learning-cold +learning-shuffled/)
  assert.match(tables, /^one +100 +0\.070\+-0\.000/m)
})

describe("the drawing", () => {
  const svg = figureOf(reports, "2 seeds of <\"easy\" & hard>")

  it("closes what it opens, escapes what it is told, and has no number that is none", () => {
    const open: Array<string> = []
    const tags = svg.matchAll(/<(\/?)([a-z]+)(?:\s[\w:-]+="[^"<]*")*(\/?)>/gi)
    for (const [, closing, name = "", empty] of tags) {
      if (closing === "/") assert.strictEqual(open.pop(), name)
      else if (empty !== "/") open.push(name)
    }
    assert.isEmpty(open)
    // Every angle bracket belongs to an element.
    assert.notMatch(svg.replace(/<\/?[a-z]+(?:\s[\w:-]+="[^"<]*")*\/?>/gi, ""), /[<>]/)
    assert.include(svg, "&lt;&quot;easy&quot; &amp; hard&gt;")
    assert.notMatch(svg, /NaN|Infinity|undefined/)
  })

  it("has a title, a description with the figures, and each figure at its mark", () => {
    assert.include(svg, "aria-labelledby=\"learning-title learning-desc\"")
    assert.include(svg, "Quality: learning from 0.700 to 0.790, cold, never learns from 0.700 to 0.700")
    assert.include(svg, "<title>decile 10, learning: 0.790+-0.100</title>")
    assert.lengthOf([...svg.matchAll(/<title>decile /g)], 4 * 3 * 10)
    for (const title of ["Quality", "Cost", "Calibration error", "Regret"]) {
      assert.include(svg, `>${title}</text>`)
    }
  })

  it("knows dark pages, and fetches nothing", () => {
    assert.include(svg, "@media (prefers-color-scheme:dark)")
    assert.notMatch(svg, /href|url\(|<script|@import/)
  })
})

describe("ticks", () => {
  it("are round, and include both ends", () => {
    assert.deepStrictEqual(ticksOf(0.12, 0.48, 5), [0.1, 0.2, 0.3, 0.4, 0.5])
    assert.deepStrictEqual(ticksOf(0, 0.3, 3), [0, 0.1, 0.2, 0.3])
    assert.deepStrictEqual(ticksOf(-0.01, 0.02, 5), [-0.01, 0, 0.01, 0.02])
  })

  const Share = Schema.Finite.check(Schema.isBetween({ minimum: -1, maximum: 1 }))
  it.prop("enclose any two values with a handful of steps", { a: Share, b: Share }, ({ a, b }) => {
    const [low, high] = [Math.min(a, b), Math.max(a, b)]
    const ticks = ticksOf(low, high, 5)
    assert.isAtMost(ticks[0] ?? 1, low + 1e-6)
    assert.isAtLeast(ticks.at(-1) ?? -1, high - 1e-6)
    assert.isAtLeast(ticks.length, 2)
    assert.isAtMost(ticks.length, 7)
  })
})

it("an element without children closes itself and rounds its numbers", () => {
  assert.strictEqual(element("rect", { x: 1 / 3, class: "a" }), "<rect x=\"0.33\" class=\"a\"/>")
})
