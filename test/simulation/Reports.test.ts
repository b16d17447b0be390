import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { FeedbackRequest, type Provenance, provenanceOfSource } from "../../src/domain/feedback/Feedback.ts"
import * as RecommendationId from "../../src/domain/RecommendationId.ts"
import { trustOfSource } from "../../src/domain/feedback/FeedbackPrecedence.ts"
import { laneOf } from "../../src/domain/Scope.ts"
import { Learner } from "../../src/engine/Learner.ts"
import { Recommender } from "../../src/engine/Recommender.ts"
import { defaults, Settings } from "../../src/engine/Settings.ts"
import { LaneCalibrations } from "../../src/ledger/LaneCalibration.ts"
import * as RecentTasksLocal from "../../src/memory/local/RecentTasksLocal.ts"
import { Memory } from "../../src/memory/Memory.ts"
import { Reasoner } from "../../src/reasoner/Reasoner.ts"
import { generator } from "../../src/stats/Generator.ts"
import * as LaneCalibrationLocal from "../local/LaneCalibrationLocal.ts"
import * as LedgerLocal from "../local/LedgerLocal.ts"
import { rowsOf } from "../reports/reference/LedgerRows.ts"
import { catalog, learn, localMemory, recommend } from "../engine/pipelines.ts"
import { queryIn } from "../memory/fixtures.ts"
import { accountOf } from "../support/builders.ts"
import { catalogOf } from "../support/fakes.ts"

/* All reports of one decision teach as one: what is left is as if only the one that stands had been made. */

type Said = Partial<(typeof FeedbackRequest)["~type.make.in"]>

const world = () =>
  Layer.mergeAll(Recommender.layer, Learner.layer).pipe(Layer.provideMerge(Layer.mergeAll(
    catalogOf(catalog),
    localMemory(),
    Layer.fresh(LedgerLocal.layer),
    Layer.fresh(LaneCalibrationLocal.layer),
    Reasoner.layerDisabled,
    Layer.fresh(RecentTasksLocal.layer),
    Settings.layer()
  )))

const oneOf = <A>(uniform: () => number, values: ReadonlyArray<A>): A =>
  values[Math.floor(uniform() * values.length)]!

const randomReport = (uniform: () => number): Said => {
  const outcome = oneOf(uniform, ["success", "success", "partial", "failure"] as const)
  const evidenceSource = oneOf(uniform, ["gate", "gate", "human", "judge", "self_check", "none", null] as const)
  const isError = outcome === "failure" || (outcome === "partial" && evidenceSource !== "none")
  return {
    outcome,
    qualityScore: oneOf(uniform, [null, 0, 0.5, 0.9, 1]),
    evidenceSource,
    errorCause: isError ? oneOf(uniform, ["infra", "quality", null] as const) : null,
    actualCostUsd: oneOf(uniform, [null, 0, 0.25, 0.5]),
    inputTokens: oneOf(uniform, [null, 100, 200]),
    outputTokens: oneOf(uniform, [null, 10, 20]),
    latencyMs: oneOf(uniform, [null, 900]),
    notes: oneOf(uniform, [null, "TypeError: x is not a function"])
  }
}

const isInfra = ({ errorCause, outcome }: Said): boolean => outcome !== "success" && errorCause === "infra"
const provenanceOf = ({ evidenceSource = null }: Said): Provenance =>
  evidenceSource === null ? "assertion" : provenanceOfSource(evidenceSource)
const trustOf = (said: Said): number => isInfra(said) ? 0 : trustOfSource[provenanceOf(said)]

/** The report that stands, with what all of them measured; and when it was made. */
const winnerOf = (reports: ReadonlyArray<Said>): readonly [said: Said, at: number] => {
  const best = Math.max(...reports.map(trustOf))
  const at = reports.findLastIndex((said) => trustOf(said) === best)
  const measuring = reports.filter((said) => best === 0 || !isInfra(said))
  const last = <K extends keyof Said>(key: K): Said[K] =>
    measuring.findLast((said) => said[key] !== null && said[key] !== undefined)?.[key] ?? reports[at]![key]
  return [{
    ...reports[at], actualCostUsd: last("actualCostUsd") ?? null, inputTokens: last("inputTokens") ?? null,
    outputTokens: last("outputTokens") ?? null, latencyMs: last("latencyMs") ?? null
  }, at]
}

