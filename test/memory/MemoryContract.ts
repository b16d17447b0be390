import { assert, type Vitest } from "@effect/vitest"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import { variantIdOf } from "../../src/domain/model/ModelVariant.ts"
import { Lane } from "../../src/domain/Scope.ts"
import type { LaneId } from "../../src/domain/Scope.ts"
import { dayMs } from "../../src/domain/Time.ts"
import { promote, recordSteps, teach } from "../../src/memory/DirectWrites.ts"
import { Memory, type Tallies } from "../../src/memory/Memory.ts"
import type { NewLesson, Observation } from "../../src/domain/MemoryWrite.ts"
import { contractTest } from "../support/Contract.ts"
import {
  eventually, freshAccount, freshScope, lessonIn, observationIn, queryIn, reinforcementIn, stepIn, stepsIn,
  vote as reinforce
} from "./fixtures.ts"
import { alike } from "./laneState.ts"
import { storeContract } from "./StoreContract.ts"

const failureIn = (scope: LaneId, errorText: string, over: Partial<NewLesson> = {}): NewLesson =>
  lessonIn(scope, { lessonType: "failure", scope: "run", content: "alpha failed", errorText, ...over })

const trace = (user: string, line: number, message = "Cannot read properties of undefined (reading 'rows')") =>
  [
    `[2026-11-2${line % 10}T10:00:00Z] worker-${line} TypeError: ${message}`,
    `    at loadInvoices (/home/${user}/app/src/invoices.ts:${line}:9)`,
    `    at async Server.<anonymous> (file:///home/${user}/app/server.mjs:${line * 2}:7)`
  ].join("\n")

/** The question what is known of an error. */
const errorIn = (scope: LaneId, errorText: string) => ({ ...scope, errorText, errorType: null, userId: null, limit: 5 })

/** Milliseconds of age move a reliability by less, and one vote by more. */
const tolerance = 1e-6

/**
 * What every driver of `Memory` promises.
 *
 * @param holdsLanes whether this process holds the lanes that it recalls, and so knows their models
 */
