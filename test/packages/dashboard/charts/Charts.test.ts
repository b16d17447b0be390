import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { niceDomain, shareOf, shares } from "../../../../packages/dashboard/src/charts/Axis.ts"
import { columnChart } from "../../../../packages/dashboard/src/charts/ColumnChart.ts"
import { intervalChart } from "../../../../packages/dashboard/src/charts/IntervalChart.ts"
import { planeChart } from "../../../../packages/dashboard/src/charts/PlaneChart.ts"
import { htmlOf } from "../../../../packages/dashboard/src/Html.ts"

const Value = Schema.Finite.check(Schema.isBetween({ minimum: -1e6, maximum: 1e6 }))
const percent = (value: number): string => `${value * 100} %`

describe("an axis", () => {
  it("begins and ends at labels that a reader can count with", () => {
    assert.deepStrictEqual(niceDomain([0, 0.91], 4), { low: 0, high: 1, ticks: [0, 0.25, 0.5, 0.75, 1] })
    assert.deepStrictEqual(niceDomain([-0.15, 1.56], 4).ticks, [-0.5, 0, 0.5, 1, 1.5, 2])
    assert.deepStrictEqual(niceDomain([]).ticks.at(0), 0)
  })

  it.prop("contains every value, also where all of them are the same", { one: Value, other: Value }, ({ one, other }) => {
    for (const values of [[one, other], [one]]) {
      const { high, low, ticks } = niceDomain(values)
      assert.isBelow(low, high)
      const slack = (high - low) * 1e-6
      for (const value of values) assert.isTrue(value >= low - slack && value <= high + slack, `${value} in ${low} to ${high}`)
      assert.isAtMost(ticks.length, 8)
      assert.deepStrictEqual([ticks[0], ticks.at(-1)], [low, high])
    }
  })

  it("draws a value outside of it at its end", () => {
    assert.deepStrictEqual([-1, 0.25, 7].map((value) => shareOf(shares, value)), [0, 0.25, 1])
  })
})

describe("a chart of intervals", () => {
  const html = htmlOf(intervalChart({
    label: "Policies by success",
    rows: [
      { name: "<always gpt>", words: "80 % (70 % to 90 %)", value: 0.8, low: 0.7, high: 0.9 },
      { name: "predicted", words: "0 %", value: 0, low: null, high: null, isHollow: true }
    ],
    tickLabel: percent,
    reference: { value: 0.25, name: "today" }
  }))

  it("has a name, draws intervals and marks by share, and a dashed line at its reference", () => {
    assert.include(html, "role=\"img\" aria-label=\"Policies by success\"")
    assert.include(html, "<line x1=\"70%\" x2=\"90%\" y1=\"50%\" y2=\"50%\" class=\"interval\">")
    assert.include(html, "x=\"80%\"")
    assert.include(html, "<line x1=\"25%\" x2=\"25%\" y1=\"0\" y2=\"100%\" class=\"reference\">")
    assert.include(html, "▲ today")
  })

  it("draws no interval where none is known, a hollow mark for a prediction, and escapes names", () => {
    assert.strictEqual(html.split("class=\"interval\"").length, 2)
    assert.strictEqual(html.split("class=\"mark hollow\"").length, 2)
    assert.include(html, "&lt;always gpt&gt;")
    assert.notInclude(html, "<always")
  })

  it("has no style attribute and no script, so that a strict content security policy lets it be", () => {
    assert.notMatch(html, /style=|<script|on\w+=/)
  })
})

