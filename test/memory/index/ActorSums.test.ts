import { assert, it } from "@effect/vitest"
import { Schema } from "effect"
import { ActorSums, seenBy } from "../../../src/memory/index/ActorSums.ts"
import { generator } from "../../../src/stats/Generator.ts"

interface Outcome {
  readonly cell: number
  readonly actor: string
  readonly weight: number
  readonly success: number
  readonly isWeak: boolean
}

const rule = { loneActorMax: 2, weakOutcomesMax: 3 }
const { loneActorMax, weakOutcomesMax } = rule

/** What an actor sees of labels to trust, by the definition: of the others, none has more than half, or than it has alone: less than 2. */
const expected = (outcomes: ReadonlyArray<Outcome>, actor: string) => {
  const sums = new Map<string, { weight: number; success: number }>()
  for (const { actor, success, weight } of outcomes) {
    const sum = sums.get(actor) ?? { weight: 0, success: 0 }
    sums.set(actor, { weight: sum.weight + weight, success: sum.success + success })
  }
  const own = sums.get(actor) ?? { weight: 0, success: 0 }
  const others = [...sums].filter(([each]) => each !== actor).map(([, sum]) => sum)
  const tally = { ...own }
  for (const other of others) {
    const rest = others.reduce((sum, each) => sum + each.weight, 0) - other.weight
    const isNamed = actor !== "" && !sums.has("")
    const alone = loneActorMax / (loneActorMax + other.weight)
    const share = rest > 0 ? Math.min(1, Math.max(alone, rest / other.weight)) : isNamed ? alone : 1
    tally.weight += other.weight * share
    tally.success += other.success * share
  }
  return { own, tally }
}

const given = {
  seed: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1e6 })),
  actors: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 40 })),
  cells: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 4 })),
  steps: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 200 }))
}

it.prop("kept sums equal those by definition after outcomes came, were replaced and were removed", given, (lane) => {
  const random = generator(lane.seed)
  const cells = Array.from({ length: lane.cells }, () => new ActorSums(rule))
  const kept: Array<Outcome> = []
  const remove = (at: number): void => {
    const [outcome] = kept.splice(at, 1)
    if (outcome !== undefined) cells[outcome.cell]!.add(outcome.actor, {
      ...outcome, weight: -outcome.weight, success: -outcome.success
    })
  }
  for (let step = 0; step < lane.steps; step++) {
    if (random() < 0.3 && kept.length > 0) remove(Math.floor(random() * kept.length))
    // The square makes a few actors heavy.
    const actor = ["", "1", "2"][Math.floor(random() ** 2 * lane.actors)] ?? String(Math.floor(random() ** 2 * lane.actors))
    const weight = 0.1 + random()
    const outcome = { actor, weight, success: weight * random(), cell: Math.floor(random() * lane.cells), isWeak: false }
    kept.push(outcome)
    cells[outcome.cell]!.add(actor, outcome)
    if (step % 7 !== 0) continue
    for (const viewer of ["", "1", String(lane.actors - 1), "stranger"]) {
      const seen = seenBy(viewer, cells, rule)
      const wanted = expected(kept, viewer)
      for (const part of ["tally", "own"] as const) {
        assert.closeTo(seen[part].weight, wanted[part].weight, 1e-6, `${part} of ${viewer}`)
        assert.closeTo(seen[part].success, wanted[part].success, 1e-6, `${part} of ${viewer}`)
      }
    }
  }
  while (kept.length > 0) remove(kept.length - 1)
  assert.closeTo(seenBy("1", cells, rule).tally.weight, 0, 1e-9)
  for (const cell of cells) assert.strictEqual(cell.size, 0)
}, { arbitrary: { runs: 40 } })

