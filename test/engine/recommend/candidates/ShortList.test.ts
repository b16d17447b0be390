import { assert, it } from "@effect/vitest"
import { Schema } from "effect"
import { cap, type ShortListRows } from "../../../../src/engine/recommend/candidates/ShortList.ts"
import { defaults } from "../../../../src/engine/Settings.ts"
import { candidate } from "../../../support/builders.ts"

const entry = (modelId: string, prior: number, standardUsd: number, isAffordable = true) => ({
  candidate: candidate(modelId, { prior }),
  standardUsd,
  isAffordable,
  laneWeight: 0,
  typeWeight: 0
})

type ShortListEntry = ReturnType<typeof entry>

/** The entries as rows, which are in the order of standard cost and id. */
const rowsOf = (entries: ReadonlyArray<ShortListEntry>): ShortListRows => {
  const sorted = entries.toSorted((a, b) =>
    a.standardUsd - b.standardUsd || (a.candidate.card.modelId < b.candidate.card.modelId ? -1 : 1))
  const cards = sorted.map(({ candidate }) => candidate.card)
  const column = (of: (each: ShortListEntry) => number) => Float64Array.from(sorted, of)
  return {
    cards, rowOf: new Map(cards.map(({ modelId }, row) => [modelId, row])),
    standardUsd: column((each) => each.standardUsd), prior: column((each) => each.candidate.prior),
    isAffordable: sorted.every((each) => each.isAffordable) ? null : sorted.map((each) => each.isAffordable),
    laneWeight: column((each) => each.laneWeight), typeWeight: column((each) => each.typeWeight)
  }
}

/** The ids of the list, or of all entries where there is room for them. */
const listed = (
  entries: ReadonlyArray<ShortListEntry>, limit: number, kept: ReadonlyArray<string>, own?: ReadonlyArray<string>
): ReadonlyArray<string> => {
  if (entries.length <= limit) return entries.map(({ candidate }) => candidate.card.modelId)
  const rows = rowsOf(entries)
  return cap(defaults, rows, limit, new Set(kept), new Set(own)).map((row) => rows.cards[row]!.modelId)
}

/** Three on the front (cheap, middle, best) and three that another beats on both. */
const six = [
  entry("beaten-1", 0.85, 9), entry("cheap", 0.5, 1), entry("beaten-2", 0.84, 8), entry("middle", 0.7, 3),
  entry("best", 0.9, 7), entry("beaten-3", 0.45, 2)
]
const capped = (limit: number, kept: ReadonlyArray<string> = [], entries: ReadonlyArray<ShortListEntry> = six) =>
  listed(entries, limit, kept).toSorted()

it("the cap keeps the front of prior and cost before better priors that cost more", () => {
  assert.deepStrictEqual(capped(3), ["best", "cheap", "middle"])
  assert.deepStrictEqual(capped(4), ["beaten-1", "best", "cheap", "middle"])
  assert.deepStrictEqual(capped(6).length, 6)
})

it("a front longer than the cap keeps both its ends, and its best end when one place is left", () => {
  assert.deepStrictEqual(capped(2), ["best", "cheap"])
  assert.deepStrictEqual(capped(1), ["best"])
})

it("kept ids have a place whatever they are, and cost the front none of its own members", () => {
  assert.deepStrictEqual(capped(2, ["beaten-3"]), ["beaten-3", "best"])
  for (const kept of ["cheap", "middle", "best"]) {
    assert.deepStrictEqual(capped(3, [kept]), ["best", "cheap", "middle"])
  }
  assert.deepStrictEqual(capped(4, ["beaten-3"]), ["beaten-3", "best", "cheap", "middle"])
})

it("the account's own models precede the catalog's, and among too many the front counts", () => {
  const withOwn = (limit: number, own: ReadonlyArray<string>, kept: ReadonlyArray<string> = []) =>
    listed(six, limit, kept, own).toSorted()
  assert.deepStrictEqual(withOwn(4, ["beaten-2", "beaten-3"]), ["beaten-2", "beaten-3", "best", "cheap"])
  assert.deepStrictEqual(withOwn(3, ["beaten-1", "cheap", "middle", "beaten-3"]), ["beaten-1", "cheap", "middle"])
  assert.deepStrictEqual(withOwn(2, ["beaten-2", "beaten-3"], ["middle"]), ["beaten-2", "middle"])
})

