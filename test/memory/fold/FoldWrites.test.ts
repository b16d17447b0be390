import { assert, it } from "@effect/vitest"
import { Schema } from "effect"
import type { MemoryWrite, Written } from "../../../src/domain/MemoryWrite.ts"
import { AccountId, Lane } from "../../../src/domain/Scope.ts"
import type { FoldRule } from "../../../src/memory/fold/FoldState.ts"
import { fold } from "../../../src/memory/fold/FoldWrites.ts"
import { recordIdOf } from "../../../src/memory/fold/RecordId.ts"
import { touchedBy } from "../../../src/memory/fold/TouchedKeys.ts"
import { memorySettings } from "../../../src/memory/MemorySettings.ts"
import { lessonIn, observationIn, reinforcementIn } from "../fixtures.ts"
import { generator } from "../../../src/stats/Generator.ts"
import { outcomeIdOf, piecesOf, randomWrites } from "./randomWrites.ts"
import { applyRows, contentsOf, emptyStore, stateOf, type Store } from "./storedModel.ts"

const accountId = AccountId.make("acme")
const scope = { accountId, lane: Lane.make("sextant:default") }
const other = { accountId, lane: Lane.make("sextant:other") }

const rule: FoldRule = {
  accountId,
  settings: { ...memorySettings, votesPerDayMax: 2, reflection: { ...memorySettings.reflection, every: 3 } },
  nowMs: Date.UTC(2026, 10, 29, 12),
  embedders: ["lexical"],
  keepsWords: true,
  importId: null
}

/** Folds each batch on what the one before left; yields the answers. */
const foldAll = (store: Store, batches: ReadonlyArray<ReadonlyArray<MemoryWrite>>, by: Partial<FoldRule> = {}): ReadonlyArray<Written> =>
  batches.flatMap((writes) => {
    const state = stateOf(store, touchedBy(writes, rule.settings.reinforcedEntriesMax))
    const { rows, written } = fold(state, writes, { ...rule, ...by })
    applyRows(store, rows)
    return written
  })

const Seed = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2 ** 31 }))

it.prop("writes leave the same rows and answers, however they are cut into batches", { seed: Seed }, ({ seed }) => {
  const draw = generator(seed)
  const writes = randomWrites([scope, other], 60, draw)
  const [one, cut, whole] = [emptyStore(), emptyStore(), emptyStore()]
  const answers = foldAll(one, writes.map((write) => [write]))
  assert.deepStrictEqual(foldAll(cut, piecesOf(writes, draw)), answers)
  assert.deepStrictEqual(foldAll(whole, [writes]), answers)
  assert.deepStrictEqual(contentsOf(cut), contentsOf(one))
  assert.deepStrictEqual(contentsOf(whole), contentsOf(one))
}, { arbitrary: { runs: 40 } })

it.prop("a write that comes again at once changes nothing, and is answered the same", { seed: Seed }, ({ seed }) => {
  const [once, twice] = [emptyStore(), emptyStore()]
  for (const write of randomWrites([scope], 60, generator(seed))) {
    const [first] = foldAll(once, [[write]])
    const [same, again] = foldAll(twice, [[write, write]])
    assert.deepStrictEqual(same, first)
    if (write.kind === "recordSteps") assert.deepStrictEqual(again, { kind: "recordSteps", recorded: 0 })
    else assert.deepStrictEqual(again, same)
  }
  assert.deepStrictEqual(contentsOf(twice), contentsOf(once))
}, { arbitrary: { runs: 40 } })

it.prop("votes, counts and records are those of the outcomes that stand", { seed: Seed }, ({ seed }) => {
  const store = emptyStore()
  foldAll(store, piecesOf(randomWrites([scope], 80, generator(seed)), generator(seed + 1)))
  const outcomes = [...store.outcomes.values()]
  const named = (id: string, of: (each: typeof outcomes[number]) => ReadonlyArray<string> | null): number =>
    outcomes.flatMap((each) => of(each) ?? []).filter((each) => each === id).length
  for (const { observationId, votesDown, votesUp } of outcomes) {
    assert.deepStrictEqual([votesUp, votesDown], [named(observationId, (of) => of.votedUp), named(observationId, (of) => of.votedDown)])
  }
  const cast = outcomes.reduce((sum, { votedDown, votedUp }) => sum + (votedUp?.length ?? 0) + (votedDown?.length ?? 0), 0)
  // A label that was told at another hour takes its votes back from another day.
  assert.isAtLeast([...store.votes.values()].reduce((sum, { votes }) => sum + votes, 0), cast)
  for (const { cluster, modelId, outcomes: counted, reinforcement } of store.records.values()) {
    const own = outcomes.filter((each) => each.cluster === cluster && each.modelId === modelId)
    assert.deepStrictEqual([counted, reinforcement], [own.length, own.reduce((sum, { votesUp }) => sum + votesUp, 0)])
  }
  assert.strictEqual(store.lanes.get(scope.lane)?.taught ?? 0, outcomes.filter(({ teaches }) => teaches).length)
})

const ids = [1, 2, 3].map(outcomeIdOf)
const [first = "", second = "", third = ""] = ids

const told = (observationId: string, over: Parameters<typeof observationIn>[1] = {}): MemoryWrite =>
  ({ kind: "teach", body: observationIn(scope, { observationId, occurredAt: new Date(rule.nowMs), ...over }) })