it("a group of one actor has no sum beside its own, and one that is left alone is so again", () => {
  const cell = new ActorSums(rule)
  for (let count = 0; count < 10; count++) cell.add("ann", { weight: 1, success: 0.5, isWeak: false })
  assert.strictEqual(cell.size, 0)
  cell.add("bob", { weight: 1, success: 0, isWeak: false })
  assert.strictEqual(cell.size, 2)
  cell.add("bob", { weight: -1, success: 0, isWeak: false })
  assert.strictEqual(cell.size, 0)
  assert.deepStrictEqual(cell.of("ann"), { weight: 10, success: 5, weakWeight: 0, weakSuccess: 0 })
  assert.deepStrictEqual(cell.heaviestBeside("ann"), [])
})

/** As `expected`, where each actor's weak labels, and then the own and the others' together, are within the bound. */
const expectedOfWeak = (outcomes: ReadonlyArray<Outcome>, actor: string) => {
  const within = (all: ReadonlyArray<Outcome>, max: number): ReadonlyArray<Outcome> => {
    const weak = all.reduce((sum, { isWeak, weight }) => sum + (isWeak ? weight : 0), 0)
    const share = weak > max ? max / weak : 1
    return all.map((each) =>
      each.isWeak ? { ...each, weight: each.weight * share, success: each.success * share } : each)
  }
  const byActor = [...Map.groupBy(outcomes, (each) => each.actor).values()]
    .map((all) => within(all, weakOutcomesMax))
  const own = byActor.flat().filter((each) => each.actor === actor)
  const others = byActor.flat().filter((each) => each.actor !== actor)
  return expected([...own, ...within(others, weakOutcomesMax)], actor)
}

it.prop("weak labels weigh at most the bound, all actors' together, and no other has over half", given, ({ actors, seed, steps }) => {
  const random = generator(seed)
  const cell = new ActorSums(rule)
  const kept: Array<Outcome> = []
  for (let step = 0; step < steps; step++) {
    if (random() < 0.3 && kept.length > 0) {
      const [outcome] = kept.splice(Math.floor(random() * kept.length), 1)
      cell.add(outcome!.actor, { ...outcome!, weight: -outcome!.weight, success: -outcome!.success })
    }
    const actor = ["", "1", "2"][Math.floor(random() ** 2 * actors)] ?? String(Math.floor(random() ** 2 * actors))
    const weight = 0.1 + random()
    const outcome = { actor, weight, success: weight * random(), cell: 0, isWeak: random() < 0.7 }
    kept.push(outcome)
    cell.add(actor, outcome)
    if (step % 7 !== 0) continue
    for (const viewer of ["", "1", "stranger"]) {
      const seen = cell.seenBy(viewer, rule)
      const wanted = expectedOfWeak(kept, viewer)
      for (const part of ["tally", "own"] as const) {
        assert.closeTo(seen[part].weight, wanted[part].weight, 1e-6, `${part} of ${viewer}`)
        assert.closeTo(seen[part].success, wanted[part].success, 1e-6, `${part} of ${viewer}`)
      }
    }
    assert.closeTo(cell.weight, kept.reduce((sum, each) => sum + each.weight, 0), 1e-6)
  }
}, { arbitrary: { runs: 40 } })

it("a hundred weak labels of one actor leave half of the bound to twenty of another", () => {
  const cell = new ActorSums({ weakOutcomesMax: 4 })
  const add = (actor: string, count: number, quality: number) => {
    for (let i = 0; i < count; i++) cell.add(actor, { weight: 0.6, success: 0.6 * quality, isWeak: true })
  }
  add("ann", 20, 1)
  add("mallory", 100, 0)
  const seenBy = (actor: string) => cell.seenBy(actor, { loneActorMax: 2, weakOutcomesMax: 4 })
  assert.deepStrictEqual(seenBy("ann").own, { weight: 4, success: 4 })
  assert.isBelow(seenBy("ann").tally.weight, 6)
  assert.closeTo(seenBy("bob").tally.weight, 4, 1e-9)
  assert.closeTo(seenBy("bob").tally.success, 2, 1e-9)
})