it("columns stack their parts, draw none for nothing, and have a line and the last label", () => {
  const html = htmlOf(columnChart({
    label: "Spending by day",
    columns: Array.from({ length: 31 }, (_, index) => ({
      name: `${index + 1} Nov`,
      parts: [{ value: index, hue: 0, title: `${index}` }, { value: index === 3 ? 0 : 2, isHollow: true, title: "listed" }],
      line: index === 5 ? null : { value: 40, isHollow: index > 20, title: "own" }
    })),
    legend: [{ name: "gpt", kind: "hue-0" }],
    valueLabel: (value) => `$${value}`
  }))
  // The first has no first part, and the fourth no second.
  assert.strictEqual(html.split("<rect").length - 1, 60)
  // A step over each of 30 columns, and a way to those that follow one with a line.
  assert.strictEqual(html.split(/class="own[^"]*"/).length - 1, 30 + 28)
  assert.strictEqual(html.split("class=\"own hollow\"").length - 1, 10)
  assert.match(html, />31 Nov<\/text>/)
  assert.notMatch(html, /Infinity|NaN/)
  const [bottom, top] = [...html.matchAll(/y="([\d.]+)" height="([\d.]+)" class="bar/g)].slice(1, 3)
  assert.closeTo(Number(bottom?.[1]), Number(top?.[1]) + Number(top?.[2]), 0.11)
})

it("a column has what selecting it adds, also where it is empty", () => {
  const html = htmlOf(columnChart({
    label: "l", valueLabel: String,
    columns: [{ name: "1 Nov", state: "?a", parts: [{ value: 1, title: "t" }] }, { name: "2 Nov", state: "?b", parts: [] }]
  }))
  assert.match(html, /<g data-state="\?a"><rect [^>]*class="band"><\/rect><rect [^>]*class="bar">/)
  assert.match(html, /<g data-state="\?b"><rect [^>]*class="band"><\/rect><\/g>/)
})

it("a plane places a name where no interval crosses it, behind all that is drawn", () => {
  const at = (name: string | null, x: number, y: number, half: number) =>
    ({ title: "t", ...(name === null ? {} : { name }), x, y, xLow: x - half, xHigh: x + half, yLow: y - 0.02, yHigh: y + 0.02 })
  const placeOf = (...points: Parameters<typeof planeChart>[0]["points"]) => {
    const axis = { title: "", tickLabel: percent, domain: shares }
    const html = htmlOf(planeChart({ label: "l", points, x: axis, y: axis }))
    assert.isAbove(html.lastIndexOf("label name"), html.lastIndexOf("<path"))
    return /x="(-?10)" y="(-?\d+)" class="label name"/.exec(html)?.slice(1)
  }
  assert.deepStrictEqual(placeOf(at("As logged", 0.5, 0.5, 0.05)), ["10", "-8"])
  // The interval of a point right above goes through the place, to one side or to both.
  assert.deepStrictEqual(placeOf(at("As logged", 0.5, 0.5, 0.01), at(null, 0.6, 0.55, 0.1)), ["-10", "-8"])
  assert.deepStrictEqual(placeOf(at("As logged", 0.5, 0.5, 0.01), at(null, 0.5, 0.55, 0.3)), ["10", "17"])
  const two = placeOf(at("As logged", 0.5, 0.5, 0.01), at("Slider 5", 0.4, 0.5, 0.01))
  assert.deepStrictEqual(two, ["10", "-8"])
  // Of names that cover each other wherever they stand, a phone shows the first.
  const crowd = Array.from({ length: 9 }, (_, index) => at("Slider 5", 0.5, 0.5 + index / 1_000, 0.01))
  const html = htmlOf(planeChart({ label: "l", points: crowd, x: { title: "", tickLabel: percent, domain: shares }, y: { title: "", tickLabel: percent, domain: shares } }))
  const shownNames = html.match(/class="label name"/g)?.length ?? 0
  assert.isTrue(shownNames > 0 && shownNames < 9)
  assert.strictEqual(html.match(/class="label name between"/g)?.length, 9 - shownNames)
  // A name stays inside of the plane.
  assert.deepStrictEqual(placeOf(at("As logged", 0.97, 0.5, 0.01)), ["-10", "-8"])
})

it("a plane draws intervals in both directions, and the diagonal where both values are shares", () => {
  const html = htmlOf(planeChart({
    label: "Success against cost",
    points: [{ title: "a model", name: "a", x: 0.5, y: 0.75, xLow: 0.25, xHigh: 0.75, yLow: 0.5, yHigh: 1 }],
    x: { title: "Predicted", tickLabel: percent, domain: shares },
    y: { title: "Realized", tickLabel: percent, domain: shares },
    hasDiagonal: true,
    height: 226
  }))
  assert.include(html, "<line x1=\"50%\" x2=\"50%\" y1=\"126\" y2=\"26\" class=\"interval thin\">")
  assert.include(html, "<line x1=\"25%\" x2=\"75%\" y1=\"76\" y2=\"76\" class=\"interval thin\">")
  assert.include(html, "<line x1=\"0\" x2=\"100%\" y1=\"226\" y2=\"26\" class=\"reference\">")
})