it("a front longer than the cap is taken at even steps of log cost", () => {
  const ten = [1, 1.1, 1.2, 1.3, 10, 11, 100, 110, 900, 1_000].map((usd, i) =>
    entry(`m${i}`, (i + 1) / 20, usd))
  assert.deepStrictEqual(capped(4, [], ten), ["m0", "m4", "m6", "m9"])
  const free = [entry("free", 0.01, 0), ...ten]
  assert.deepStrictEqual(capped(5, [], free), ["free", "m0", "m4", "m6", "m9"])
  assert.deepStrictEqual(capped(2, [], free), ["free", "m9"])
})

it("what the cost budget allows comes before what it does not, which fills what is left", () => {
  const priced = six.map((each) => ({ ...each, isAffordable: each.standardUsd <= 3 }))
  assert.deepStrictEqual(capped(3, [], priced), ["beaten-3", "cheap", "middle"])
  assert.deepStrictEqual(capped(4, [], priced), ["beaten-3", "best", "cheap", "middle"])
  assert.deepStrictEqual(capped(3, ["best"], priced), ["best", "cheap", "middle"])
})

/** A hundred outcomes of what the lane knows, on this type of task unless told otherwise. */
const knowing = (outcomes: Readonly<Record<string, number>>, typeShare = 1) =>
  six.map((each): ShortListEntry => {
    const laneWeight = outcomes[each.candidate.card.modelId] ?? 0
    return { ...each, laneWeight, typeWeight: laneWeight * typeShare }
  })

it("a mature lane's list prefers known models, and keeps one place for an unknown one", () => {
  const known = knowing({ "beaten-1": 50, "beaten-2": 40, "beaten-3": 10 })
  assert.deepStrictEqual(capped(4, [], known), ["beaten-1", "beaten-2", "beaten-3", "best"])
  assert.deepStrictEqual(capped(3, [], known), ["beaten-1", "beaten-2", "best"])
  assert.deepStrictEqual(capped(1, [], known), ["best"])
})

it("a young lane's list, or one that knows other types alone, is the same as without outcomes", () => {
  assert.deepStrictEqual(capped(3, [], knowing({ "beaten-1": 50, "beaten-2": 49 })), capped(3))
  assert.deepStrictEqual(capped(3, [], knowing({ "beaten-1": 50, "beaten-2": 60 }, 0)), capped(3))
  assert.deepStrictEqual(capped(3, [], knowing({ best: 98, "beaten-2": 2 })), capped(3))
})

it("kept ids come before what a mature lane knows, and none over the budget is preferred", () => {
  const known = knowing({ "beaten-1": 60, "beaten-2": 40 })
  assert.deepStrictEqual(capped(3, ["beaten-3", "cheap"], known), ["beaten-3", "best", "cheap"])
  const poor = known.map((each) => ({ ...each, isAffordable: each.standardUsd <= 3 }))
  assert.deepStrictEqual(capped(3, [], poor), ["beaten-3", "cheap", "middle"])
})

const Index = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 6 }))
const Entries = Schema.Array(Schema.Tuple([Index, Index, Schema.Boolean]))
  .check(Schema.isMinLength(1), Schema.isMaxLength(20))
const Limit = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 10 }))

it.prop("the cap is full, keeps what is kept, and does not depend on the catalog's order", {
  pairs: Entries, limit: Limit, kept: Index, turn: Index
}, ({ kept, limit, pairs, turn }) => {
  const entries = pairs.map(([prior, usd, can], i) => entry(`m${i}`, (prior + 1) / 10, usd, can))
  const turned = [...entries.slice(turn), ...entries.slice(0, turn)].reverse()
  const chosen = capped(limit, [`m${kept}`], entries)
  assert.deepStrictEqual(capped(limit, [`m${kept}`], turned), chosen)
  assert.strictEqual(chosen.length, Math.min(limit, entries.length))
  if (kept < entries.length) assert.include(chosen, `m${kept}`)
})
