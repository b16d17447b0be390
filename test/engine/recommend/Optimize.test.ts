import { assert, it } from "@effect/vitest"
import { Effect, Random } from "effect"
import type { CostedCandidates } from "../../../src/engine/recommend/candidates/Candidate.ts"
import { drawOf, optimize } from "../../../src/engine/recommend/Optimize.ts"
import { defaults, Settings } from "../../../src/engine/Settings.ts"
import { priced } from "../../support/builders.ts"
import { asked, type AskedChoice, contextOf, criteriaIn } from "../../support/choices.ts"

const chosen = (candidates: CostedCandidates, over: Partial<AskedChoice> = {}, settings = defaults) => {
  const ask = asked(over)
  const criteria = criteriaIn(ask)
  const levels = { asked: criteria, lowest: null }
  return Effect.flatMap(drawOf({ ...ask, levels }), (draw) =>
    optimize(contextOf(settings, ask), candidates, criteria, draw))
}

it.effect("exploration draws from Effect's random numbers, so a seed repeats the picks", () =>
  Effect.gen(function*() {
    const four = [
      priced("a", 0.75, 1), priced("b", 0.9, 2), priced("c", 0.8, 3), priced("poor", 0.4, 0.1)
    ] as const
    const picks = Effect.map(
      Effect.all(Array.from({ length: 30 }, () => chosen(four, { selectionPolicy: "epsilon_softmax" }, { ...defaults, explorationShare: 1 }))),
      (all) => all.map((each) => each.pick.card.modelId)
    ).pipe(Random.withSeed("again"))
    assert.deepStrictEqual(yield* picks, yield* picks)
  }).pipe(Effect.provide(Settings.layer())))
