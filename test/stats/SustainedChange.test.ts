import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { type SustainedRule, unseen, type Watch, watch } from "../../src/stats/SustainedChange.ts"

const rule: SustainedRule = { slack: 0.25, limit: 3, startMean: 0.75, startWeight: 2 }

const watched = (qualities: ReadonlyArray<number>, weight = 1): Watch =>
  qualities.reduce((self, quality, i) => watch(self, { quality, weight, atMs: i }, rule), unseen)

const times = (count: number, quality: number) => Array.from({ length: count }, () => quality)

describe("a sustained change", () => {
  it("begins with the first of the failures that follow forty successes", () => {
    assert.strictEqual(watched([...times(40, 0.9), ...times(8, 0.1)]).changedAtMs, 40)
  })

  it("is found upwards as well", () => {
    assert.strictEqual(watched([...times(40, 0.1), ...times(8, 0.9)]).changedAtMs, 40)
  })

  it("is not seen in a few failures among successes", () => {
    const mostly = [...times(9, 0.9), 0.1]
    assert.isNull(watched(Array.from({ length: 20 }, () => mostly).flat()).changedAtMs)
  })

  it("takes more outcomes with weaker labels", () => {
    const qualities = [...times(40, 0.9), ...times(8, 0.1)]
    assert.isNull(watched(qualities, 0.5).changedAtMs)
    assert.strictEqual(watched([...qualities, ...times(8, 0.1)], 0.5).changedAtMs, 40)
  })

  it("is measured from the present afterwards, so that going back is a second one", () => {
    const broken = [...times(40, 0.9), ...times(20, 0.1)]
    assert.strictEqual(watched([...broken, ...times(20, 0.9)]).changedAtMs, broken.length)
  })

  it("is none in a model that never did well", () => {
    assert.isNull(watched(times(20, 0)).changedAtMs)
  })
})

const Quality = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))
const Series = Schema.Array(Quality).check(Schema.isMaxLength(60))

it.prop("sums stay within those of the outcomes, and a change lies in the past", { series: Series }, ({ series }) => {
  const { changedAtMs, success, weight } = watched(series)
  assert.isAtMost(weight, series.length + 1e-9)
  assert.isAtMost(success, weight + 1e-9)
  assert.isAtLeast(success, -1e-9)
  if (changedAtMs !== null) assert.isBelow(changedAtMs, series.length)
})

it.prop("outcomes that differ by less than the slack never are a change", {
  level: Schema.Finite.check(Schema.isBetween({ minimum: 0.63, maximum: 0.8 })),
  series: Schema.Array(Schema.Finite.check(Schema.isBetween({ minimum: -0.1, maximum: 0.1 })))
}, ({ level, series }) => {
  assert.isNull(watched(series.map((noise) => level + noise)).changedAtMs)
})