export const memoryContract = (tests: Vitest.MethodsNonLive<Memory>, holdsLanes = true): void => {
  const it = contractTest(tests, Memory, freshScope)
  storeContract(it)

  it("an acknowledged outcome is in the next recall", function*(memory, scope) {
    const empty = yield* memory.recall(queryIn(scope))
    assert.strictEqual(empty.laneSize, 0)
    const first = observationIn(scope)
    const taught = yield* teach(memory, first)
    assert.strictEqual(taught.laneTaught, 1)
    const recalled = yield* memory.recall(queryIn(scope))
    assert.deepStrictEqual([...recalled.neighbours].map(({ entryId }) => entryId), [first.observationId])
    const neighbour = [...recalled.neighbours][0]!
    assert.closeTo(neighbour.similarity, 1, 0.01)
    assert.strictEqual(neighbour.quality, 0.9)
    assert.strictEqual(neighbour.costUsd, 0.004)
    assert.strictEqual(neighbour.inputTokens, 1_200)
    assert.closeTo(neighbour.reliability, 0.9, tolerance)
    assert.isFalse(neighbour.isStale)
    const again = yield* teach(memory, observationIn(scope))
    assert.deepStrictEqual(again, { recordId: taught.recordId, laneTaught: 2, reflectionTriggered: false })
    assert.strictEqual((yield* memory.recall(queryIn(scope))).laneSize, 2)
  })

  if (holdsLanes) it("the models that a lane knows are those of the last recall, weighed, and of no other lane", function*(memory, scope) {
    const known = () => [...memory.knownModels(scope, "code:medium")]
    assert.deepStrictEqual(known(), [])
    yield* teach(memory, observationIn(scope, { modelId: "alpha", cluster: "code:easy" }))
    yield* teach(memory, observationIn(scope, { modelId: "alpha", cluster: "qa:easy", userId: "ada" }))
    yield* teach(memory, observationIn(scope, { modelId: "beta", cluster: "qa:easy", teaches: false }))
    yield* memory.recall(queryIn(scope))
    const [[modelId, { lane, taskType }] = assert.fail("one is known"), ...rest] = known()
    assert.deepStrictEqual([modelId, rest], ["alpha", []])
    assert.closeTo(lane / taskType, 2, 1e-3)
    for (const other of [{ ...scope, lane: Lane.make("sextant:other") }, { ...scope, accountId: freshAccount() }]) {
      assert.deepStrictEqual([...memory.knownModels(other, "code:medium")], [])
    }
  })

  it("outcomes from before a model became another one weigh a fifth and measure nothing", function*(memory, scope) {
    const nowMs = Date.now()
    const low = variantIdOf({ modelId: "alpha", effort: "low" })
    const at = (ageMs: number) => ({ occurredAt: new Date(nowMs - ageMs) })
    for (const modelId of ["alpha", "alpha", low, "beta"]) yield* teach(memory, observationIn(scope, { modelId, ...at(60_000) }))
    yield* teach(memory, observationIn(scope, { modelId: "alpha", outcome: "failure", quality: 0, ...at(1_000) }))
    const modelIds = ["alpha", low, "beta"]
    const before = yield* memory.recall(queryIn(scope, { modelIds }))
    const restarts = new Map([["alpha", nowMs - 30_000]])
    const after = yield* memory.recall(queryIn(scope, { modelIds, restarts }))
    const weights = ({ tallies }: typeof before) => modelIds.map((id) => tallies.get(id)?.cluster.weight ?? NaN)
    const [alpha = NaN, ofLow = NaN, beta = NaN] = weights(before)
    weights(after).forEach((weight, i) =>
      assert.closeTo(weight, [alpha / 3 * 1.4, ofLow / 5, beta][i]!, 1e-3))
    assert.isBelow(after.tallies.get("alpha")!.cluster.success, before.tallies.get("alpha")!.cluster.success / 4)
    const shown = [...after.neighbours].map(({ costUsd, currentShare, latencyMs, modelId, outputTokens, quality }) =>
      [modelId, quality, currentShare, costUsd, latencyMs, outputTokens])
    const whole = [1, 0.004, 900, 300]
    assert.sameDeepMembers(shown, [
      ["alpha", 0.9, 0.2, null, null, null], ["alpha", 0.9, 0.2, null, null, null], ["alpha", 0, ...whole],
      [low, 0.9, 0.2, null, null, null], ["beta", 0.9, ...whole]
    ])
  })

  it("the levels of effort of a model are candidates of their own, and the model is another", function*(memory, scope) {
    const [low, high] = ["low", "high"].map((effort) => variantIdOf({ modelId: "alpha", effort }))
    const modelIds = ["alpha", low!, high!]
    for (const modelId of [low!, low!, high!]) yield* teach(memory, observationIn(scope, { modelId }))
    const { neighbours, tallies } = yield* memory.recall(queryIn(scope, { modelIds }))
    assert.deepStrictEqual([...neighbours].map(({ modelId }) => modelId).sort(), [high, low, low])
    assert.isAbove(tallies.get(low!)?.lane.weight ?? 0, tallies.get(high!)?.lane.weight ?? 0)
    assert.strictEqual(tallies.get("alpha")?.lane.weight ?? 0, 0)
  })

  it("each candidate gets its own k neighbours", function*(memory, scope) {
    for (let index = 0; index < 6; index++) yield* teach(memory, observationIn(scope))
    yield* teach(memory, observationIn(scope, { modelId: "beta", task: "Translate a poem into Welsh" }))
    const { neighbours } = yield* memory.recall(queryIn(scope, { perModel: 3 }))
    assert.deepStrictEqual([...neighbours].map(({ modelId }) => modelId), ["alpha", "alpha", "alpha", "beta"])
  })

  it("lanes and accounts never mix", function*(memory, scope) {
    const observation = observationIn(scope)
    yield* teach(memory, observation)
    yield* promote(memory, lessonIn(scope))
    for (const other of [{ ...scope, lane: Lane.make("sextant:other") }, { ...scope, accountId: freshAccount() }]) {
      const recalled = yield* memory.recall(queryIn(other))
      assert.deepStrictEqual([recalled.laneSize, recalled.tallies.size], [0, 0])
      const reinforced = yield* reinforce(memory, reinforcementIn(other, [observation.observationId]))
      assert.deepStrictEqual(reinforced, { entryIds: [], updatedConfidence: null })
      assert.isEmpty(yield* memory.strategies({ ...other, lessonTypes: [], limit: 5 }))
    }
  })

  it("a user filter limits the neighbours, and the tallies count one other user's for two thirds", function*(memory, scope) {
    yield* teach(memory, observationIn(scope, { userId: "ann" }))
    yield* teach(memory, observationIn(scope, { userId: "bob" }))
    const recalled = yield* memory.recall(queryIn(scope, { userId: "ann" }))
    assert.strictEqual(recalled.neighbours.length, 1)
    assert.closeTo(recalled.tallies.get("alpha")?.lane.weight ?? 0, 5 / 3, 0.01)
  })

  it("an actor's tallies tell its own outcomes from those of others", function*(memory, scope) {
    const tell = (userId: string | null, quality: number, over: Partial<Observation> = {}) =>
      teach(memory, observationIn(scope, { userId, quality, ...over }))
    yield* tell("ann", 1, { tags: ["a"] })
    yield* tell("ann", 1, { taskType: "qa", cluster: "qa:easy" })
    assert.isUndefined((yield* memory.recall(queryIn(scope, { userId: "ann" }))).tallies.get("alpha")?.own)
    for (let count = 0; count < 3; count++) yield* tell("bob", 0, { tags: ["a"] })
    yield* tell(null, 0.5)
    const own = (userId: string | null) =>
      Effect.map(memory.recall(queryIn(scope, { userId, tags: ["a"] })), ({ tallies }) => tallies.get("alpha")?.own)
    const weights = ({ cluster, lane, tags, taskType }: NonNullable<Tallies["own"]>) =>
      [lane, taskType, cluster, tags].map(({ weight }) => Math.round(weight * 100) / 100)
    const [ann, bob, unnamed, carl] = [yield* own("ann"), yield* own("bob"), yield* own(null), yield* own("carl")]
    assert.deepStrictEqual([ann, bob, unnamed].map((each) => each && weights(each)),
      [[2, 1, 1, 1], [3, 3, 3, 3], [1, 1, 1, 0]])
    assert.closeTo(ann?.lane.success ?? 0, 2, 0.01)
    assert.isUndefined(carl)
  })

  it("no other actor has more than half of what others add to a tally, but for two outcomes", function*(memory, scope) {
    const tell = (userId: string | null, quality: number) =>
      teach(memory, observationIn(scope, { userId, quality, tags: ["a"] }))
    const seenBy = (userId: string | null) =>
      Effect.map(memory.recall(queryIn(scope, { userId, tags: ["a"] })), ({ tallies }) => tallies.get("alpha")!)
    const has = ({ cluster, lane, tags, taskType }: Tallies, weight: number, success: number): void => {
      for (const level of [lane, taskType, cluster, tags]) {
        assert.closeTo(level.weight, weight, 0.01)
        assert.closeTo(level.success, success, 0.01)
      }
    }
    for (let count = 0; count < 8; count++) yield* tell("mallory", 0)
    has(yield* seenBy("carl"), 1.6, 0)
    // Whoever asks without an id hears of all.
    has(yield* seenBy(null), 8, 0)
    // Another user's outcome takes nothing of that away.
    yield* tell("ann", 1)
    has(yield* seenBy("carl"), 2.6, 1)
    yield* tell(null, 1)
    has(yield* seenBy("carl"), 4, 2)
    // Of their own outcomes actors see all, and of the others' the same.
    has(yield* seenBy("mallory"), 10, 2)
    has(yield* seenBy("ann"), 3.6, 2)
    has(yield* seenBy(null), 3.6, 2)
  })

  it("labels of a judge or no source weigh four outcomes together, and a gate's their own", function*(memory, scope) {
    for (let count = 0; count < 12; count++) {
      const provenance = count % 2 === 0 ? "judge" : "assertion"
      yield* teach(memory, observationIn(scope, { provenance, provenanceWeight: 0.6, quality: 1 }))
    }
    for (let count = 0; count < 3; count++) yield* teach(memory, observationIn(scope, { provenance: "gate", quality: 0 }))
    yield* teach(memory, observationIn(scope, { provenance: "human", provenanceWeight: 0.5, quality: 0 }))
    const { neighbours, tallies } = yield* memory.recall(queryIn(scope, { perModel: 20 }))
    for (const level of ["lane", "taskType", "cluster"] as const) {
      assert.closeTo(tallies.get("alpha")?.[level].weight ?? 0, 4 + 3.5, 0.01)
      assert.closeTo(tallies.get("alpha")?.[level].success ?? 0, 4, 0.01)
    }
    const weightOf = (quality: number): number =>
      [...neighbours].reduce((sum, each) => sum + (each.quality === quality ? each.provenanceWeight : 0), 0)
    assert.closeTo(weightOf(1), 4, 1e-6)
    assert.closeTo(weightOf(0), 3.5, 1e-6)
  })

  it("a query without an actor says whose the neighbours of named actors are, and no other does", function*(memory, scope) {
    for (const userId of ["ann", "ann", "bob", null]) yield* teach(memory, observationIn(scope, { userId }))
    const actors = (userId: string | null) =>
      Effect.map(memory.recall(queryIn(scope, { userId })), ({ neighbours }) => [...neighbours].map(({ actor }) => actor))
    const [one, other, third, fourth] = (yield* actors(null)).toSorted((a = Infinity, b = Infinity) => a - b)
    assert.isUndefined(fourth)
    assert.strictEqual(new Set([one, other, third]).size, 2)
    assert.deepStrictEqual(yield* actors("ann"), [undefined, undefined])
  })

  it("a task type's tallies are apart by difficulty, with the model's share of all outcomes", function*(memory, scope) {
    const hard = { difficulty: "hard", cluster: "code:hard" } as const
    const byDifficulty = Effect.map(memory.recall(queryIn(scope)), ({ tallies }) => tallies.get("alpha")?.byDifficulty)
    yield* teach(memory, observationIn(scope, { quality: 1 }))
    yield* teach(memory, observationIn(scope, { taskType: "qa", cluster: "qa:hard", difficulty: "hard" }))
    yield* teach(memory, observationIn(scope, { ...hard, modelId: "beta" }))
    assert.isUndefined(yield* byDifficulty)
    for (let count = 0; count < 3; count++) yield* teach(memory, observationIn(scope, { ...hard, quality: 0 }))
    const found = (yield* byDifficulty)?.toSorted((one, other) => one.tally.weight - other.tally.weight)
    // Of two models: (1 + 1) / (1 + 2) of the easy outcomes and (3 + 1) / (4 + 2) of the hard ones.
    alike(found, [
      { tally: { weight: 1, success: 1 }, own: { weight: 1, success: 1 }, modelShare: 2 / 3 },
      { tally: { weight: 3, success: 0 }, own: { weight: 3, success: 0 }, modelShare: 4 / 6 }
    ], 1e-5)
  })

  it("an outcome that is replaced is taken from its actor's sums", function*(memory, scope) {
    const failure = observationIn(scope, { userId: "bob", quality: 0, outcome: "failure", revision: 1, verdictRevision: 1 })
    yield* teach(memory, failure)
    yield* teach(memory, observationIn(scope, { userId: "bob", quality: 0 }))
    yield* teach(memory, observationIn(scope, { userId: "ann", quality: 1 }))
    yield* teach(memory, { ...failure, quality: 1, outcome: "success", revision: 2, verdictRevision: 2 })
    const { tallies } = yield* memory.recall(queryIn(scope, { userId: "bob" }))
    const { lane, own } = tallies.get("alpha")!
    const others = [lane.weight - (own?.lane.weight ?? 0), lane.success - (own?.lane.success ?? 0)]
    alike([...others, own?.lane.weight, own?.lane.success], [2 / 3, 2 / 3, 2, 1], 1e-5)
  })

  it("an outcome that is taught twice, even concurrently, counts once", function*(memory, scope) {
    const observation = observationIn(scope)
    const answers = yield* Effect.all([teach(memory, observation), teach(memory, observation)], {
      concurrency: "unbounded"
    })
    const third = yield* teach(memory, observation)
    assert.deepStrictEqual(answers, [third, third])
    assert.strictEqual(third.laneTaught, 1)
    assert.strictEqual((yield* memory.recall(queryIn(scope))).laneSize, 1)
  })

  it("an outcome of a higher revision replaces the earlier one in every sum", function*(memory) {
    const [replaced, plain] = [freshScope(), freshScope()]
    const occurredAt = new Date(Date.now() - 60_000)
    const observationId = randomUUID()
    const outcome = {
      observationId, occurredAt, outcome: "failure" as const, quality: 0.125, provenance: "gate" as const,
      costUsd: 0.5, latencyMs: null, timeToFirstTokenMs: 125, tags: ["a"]
    }
    const other = { occurredAt, quality: 0.75, modelId: "beta" }
    const first = yield* teach(memory, observationIn(replaced, {
      ...outcome, outcome: "success", quality: 1, provenance: "judge", provenanceWeight: 0.6, costUsd: 4,
      latencyMs: 7, timeToFirstTokenMs: 250, revision: 3, verdictRevision: 3,
      occurredAt: new Date(occurredAt.getTime() - 60_000)
    }))
    const times = Effect.map(memory.recall(queryIn(replaced)), ({ neighbours }) =>
      [...neighbours].map(({ timeToFirstTokenMs }) => timeToFirstTokenMs))
    assert.deepStrictEqual(yield* times, [250])
    yield* teach(memory, observationIn(replaced, other))
    const last = observationIn(replaced, { ...outcome, revision: 5, verdictRevision: 5 })
    const again = yield* teach(memory, last)
    assert.deepStrictEqual([again.recordId, again.laneTaught], [first.recordId, 2])
    // Neither what came before nor a repeat counts.
    for (const late of [{ ...last, revision: 4, quality: 1 }, last]) {
      assert.strictEqual((yield* teach(memory, late)).laneTaught, 2)
    }
    yield* teach(memory, observationIn(plain, { ...outcome, observationId }))
    yield* teach(memory, observationIn(plain, other))
    const seen = (scope: LaneId) =>
      Effect.gen(function*() {
        const { neighbours, tallies, ...recalled } = yield* memory.recall(queryIn(scope, { tags: ["a"] }))
        const health = yield* memory.health({ ...scope, staleThresholdDays: 30 })
        return {
          recalled,
          tallies: [...tallies],
          neighbours: [...neighbours].map(({ ageDays: _age, entryId, ...neighbour }) =>
            neighbour.modelId === "alpha" ? { ...neighbour, entryId } : neighbour),
          counts: health.entryCounts,
          low: health.lowConfidenceCount
        }
      })
    alike(yield* seen(replaced), yield* seen(plain), 1e-5)
    assert.sameMembers(yield* times, [125, null])
  })

  it("telemetry that gets a label becomes an outcome and is no longer telemetry", function*(memory, scope) {
    const usage = observationIn(scope, { provenance: "none", provenanceWeight: 0, costUsd: 0.25, revision: 1, verdictRevision: 1 })
    assert.strictEqual((yield* teach(memory, { ...usage, teaches: false })).laneTaught, 0)
    assert.lengthOf((yield* memory.recall(queryIn(scope))).measurements, 1)
    const scored = { ...usage, provenance: "gate", provenanceWeight: 1, revision: 2, verdictRevision: 2 } as const
    assert.strictEqual((yield* teach(memory, scored)).laneTaught, 1)
    const recalled = yield* memory.recall(queryIn(scope))
    assert.deepStrictEqual([recalled.laneSize, recalled.measurements.length], [1, 0])
    assert.deepInclude([...recalled.neighbours][0], { costUsd: 0.25, provenanceWeight: 1 })
    assert.strictEqual((yield* memory.health({ ...scope, staleThresholdDays: 30 })).entryCounts["observation"], 1)
  })

  it("measurements that come later do not change an outcome's votes and lessons", function*(memory, scope) {
    const entry = observationIn(scope)
    yield* teach(memory, entry)
    const outcome = observationIn(scope, { costUsd: null, revision: 1, verdictRevision: 1 })
    const { observationId } = outcome
    yield* teach(memory, outcome)
    const vote = reinforcementIn(scope, [entry.observationId], { reinforcementId: observationId, revision: 1 })
    yield* reinforce(memory, vote)
    yield* promote(memory, lessonIn(scope, { lessonId: observationId, revision: 1 }))
    yield* teach(memory, { ...outcome, costUsd: 3, revision: 2 })
    const { neighbours } = yield* memory.recall(queryIn(scope))
    const found = new Map([...neighbours].map((neighbour) => [neighbour.entryId, neighbour]))
    assert.strictEqual(found.get(observationId)?.costUsd, 3)
    assert.closeTo(found.get(entry.observationId)?.reliability ?? 0, 10 / 11, tolerance)
    assert.lengthOf(yield* memory.strategies({ ...scope, lessonTypes: [], limit: 5 }), 1)
  })

  it("another label of an outcome takes back its votes and lessons, whenever those come again", function*(memory, scope) {
    const entry = observationIn(scope)
    yield* teach(memory, entry)
    const label = (revision: number, quality: number) =>
      Effect.gen(function*() {
        const outcome = observationIn(scope, { observationId, modelId: "beta", quality, revision, verdictRevision: revision, userId: "ann" })
        yield* teach(memory, outcome)
      })
    const observationId = randomUUID()
    const vote = (revision: number, quality: number) =>
      reinforce(memory, reinforcementIn(scope, [entry.observationId], {
        reinforcementId: observationId, userId: "ann", quality, revision
      }))
    const lesson = (revision: number) => lessonIn(scope, { lessonId: observationId, revision, confidence: revision / 16 })
    const reliability = Effect.map(memory.recall(queryIn(scope)), ({ neighbours }) =>
      [...neighbours].find(({ entryId }) => entryId === entry.observationId)?.reliability ?? 0)
    const said = Effect.map(memory.strategies({ ...scope, lessonTypes: [], limit: 5 }), (strategies) =>
      strategies.map(({ avgConfidence }) => avgConfidence))
    // More often than one actor may vote in a day.
    for (let revision = 1; revision <= 6; revision++) {
      yield* label(revision, 0.9)
      assert.lengthOf((yield* vote(revision, 0.9)).entryIds, 1)
      yield* promote(memory, lesson(revision))
      assert.closeTo(yield* reliability, 10 / 11, tolerance)
      assert.deepStrictEqual(yield* said, [revision / 16])
    }
    yield* label(7, 0.1)
    assert.closeTo(yield* reliability, 9 / 10, tolerance)
    assert.deepStrictEqual(yield* said, [])
    // What was told of the labels before comes again, and is not wanted any more.
    assert.deepStrictEqual((yield* vote(6, 0.9)).entryIds, [])
    yield* promote(memory, lesson(6))
    assert.closeTo(yield* reliability, 9 / 10, tolerance)
    assert.deepStrictEqual(yield* said, [])
    assert.deepStrictEqual((yield* vote(7, 0.1)).entryIds, [])
    assert.closeTo(yield* reliability, 9 / 11, tolerance)
  })

  it("an outcome that is replaced again and again is one of the 25 between two reflections", function*(memory, scope) {
    const observation = observationIn(scope)
    for (let revision = 1; revision <= 26; revision++) {
      const taught = yield* teach(memory, { ...observation, revision, verdictRevision: revision })
      assert.deepStrictEqual([taught.laneTaught, taught.reflectionTriggered], [1, false])
    }
  })

  it("telemetry does not teach, and is recalled for what it measured of its models and actors", function*(memory, scope) {
    const unlabelled = {
      provenance: "none", provenanceWeight: 0, latencyMs: 700, timeToFirstTokenMs: 120
    } as const
    const silent = { costUsd: null, outputTokens: null, latencyMs: null }
    const { laneTaught } = yield* teach(memory, observationIn(scope, { ...unlabelled, costUsd: 0.25, teaches: false }))
    const before = yield* memory.recall(queryIn(scope))
    assert.deepStrictEqual([laneTaught, before.laneSize, before.neighbours.length, before.tallies.size], [0, 0, 0, 0])
    yield* teach(memory, observationIn(scope, { userId: "ada" }))
    yield* teach(memory, observationIn(scope, { ...unlabelled, ...silent, teaches: false }))
    yield* teach(memory, observationIn(scope, { ...unlabelled, provenance: "gate", teaches: false }))
    const { measurements, ...after } = yield* memory.recall(queryIn(scope))
    const [measured, ...others] = measurements
    assert.lengthOf(others, 0)
    assert.deepInclude(measured, { modelId: "alpha", costUsd: 0.25, latencyMs: 700, timeToFirstTokenMs: 120 })
    assert.isAbove(measured?.similarity ?? 0, 0.95)
    assert.deepStrictEqual([after.laneSize, after.neighbours.length], [1, 1])
    assert.lengthOf((yield* memory.recall(queryIn(scope, { modelIds: ["beta"] }))).measurements, 0)
    assert.lengthOf((yield* memory.recall(queryIn(scope, { userId: "ada" }))).measurements, 0)
  })

  it("tallies count the lane, the task type, the cluster, and the request's tags within the type", function*(memory, scope) {
    yield* teach(memory, observationIn(scope, { tags: ["a", "b"], quality: 1 }))
    yield* teach(memory, observationIn(scope, { tags: ["b"], quality: 0 }))
    yield* teach(memory, observationIn(scope, { tags: [], provenanceWeight: 0.5, quality: 1 }))
    yield* teach(memory, observationIn(scope, { tags: ["a"], taskType: "qa", cluster: "qa:easy", quality: 1 }))
    const harder = { tags: ["b"], difficulty: "hard", cluster: "code:hard", quality: 1 } as const
    yield* teach(memory, observationIn(scope, harder))
    const { tallies } = yield* memory.recall(queryIn(scope, { tags: ["a", "b"] }))
    const { lane, taskType, cluster, tags } = tallies.get("alpha")!
    const close = (left: number, right: number): void => assert.closeTo(left, right, 0.01)
    close(lane.weight, 4.5)
    close(lane.success, 3.5)
    close(taskType.weight, 3.5)
    close(taskType.success, 2.5)
    close(cluster.weight, 2.5)
    close(cluster.success, 1.5)
    close(tags.weight, 3)
    close(tags.success, 2)
    assert.isFalse(tallies.has("beta"))
  })

  it("reinforcement moves the reliability that the next recall sees", function*(memory, scope) {
    const observation = observationIn(scope)
    yield* teach(memory, observation)
    yield* memory.recall(queryIn(scope))
    const entryIds = [observation.observationId, observation.observationId, "not-an-entry"]
    const up = yield* reinforce(memory, reinforcementIn(scope, entryIds))
    assert.deepStrictEqual(up.entryIds, [observation.observationId])
    assert.closeTo(up.updatedConfidence ?? 0, 10 / 11, tolerance)
    const down = yield* reinforce(memory, reinforcementIn(scope, entryIds, { quality: 0.1 }))
    assert.closeTo(down.updatedConfidence ?? 0, 10 / 12, tolerance)
    const { neighbours } = yield* memory.recall(queryIn(scope))
    assert.closeTo([...neighbours][0]!.reliability, 10 / 12, tolerance)
  })

  it("a reinforcement that is sent twice, even concurrently, votes once", function*(memory, scope) {
    const observation = observationIn(scope)
    yield* teach(memory, observation)
    const reinforcement = reinforcementIn(scope, [observation.observationId])
    const answers = yield* Effect.all([reinforce(memory, reinforcement), reinforce(memory, reinforcement)], {
      concurrency: "unbounded"
    })
    const third = yield* reinforce(memory, reinforcement)
    for (const { entryIds, updatedConfidence } of [...answers, third]) {
      assert.deepStrictEqual(entryIds, [observation.observationId])
      assert.closeTo(updatedConfidence ?? 0, third.updatedConfidence ?? 1, tolerance)
    }
    assert.closeTo(third.updatedConfidence ?? 0, 10 / 11, tolerance)
    const other = yield* reinforce(memory, { ...reinforcement, reinforcementId: randomUUID() })
    assert.closeTo(other.updatedConfidence ?? 0, 11 / 12, tolerance)
  })

  it("an actor has five votes on an entry in a UTC day, and others keep theirs", function*(memory, scope) {
    const observation = observationIn(scope)
    const { observationId } = observation
    yield* teach(memory, observation)
    const vote = (userId: string | null, day: string, quality = 0.8) =>
      reinforce(memory, reinforcementIn(scope, [observationId], { userId, quality, occurredAt: new Date(day) }))
    const [late, early] = ["2026-11-21T23:59:59.999Z", "2026-11-22T00:00:00.000Z"]
    const answers = yield* Effect.replicateEffect(Effect.suspend(() => vote("ann", late)), 6)
    assert.deepStrictEqual(answers.map(({ entryIds }) => entryIds.length), [1, 1, 1, 1, 1, 0])
    assert.closeTo(answers[5]?.updatedConfidence ?? 0, 14 / 15, tolerance)
    const down = yield* vote("ann", late, 0.1)
    assert.closeTo(down.updatedConfidence ?? 0, 14 / 15, tolerance)
    const others = [yield* vote("bob", late), yield* vote(null, late), yield* vote("ann", early)]
    assert.deepStrictEqual(others.map(({ entryIds }) => entryIds), [[observationId], [observationId], [observationId]])
    assert.closeTo(others[2]?.updatedConfidence ?? 0, 17 / 18, tolerance)
    const { neighbours } = yield* memory.recall(queryIn(scope))
    assert.closeTo([...neighbours][0]!.reliability, 17 / 18, tolerance)
  })

  it("a repeated reinforcement names what the first one voted up, and no more", function*(memory, scope) {
    const [used, other] = [observationIn(scope), observationIn(scope)]
    yield* teach(memory, used)
    yield* teach(memory, other)
    yield* Effect.replicateEffect(
      Effect.suspend(() => reinforce(memory, reinforcementIn(scope, [used.observationId]))), 5
    )
    const both = reinforcementIn(scope, [used.observationId, other.observationId])
    for (let time = 0; time < 2; time++) {
      const { entryIds, updatedConfidence } = yield* reinforce(memory, both)
      assert.deepStrictEqual(entryIds, [other.observationId])
      assert.closeTo(updatedConfidence ?? 0, (14 / 15 + 10 / 11) / 2, tolerance)
    }
  })

  it("twenty actors who vote at once lose no vote, and one actor who votes twenty times has five", function*(memory) {
    for (const [actors, counted] of [[20, 20], [1, 5]] as const) {
      const scope = freshScope()
      const [left, right] = [observationIn(scope), observationIn(scope, { modelId: "beta" })]
      yield* teach(memory, left)
      yield* teach(memory, right)
      const ids = [left.observationId, right.observationId]
      const occurredAt = new Date()
      const answers = yield* Effect.all(
        Array.from({ length: 20 }, (_, n) =>
          reinforce(memory, reinforcementIn(scope, n % 2 === 0 ? ids : ids.toReversed(), {
            userId: `user${n % actors}`, occurredAt
          }))),
        { concurrency: "unbounded" }
      )
      assert.lengthOf(answers.flatMap(({ entryIds }) => entryIds), counted * 2)
      const { neighbours } = yield* memory.recall(queryIn(scope))
      for (const { reliability } of neighbours) {
        assert.closeTo(reliability, (9 + counted) / (10 + counted), tolerance)
      }
    }
  })

  it("an entry's reliability is half as far from one half at an age of 180 days, in every answer", function*(memory, scope) {
    const occurredAt = new Date(Date.now() - 180 * dayMs)
    const [liked, doubted] = [observationIn(scope, { occurredAt }), observationIn(scope, { occurredAt })]
    yield* teach(memory, liked)
    yield* teach(memory, doubted)
    const down = ["ann", "bob", "cat"].flatMap((userId) => Array.from({ length: 5 }, () => userId))
    for (const userId of down) {
      yield* reinforce(memory, reinforcementIn(scope, [doubted.observationId], { userId, quality: 0.1 }))
    }
    const { updatedConfidence } = yield* reinforce(memory, reinforcementIn(scope, [liked.observationId]))
    const [high, low] = [0.5 + (10 / 11 - 0.5) / 2, 0.5 + (9 / 25 - 0.5) / 2]
    assert.closeTo(updatedConfidence ?? 0, high, tolerance)
    const { neighbours } = yield* memory.recall(queryIn(scope))
    const told = [...neighbours].map(({ reliability }) => reliability).toSorted((a, b) => b - a)
    assert.closeTo(told[0] ?? 0, high, tolerance)
    assert.closeTo(told[1] ?? 0, low, tolerance)
    const health = yield* memory.health({ ...scope, staleThresholdDays: 30 })
    assert.strictEqual(health.lowConfidenceCount, 1)
    // Those that voted are outcomes too, of today and without a vote.
    const voters = down.length + 1
    const average = (high + low + 0.9 * voters) / (2 + voters)
    assert.closeTo(health.sectionHealth[0]?.averageConfidence ?? 0, average, tolerance)
  })

  it("an entry voted down loses reliability and is neither named nor counted as reinforced", function*(memory, scope) {
    const good = observationIn(scope)
    const bad = observationIn(scope, { modelId: "beta", quality: 0.1 })
    for (const observation of [good, bad]) {
      yield* teach(memory, observation)
      yield* promote(memory, lessonIn(scope, { modelId: observation.modelId }))
    }
    const entryIds = [bad.observationId, good.observationId]
    const voted = yield* reinforce(memory, reinforcementIn(scope, entryIds, { quality: 1 }))
    assert.deepStrictEqual(voted.entryIds, [good.observationId])
    assert.closeTo(voted.updatedConfidence ?? 0, (10 / 11 + 9 / 11) / 2, tolerance)
    const { neighbours } = yield* memory.recall(queryIn(scope))
    const reliabilityOf = (modelId: string) =>
      [...neighbours].find((neighbour) => neighbour.modelId === modelId)?.reliability ?? 0
    assert.closeTo(reliabilityOf("alpha"), 10 / 11, tolerance)
    assert.closeTo(reliabilityOf("beta"), 9 / 11, tolerance)

    const onlyBad = yield* reinforce(memory, reinforcementIn(scope, [bad.observationId], { quality: 1 }))
    assert.deepStrictEqual(onlyBad.entryIds, [])
    assert.closeTo(onlyBad.updatedConfidence ?? 0, 9 / 12, tolerance)
    const strategies = yield* memory.strategies({ ...scope, lessonTypes: [], limit: 5 })
    assert.sameMembers(strategies.map(({ avgReinforcement }) => avgReinforcement), [1, 0])
  })

  it("fifty outcomes taught at once are fifty outcomes", function*(memory, scope) {
    const answers = yield* Effect.all(
      Array.from({ length: 50 }, () => teach(memory, observationIn(scope))),
      { concurrency: "unbounded" }
    )
    assert.deepStrictEqual(
      answers.map(({ laneTaught }) => laneTaught).sort((left, right) => left - right),
      Array.from({ length: 50 }, (_, index) => index + 1)
    )
    assert.strictEqual(new Set(answers.map(({ recordId }) => recordId)).size, 1)
    assert.strictEqual((yield* memory.recall(queryIn(scope))).laneSize, 50)
  })

  it("lessons become strategies, the best supported first", function*(memory, scope) {
    yield* promote(memory, lessonIn(scope, { modelId: "beta", confidence: 1 }))
    yield* promote(memory, lessonIn(scope))
    yield* promote(memory, lessonIn(scope))
    const strategies = yield* memory.strategies({ ...scope, lessonTypes: [], limit: 5 })
    assert.deepStrictEqual(strategies.map(({ supportingLessonCount }) => supportingLessonCount), [2, 1])
    assert.isEmpty(yield* memory.strategies({ ...scope, lessonTypes: ["failure"], limit: 5 }))
  })

  it("a diagnosis finds the failure lessons about its error", function*(memory, scope) {
    const failure = { lessonType: "failure" as const }
    const timeout = lessonIn(scope, { ...failure, content: "connection timeout while migrating" })
    yield* promote(memory, timeout)
    yield* promote(memory, lessonIn(scope, { ...failure, content: "invalid JSON answered" }))
    const found = yield* memory.diagnose(errorIn(scope, "Timeout 0xdeadbeef1 after 300 ms: connection /var/run/db.sock"))
    assert.deepStrictEqual(found.lessons.map(({ lessonId }) => lessonId), [timeout.lessonId])
    assert.strictEqual(found.total, 1)
  })

  it("a stack trace finds the failure at other lines and paths, and not another error", function*(memory, scope) {
    const same = failureIn(scope, trace("ann", 12))
    const other = failureIn(scope, trace("ann", 12, "Assignment to constant variable"))
    yield* promote(memory, same)
    yield* promote(memory, other)
    const found = yield* memory.diagnose(errorIn(scope, trace("bob", 988)))
    assert.deepStrictEqual(found.lessons.map(({ lessonId }) => lessonId), [same.lessonId])
    const foreign = yield* memory.diagnose(errorIn(scope, "ECONNREFUSED 127.0.0.1:5432"))
    assert.deepStrictEqual([foreign.lessons, foreign.total], [[], 0])
  })

  it("occurrences of one error are one lesson, and the limit cuts what the total counts", function*(memory, scope) {
    for (const line of [1, 2]) yield* promote(memory, failureIn(scope, trace("ann", line)))
    yield* promote(memory, failureIn(scope, trace("ann", 3), { modelId: "beta" }))
    const found = yield* memory.diagnose({
      ...scope, errorText: trace("ann", 4), errorType: "TypeError", userId: null, limit: 1
    })
    assert.deepStrictEqual([found.lessons.length, found.total], [1, 2])
  })

  it("a user's diagnosis sees the lessons of that user and the lessons without a user", function*(memory, scope) {
    const own = failureIn(scope, trace("ann", 1), { userId: "ann" })
    const nobodys = failureIn(scope, trace("ann", 1), { modelId: "beta" })
    for (const lesson of [own, nobodys, failureIn(scope, trace("ann", 1), { userId: "bob", modelId: "gamma" })]) {
      yield* promote(memory, lesson)
    }
    const seenBy = (userId: string | null) =>
      Effect.map(
        memory.diagnose({ ...errorIn(scope, trace("ann", 1)), userId }),
        ({ lessons }) => lessons.map(({ lessonId }) => lessonId)
      )
    assert.sameMembers(yield* seenBy("ann"), [own.lessonId, nobodys.lessonId])
    assert.lengthOf(yield* seenBy(null), 3)
  })

  it("the 25th taught outcome makes a reflection due, which says what to prefer and to avoid", function*(memory, scope) {
    const triggered: Array<boolean> = []
    const tell = (over: Parameters<typeof observationIn>[1], teaches = true) =>
      Effect.map(teach(memory, { ...observationIn(scope, over), teaches }), ({ reflectionTriggered }) => {
        triggered.push(reflectionTriggered)
      })
    yield* tell({}, false)
    for (let index = 0; index < 10; index++) {
      yield* tell({ modelId: "beta", outcome: "failure", quality: 0.1, provenance: "human", provenanceWeight: 0.9 })
    }
    for (let index = 0; index < 15; index++) yield* tell({ costUsd: 0.0015 })
    assert.deepStrictEqual(triggered, [...Array.from({ length: 25 }, () => false), true])
    const strategies = yield* eventually(
      memory.strategies({ ...scope, lessonTypes: [], limit: 5 }),
      (found) => found.length >= 2
    )
    const said = strategies.map(({ description }) => description)
    const prefer = said.find((text) => text.startsWith("For code:easy prefer alpha: 15 of 15 verified successes"))
    assert.include(prefer, "at $0.0015")
    assert.include(prefer, "80 points above beta")
    assert.isTrue(said.some((text) => text.startsWith("For code:easy avoid beta: 0 of 10 reported successes")))
    for (const { avgConfidence, dominantScope, lessonIds, supportingLessonCount } of strategies) {
      assert.include(["session", "account"], dominantScope)
      assert.isTrue(avgConfidence > 0 && avgConfidence < 1)
      assert.strictEqual(lessonIds.length, supportingLessonCount)
    }
    const failures = yield* memory.strategies({ ...scope, lessonTypes: ["failure"], limit: 5 })
    assert.deepStrictEqual(failures.map(({ dominantLessonType }) => dominantLessonType), ["failure"])
    const health = yield* memory.health({ ...scope, staleThresholdDays: 30 })
    assert.strictEqual(health.entryCounts["lesson"], 4)
  })

  it("a failure at a gate makes a reflection due, however often it is sent; telemetry makes none", function*(memory, scope) {
    const failure = observationIn(scope, { outcome: "failure", quality: 0.1 })
    for (let time = 0; time < 2; time++) {
      assert.isTrue((yield* teach(memory, failure)).reflectionTriggered)
    }
    const success = observationIn(scope, { revision: 1, verdictRevision: 1 })
    assert.isFalse((yield* teach(memory, success)).reflectionTriggered)
    const replacing = { ...success, outcome: "failure", quality: 0, revision: 2, verdictRevision: 2 } as const
    assert.isTrue((yield* teach(memory, replacing)).reflectionTriggered)
    const unlabelled = observationIn(scope, { outcome: "failure", quality: 0.1 })
    assert.isFalse((yield* teach(memory, { ...unlabelled, teaches: false })).reflectionTriggered)
  })

  it("reflection reports errors that recur and steps that keep failing", function*(memory, scope) {
    const step = stepIn({ stepId: "lint", outcome: "failure", signal: -1, directiveHint: "run the\nformatter first" })
    for (let index = 0; index < 6; index++) {
      yield* promote(memory, failureIn(scope, trace("ann", index)))
      yield* recordSteps(memory, stepsIn(scope, { recommendationId: `r${index}`, steps: [step] }))
    }
    yield* teach(memory, observationIn(scope, { outcome: "failure", quality: 0.1 }))
    const strategies = yield* eventually(
      memory.strategies({ ...scope, lessonTypes: ["failure"], limit: 5 }),
      (found) => found.length >= 2
    )
    const said = strategies.map(({ description }) => description)
    assert.include(said, "For code:easy alpha fails the step \"lint\" in 6 of 6 runs."
      + " A caller on it, quoted: \"run the formatter first\".")
    assert.include(said, "For code:easy alpha failed 6 times with one error, quoted:"
      + ` "TypeError: Cannot read properties of undefined (reading 'rows')".`)
    const found = yield* memory.diagnose(errorIn(scope, trace("bob", 99)))
    assert.deepStrictEqual([found.total, found.lessons[0]?.content], [1, said.find((text) => text.includes("6 times"))])
  })

  it("of contradicting lessons the one that outcomes support stays; the other can be diagnosed", function*(memory, scope) {
    const failure = failureIn(scope, trace("ann", 1))
    yield* promote(memory, lessonIn(scope, { scope: "run" }))
    yield* promote(memory, failure)
    const health = memory.health({ ...scope, staleThresholdDays: 30 })
    assert.strictEqual((yield* health).contradictions, 1)
    for (let index = 0; index < 4; index++) yield* teach(memory, observationIn(scope))
    // A failure at a gate makes the reflection due.
    yield* teach(memory, observationIn(scope, { outcome: "failure", quality: 0.1 }))
    const after = yield* eventually(health, ({ contradictions }) => contradictions === 0)
    assert.strictEqual(after.lowConfidenceCount, 1)
    const strategies = yield* memory.strategies({ ...scope, lessonTypes: [], limit: 5 })
    assert.deepStrictEqual(strategies.map(({ dominantLessonType }) => dominantLessonType), ["success"])
    const found = yield* memory.diagnose(errorIn(scope, trace("ann", 2)))
    assert.deepStrictEqual(found.lessons.map(({ lessonId }) => lessonId), [failure.lessonId])
    assert.isBelow(found.lessons[0]!.confidence, failure.confidence)
  })

  it("a model contradicts itself where gates and people praise and blame it about as often", function*(
    memory, scope
  ) {
    const contradictions = Effect.map(memory.health({ ...scope, staleThresholdDays: 30 }), (health) => health.contradictions)
    const failed = { outcome: "failure", quality: 0.1 } as const
    yield* teach(memory, observationIn(scope, { provenance: "human" }))
    assert.strictEqual(yield* contradictions, 0)
    for (const over of [{ modelId: "beta" }, { cluster: "qa:easy" }, { provenance: "judge" }, { teaches: false }] as const) {
      yield* teach(memory, observationIn(scope, { ...failed, ...over }))
      assert.strictEqual(yield* contradictions, 0)
    }
    yield* teach(memory, observationIn(scope, { ...failed, provenance: "gate" }))
    assert.strictEqual(yield* contradictions, 1)
    // Lessons that say the same of the same model are no second contradiction.
    yield* promote(memory, lessonIn(scope, { scope: "run" }))
    yield* promote(memory, lessonIn(scope, { scope: "run", lessonType: "failure" }))
    assert.strictEqual(yield* contradictions, 1)
    yield* teach(memory, observationIn(scope, { modelId: "gamma" }))
    for (let index = 0; index < 3; index++) yield* teach(memory, observationIn(scope, { ...failed, modelId: "gamma" }))
    assert.strictEqual(yield* contradictions, 1)
    // A failure of long ago weighs a tenth of a success of today.
    yield* teach(memory, observationIn(scope, { modelId: "delta" }))
    yield* teach(memory, observationIn(scope, { ...failed, modelId: "delta", occurredAt: new Date(0) }))
    assert.strictEqual(yield* contradictions, 1)
  })

  it("a repeated step is kept and counted once for each model", function*(memory, scope) {
    const recorded = (modelId: string, ...stepIds: ReadonlyArray<string>) =>
      recordSteps(memory, stepsIn(scope, { modelId, steps: stepIds.map((stepId) => stepIn({ stepId })) }))
    assert.strictEqual(yield* recorded("alpha", "one", "two", "one"), 2)
    assert.strictEqual(yield* recorded("alpha", "two", "three"), 1)
    assert.strictEqual(yield* recorded("alpha", "three"), 0)
    assert.strictEqual(yield* recorded("beta", "one"), 1)
    const { entryCounts } = yield* memory.health({ ...scope, staleThresholdDays: 30 })
    assert.strictEqual(entryCounts["step_reward"], 4)
  })

  it("health counts the entries of each kind", function*(memory, scope) {
    yield* teach(memory, observationIn(scope))
    yield* teach(memory, observationIn(scope, { modelId: "beta", occurredAt: new Date(0) }))
    yield* promote(memory, lessonIn(scope, { modelId: "beta" }))
    yield* promote(memory, lessonIn(scope, { modelId: "beta", lessonType: "failure" }))
    assert.strictEqual(yield* recordSteps(memory, stepsIn(scope)), 1)
    const health = yield* memory.health({ ...scope, staleThresholdDays: 30 })
    assert.deepStrictEqual(health.entryCounts, { observation: 2, outcome_record: 2, lesson: 2, step_reward: 1 })
    assert.deepStrictEqual(
      [health.staleEntries, health.contradictions, health.lowConfidenceCount, health.promotionCandidates],
      [1, 1, 0, 1]
    )
    assert.closeTo(health.sectionHealth[0]?.averageConfidence ?? 0, (0.9 + 0.5) / 2, tolerance)
    assert.deepStrictEqual(
      health.sectionHealth.map(({ count, name }) => [name, count]),
      Object.entries(health.entryCounts)
    )
    const ages = health.sectionHealth.map(({ averageAgeHours }) => averageAgeHours ?? Number.NaN)
    assert.isAbove(ages[0]!, 24 * 365)
    assert.closeTo(ages[2]!, 0, 0.1)
  })
}