/** A lane with a past, then one decision and its reports at their minutes; all that is left of it. */
const leftBy = (reports: ReadonlyArray<readonly [said: Said, minute: number]>, seed: number) =>
  Effect.gen(function*() {
    for (let i = 0; i < 3; i++) {
      yield* learn(yield* recommend(), { outcome: i === 1 ? "failure" : "success", actualCostUsd: 0.125 })
      yield* TestClock.adjust("1 minute")
    }
    const about = yield* recommend()
    const startMinute = 3
    let minute = startMinute
    for (const [index, [said, at]] of reports.entries()) {
      yield* TestClock.adjust(`${startMinute + at - minute} minutes`)
      minute = startMinute + at
      yield* learn(about, { ...said, idempotencyKey: `report ${seed} ${index}` })
    }
    yield* TestClock.adjust(`${startMinute + 20 - minute} minutes`)
    const [memory, lanes] = [yield* Memory, yield* LaneCalibrations]
    const scope = { accountId: accountOf(), lane: laneOf(null) }
    const { neighbours, tallies, ...recalled } = yield* memory.recall(queryIn(scope, {
      cluster: "code:medium", modelIds: ["cheap"], perModel: 50, task: "Write a function that sums a list"
    }))
    return {
      recalled,
      neighbours: [...neighbours].toSorted((one, other) => one.entryId < other.entryId ? -1 : 1),
      tallies: [...tallies],
      health: yield* memory.health({ ...scope, staleThresholdDays: 30 }),
      failures: yield* memory.diagnose({
        ...scope, errorText: "TypeError: x is not a function", errorType: null, userId: null, limit: 25
      }),
      numbers: yield* lanes.read(accountOf(), scope.lane),
      feedback: (yield* rowsOf({ accountId: accountOf(), lane: null, since: new Date(0) })).at(-1)?.feedback
    }
  }).pipe(
    Effect.provide(world()),
    Effect.provideService(RecommendationId.Entropy, (() => {
      const uniform = generator(seed)
      return () => Uint8Array.from({ length: 10 }, () => Math.floor(256 * uniform()))
    })()),
    Effect.provide(TestClock.layer())
  )

/** Equal, but for roundings. */
const alike = (one: unknown, other: unknown, path: string): void => {
  if (typeof one === "number" && typeof other === "number") return assert.closeTo(one, other, 1e-9, path)
  if (one === null || other === null || typeof one !== "object" || typeof other !== "object" || one instanceof Date) {
    return assert.deepStrictEqual(one, other, path)
  }
  assert.deepStrictEqual(Object.keys(one), Object.keys(other), path)
  const others = new Map(Object.entries(other))
  for (const [name, value] of Object.entries(one)) alike(value, others.get(name), `${path}.${name}`)
}

describe("many reports of one decision", () => {
  it.live("have the effect of the report that counts, with the measurements of all of them", () =>
    Effect.gen(function*() {
      for (let seed = 1; seed <= 150; seed++) {
        const uniform = generator(seed)
        const reports = Array.from({ length: 1 + Math.floor(7 * uniform()) }, () => randomReport(uniform))
        const all = yield* leftBy(reports.map((said, index) => [said, index] as const), seed)
        const one = yield* leftBy([winnerOf(reports)], seed)
        // A bill of a call that broke is one of the decision's, and of nothing that it teaches.
        const bills = reports.findLast(({ actualCostUsd }) => actualCostUsd != null)?.actualCostUsd ?? null
        assert.strictEqual(all.feedback?.actualCostUsd ?? null, bills)
        const leaving = <A extends { readonly feedback?: unknown }>({ feedback: _feedback, ...left }: A) => left
        alike(leaving(all), leaving(one), `seed ${seed} ${JSON.stringify(reports)}`)
        assert.strictEqual(all.feedback?.outcome, one.feedback?.outcome)
        assert.strictEqual(all.feedback?.quality, one.feedback?.quality)
        assert.strictEqual(all.feedback?.provenance, one.feedback?.provenance)
      }
    }), 120_000)

  it.live("change a model's estimate no more than one report does, under any number of keys", () =>
    Effect.gen(function*() {
      const praise: Said = { outcome: "success", qualityScore: 1, evidenceSource: "gate", actualCostUsd: 0 }
      const [many, one] = yield* Effect.all([
        leftBy(Array.from({ length: 200 }, () => [praise, 1] as const), 7), leftBy([[praise, 1]], 7)
      ])
      alike(many, one, "200 reports")
    }), 60_000)
})

it("labels are trusted in the order of their weights, an agent's own check more than none", () => {
  assert.isAbove(trustOfSource.self_check, trustOfSource.none)
  assert.strictEqual(defaults.provenanceWeight.self_check, 0)
  const sources = ["gate", "human", "assertion", "judge", "none"] as const
  for (const other of ["gate", "human", "assertion", "judge"] as const) {
    assert.isBelow(trustOfSource.self_check, trustOfSource[other])
  }
  for (const one of sources) {
    for (const other of sources) {
      assert.strictEqual(
        Math.sign(trustOfSource[one] - trustOfSource[other]),
        Math.sign(defaults.provenanceWeight[one] - defaults.provenanceWeight[other])
      )
    }
  }
})