const voting = (reinforcementId: string, entryIds: ReadonlyArray<string>, over: Parameters<typeof reinforcementIn>[2] = {}): MemoryWrite =>
  ({ kind: "reinforce", body: reinforcementIn(scope, entryIds, { reinforcementId, occurredAt: new Date(rule.nowMs), ...over }) })

it("an outcome that comes, votes and comes anew in one batch votes once, under its last label", () => {
  const store = emptyStore()
  foldAll(store, [[told(first), told(second)]])
  const [, vote, , , again] = foldAll(store, [[
    told(third, { revision: 1, verdictRevision: 1 }), voting(third, [first, second], { revision: 1, quality: 0.8 }),
    { kind: "promote", body: lessonIn(scope, { lessonId: third, revision: 1, content: "before" }) },
    told(third, { revision: 2, verdictRevision: 2 }), voting(third, [second], { revision: 2, quality: 0 }),
    { kind: "promote", body: lessonIn(scope, { lessonId: third, revision: 2, content: "after" }) }
  ]])
  assert.deepStrictEqual(vote, { kind: "reinforce", reinforced: { entryIds: [first, second], updatedConfidence: 10 / 11 } })
  assert.deepStrictEqual(again, { kind: "reinforce", reinforced: { entryIds: [], updatedConfidence: 9 / 11 } })
  const votes = [...store.outcomes.values()].map(({ votedDown, votedUp, votesDown, votesUp }) => [votesUp, votesDown, votedUp, votedDown])
  assert.deepStrictEqual(votes, [[0, 0, null, null], [0, 1, null, null], [0, 0, [], [second]]])
  assert.deepStrictEqual([...store.votes.values()].map(({ observationId, votes }) => [observationId, votes]), [[second, 1]])
  assert.deepStrictEqual([...store.lessons.values()].map(({ content }) => content), ["after"])
  assert.deepStrictEqual([...store.records.values()].map(({ outcomes, reinforcement }) => [outcomes, reinforcement]), [[3, 0]])
})

it("an actor votes on an entry up to its most of a day, and a retracted vote is free again", () => {
  const store = emptyStore()
  const voters = [4, 5, 6, 7].map(outcomeIdOf)
  foldAll(store, [[told(first), ...voters.map((id) => told(id, { teaches: false }))]])
  const votes = foldAll(store, [voters.map((id) => voting(id, [first]))])
  assert.deepStrictEqual(votes.map((each) => each.kind === "reinforce" && each.reinforced.entryIds), [[first], [first], [], []])
  const anew = { revision: 1, verdictRevision: 1, teaches: false }
  const [, free] = foldAll(store, [[told(outcomeIdOf(4), anew), voting(outcomeIdOf(4), [first], { revision: 1 })]])
  assert.deepStrictEqual(free?.kind === "reinforce" && free.reinforced.entryIds, [first])
  assert.strictEqual(store.outcomes.get(JSON.stringify([scope.lane, first]))?.votesUp, 2)
})

it("a label whose outcome is not stored does not vote", () => {
  const store = emptyStore()
  foldAll(store, [[told(first)]])
  const before = contentsOf(store)
  const answers = foldAll(store, [[voting(second, [first])]])
  assert.deepStrictEqual(answers, [{ kind: "reinforce", reinforced: { entryIds: [], updatedConfidence: 0.9 } }])
  assert.deepStrictEqual(contentsOf(store), before)
})

it("every third outcome and every gate failure make a reflection due, but those of an import", () => {
  const failure = { outcome: "failure", quality: 0 } as const
  const writes = [told(first), told(second, failure), told(third)]
  const isDue = (written: ReadonlyArray<Written>) => written.map((each) => each.kind === "teach" && each.taught.reflectionTriggered)
  const [reported, imported] = [emptyStore(), emptyStore()]
  assert.deepStrictEqual(isDue(foldAll(reported, [writes])), [false, true, true])
  assert.deepStrictEqual([...reported.reflections.values()].map(({ crossing }) => crossing), [`gate:${second}`, `taught:3:${third}`])
  assert.deepStrictEqual(isDue(foldAll(imported, [writes], { importId: outcomeIdOf(9) })), [false, false, false])
  assert.deepStrictEqual(isDue(foldAll(reported, [[told(second, failure), told(first)]])), [true, false])
})

it("an imported outcome changes nothing where one is stored, but brings an import its words", () => {
  const [reported, imported] = [emptyStore(), emptyStore()]
  const importing = { importId: outcomeIdOf(9) }
  foldAll(reported, [[told(first, { task: "" })]])
  const before = contentsOf(reported)
  foldAll(reported, [[told(first, { revision: 5, verdictRevision: 5 })]], importing)
  assert.deepStrictEqual(contentsOf(reported), before)
  foldAll(imported, [[told(first, { task: "" })], [told(first, { task: "its words", quality: 0 })]], importing)
  assert.deepStrictEqual([...imported.texts.values()].map(({ task }) => task), ["its words"])
  assert.deepStrictEqual([...imported.outcomes.values()].map(({ quality }) => quality), [0.9])
})

it("a record's id is a UUIDv5 of its account, lane, cluster and model", () => {
  const of = { lane: "sextant:default", cluster: "code:easy", modelId: "alpha" }
  const id = recordIdOf("acme", of)
  assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  const others = [
    recordIdOf("acme2", of), recordIdOf("acme", { ...of, lane: "other" }), recordIdOf("acme", { ...of, cluster: "qa:easy" }),
    recordIdOf("acme", { ...of, modelId: "beta" })
  ]
  assert.strictEqual(new Set([id, ...others]).size, 5)
  assert.strictEqual(recordIdOf("acme", of), id)
})
