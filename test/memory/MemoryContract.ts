import { assert, type Vitest } from "@effect/vitest"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import { Lane } from "../../src/domain/Scope.ts"
import { Memory } from "../../src/memory/Memory.ts"
import { freshCaller, freshScope, lessonIn, observationIn, queryIn } from "./fixtures.ts"

/** What every driver of `Memory` promises. */
export const memoryContract = (it: Vitest.MethodsNonLive<Memory>): void => {
  it.effect("an acknowledged outcome is in the next recall", () =>
    Effect.gen(function*() {
      const memory = yield* Memory
      const scope = freshScope()
      const empty = yield* memory.recall(queryIn(scope))
      assert.deepStrictEqual([empty.laneSize, empty.meanSimilarity, empty.highSimilarity], [0, 0, 0])
      const first = observationIn(scope)
      const taught = yield* memory.teach(first, true)
      assert.strictEqual(taught.laneTaught, 1)
      const recalled = yield* memory.recall(queryIn(scope))
      assert.deepStrictEqual(recalled.neighbours.map(({ entryId }) => entryId), [first.observationId])
      const neighbour = recalled.neighbours[0]!
      assert.closeTo(neighbour.similarity, 1, 0.01)
      assert.strictEqual(neighbour.quality, 0.9)
      assert.strictEqual(neighbour.costUsd, 0.004)
      assert.strictEqual(neighbour.inputTokens, 1_200)
      assert.closeTo(neighbour.reliability, 0.9, 1e-12)
      assert.isFalse(neighbour.isStale)
      const again = yield* memory.teach(observationIn(scope), true)
      assert.deepStrictEqual(again, { recordId: taught.recordId, laneTaught: 2 })
      assert.strictEqual((yield* memory.recall(queryIn(scope))).laneSize, 2)
    }))

  it.effect("each candidate gets its own k neighbours", () =>
    Effect.gen(function*() {
      const memory = yield* Memory
      const scope = freshScope()
      for (let index = 0; index < 6; index++) yield* memory.teach(observationIn(scope), true)
      yield* memory.teach(observationIn(scope, { modelId: "beta", task: "Translate a poem into Welsh" }), true)
      const { neighbours } = yield* memory.recall(queryIn(scope, { perModel: 3 }))
      assert.deepStrictEqual(neighbours.map(({ modelId }) => modelId), ["alpha", "alpha", "alpha", "beta"])
    }))

  it.effect("lanes and accounts never mix", () =>
    Effect.gen(function*() {
      const memory = yield* Memory
      const scope = freshScope()
      const observation = observationIn(scope)
      yield* memory.teach(observation, true)
      yield* memory.promote(lessonIn(scope))
      for (const other of [{ ...scope, lane: Lane.make("sextant:other") }, { ...scope, caller: freshCaller() }]) {
        const recalled = yield* memory.recall(queryIn(other))
        assert.deepStrictEqual([recalled.laneSize, recalled.tallies.size], [0, 0])
        const reinforced = yield* memory.reinforce({ ...other, entryIds: [observation.observationId], quality: 0 })
        assert.deepStrictEqual(reinforced, { entryIds: [], updatedConfidence: null })
        assert.isEmpty(yield* memory.strategies({ ...other, lessonTypes: [], limit: 5 }))
      }
    }))

  it.effect("a user filter limits the neighbours and leaves the tallies whole", () =>
    Effect.gen(function*() {
      const memory = yield* Memory
      const scope = freshScope()
      yield* memory.teach(observationIn(scope, { userId: "ann" }), true)
      yield* memory.teach(observationIn(scope, { userId: "bob" }), true)
      const recalled = yield* memory.recall(queryIn(scope, { userId: "ann" }))
      assert.strictEqual(recalled.neighbours.length, 1)
      assert.closeTo(recalled.tallies.get("alpha")?.lane.weight ?? 0, 2, 0.01)
    }))

  it.effect("the same outcome told twice, even at once, counts once", () =>
    Effect.gen(function*() {
      const memory = yield* Memory
      const scope = freshScope()
      const observation = observationIn(scope)
      const answers = yield* Effect.all([memory.teach(observation, true), memory.teach(observation, true)], {
        concurrency: "unbounded"
      })
      const third = yield* memory.teach(observation, true)
      assert.deepStrictEqual(answers, [third, third])
      assert.strictEqual(third.laneTaught, 1)
      assert.strictEqual((yield* memory.recall(queryIn(scope))).laneSize, 1)
    }))

  it.effect("telemetry does not teach", () =>
    Effect.gen(function*() {
      const memory = yield* Memory
      const scope = freshScope()
      const { laneTaught } = yield* memory.teach(observationIn(scope), false)
      assert.strictEqual(laneTaught, 0)
      const recalled = yield* memory.recall(queryIn(scope))
      assert.deepStrictEqual([recalled.laneSize, recalled.neighbours.length, recalled.tallies.size], [0, 0, 0])
    }))

  it.effect("tallies count the lane, the task type, the cluster, and the request's tags within the type", () =>
    Effect.gen(function*() {
      const memory = yield* Memory
      const scope = freshScope()
      yield* memory.teach(observationIn(scope, { tags: ["a", "b"], quality: 1 }), true)
      yield* memory.teach(observationIn(scope, { tags: ["b"], quality: 0 }), true)
      yield* memory.teach(observationIn(scope, { tags: [], provenanceWeight: 0.5, quality: 1 }), true)
      yield* memory.teach(observationIn(scope, { tags: ["a"], taskType: "qa", cluster: "qa:easy", quality: 1 }), true)
      const harder = { tags: ["b"], difficulty: "hard", cluster: "code:hard", quality: 1 } as const
      yield* memory.teach(observationIn(scope, harder), true)
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
    }))

  it.effect("reinforcement moves the reliability that the next recall sees", () =>
    Effect.gen(function*() {
      const memory = yield* Memory
      const scope = freshScope()
      const observation = observationIn(scope)
      yield* memory.teach(observation, true)
      yield* memory.recall(queryIn(scope))
      const entryIds = [observation.observationId, observation.observationId, "not-an-entry"]
      const up = yield* memory.reinforce({ ...scope, entryIds, quality: 0.8 })
      assert.deepStrictEqual(up.entryIds, [observation.observationId])
      assert.closeTo(up.updatedConfidence ?? 0, 10 / 11, 1e-12)
      const down = yield* memory.reinforce({ ...scope, entryIds, quality: 0.1 })
      assert.closeTo(down.updatedConfidence ?? 0, 10 / 12, 1e-12)
      const { neighbours } = yield* memory.recall(queryIn(scope))
      assert.closeTo(neighbours[0]!.reliability, 10 / 12, 1e-12)
    }))

  it.effect("the same reinforcement told twice, even at once, votes once", () =>
    Effect.gen(function*() {
      const memory = yield* Memory
      const scope = freshScope()
      const observation = observationIn(scope)
      yield* memory.teach(observation, true)
      const reinforcement = {
        ...scope, reinforcementId: randomUUID(), entryIds: [observation.observationId], quality: 0.8
      }
      const answers = yield* Effect.all([memory.reinforce(reinforcement), memory.reinforce(reinforcement)], {
        concurrency: "unbounded"
      })
      const third = yield* memory.reinforce(reinforcement)
      assert.deepStrictEqual(answers, [third, third])
      assert.deepStrictEqual(third.entryIds, [observation.observationId])
      assert.closeTo(third.updatedConfidence ?? 0, 10 / 11, 1e-12)
      const other = yield* memory.reinforce({ ...reinforcement, reinforcementId: randomUUID() })
      assert.closeTo(other.updatedConfidence ?? 0, 11 / 12, 1e-12)
    }))

  it.effect("an entry voted down loses reliability and is neither named nor counted as reinforced", () =>
    Effect.gen(function*() {
      const memory = yield* Memory
      const scope = freshScope()
      const good = observationIn(scope)
      const bad = observationIn(scope, { modelId: "beta", quality: 0.1 })
      for (const observation of [good, bad]) {
        yield* memory.teach(observation, true)
        yield* memory.promote(lessonIn(scope, { modelId: observation.modelId }))
      }
      const entryIds = [bad.observationId, good.observationId]
      const voted = yield* memory.reinforce({ ...scope, entryIds, quality: 1 })
      assert.deepStrictEqual(voted.entryIds, [good.observationId])
      assert.closeTo(voted.updatedConfidence ?? 0, (10 / 11 + 9 / 11) / 2, 1e-12)
      const { neighbours } = yield* memory.recall(queryIn(scope))
      const reliabilityOf = (modelId: string) =>
        neighbours.find((neighbour) => neighbour.modelId === modelId)?.reliability ?? 0
      assert.closeTo(reliabilityOf("alpha"), 10 / 11, 1e-12)
      assert.closeTo(reliabilityOf("beta"), 9 / 11, 1e-12)

      const onlyBad = yield* memory.reinforce({ ...scope, entryIds: [bad.observationId], quality: 1 })
      assert.deepStrictEqual(onlyBad.entryIds, [])
      assert.closeTo(onlyBad.updatedConfidence ?? 0, 9 / 12, 1e-12)
      const strategies = yield* memory.strategies({ ...scope, lessonTypes: [], limit: 5 })
      assert.sameMembers(strategies.map(({ avgReinforcement }) => avgReinforcement), [1, 0])
    }))

  it.effect("fifty outcomes taught at once are fifty outcomes", () =>
    Effect.gen(function*() {
      const memory = yield* Memory
      const scope = freshScope()
      const answers = yield* Effect.all(
        Array.from({ length: 50 }, () => memory.teach(observationIn(scope), true)),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(
        answers.map(({ laneTaught }) => laneTaught).sort((left, right) => left - right),
        Array.from({ length: 50 }, (_, index) => index + 1)
      )
      assert.strictEqual(new Set(answers.map(({ recordId }) => recordId)).size, 1)
      assert.strictEqual((yield* memory.recall(queryIn(scope))).laneSize, 50)
    }))

  it.effect("lessons become strategies, the best supported first", () =>
    Effect.gen(function*() {
      const memory = yield* Memory
      const scope = freshScope()
      yield* memory.promote(lessonIn(scope, { modelId: "beta", confidence: 1 }))
      yield* memory.promote(lessonIn(scope))
      yield* memory.promote(lessonIn(scope))
      const strategies = yield* memory.strategies({ ...scope, lessonTypes: [], limit: 5 })
      assert.deepStrictEqual(strategies.map(({ supportingLessonCount }) => supportingLessonCount), [2, 1])
      assert.isEmpty(yield* memory.strategies({ ...scope, lessonTypes: ["failure"], limit: 5 }))
    }))

  it.effect("an error finds the failure lessons that speak of it", () =>
    Effect.gen(function*() {
      const memory = yield* Memory
      const scope = freshScope()
      const failure = { lessonType: "failure" as const }
      const timeout = lessonIn(scope, { ...failure, content: "connection timeout while migrating" })
      yield* memory.promote(timeout)
      yield* memory.promote(lessonIn(scope, { ...failure, content: "invalid JSON answered" }))
      const found = yield* memory.diagnose({
        ...scope, errorText: "Timeout 0xdeadbeef1 after 300 ms: connection /var/run/db.sock", errorType: null, userId: null, limit: 5
      })
      assert.deepStrictEqual(found.lessons.map(({ lessonId }) => lessonId), [timeout.lessonId])
      assert.strictEqual(found.total, 1)
    }))

  it.effect("a repeated step is kept and counted once for each model", () =>
    Effect.gen(function*() {
      const memory = yield* Memory
      const scope = freshScope()
      const stepOf = (stepId: string) =>
        ({ stepId, stepName: null, outcome: "success" as const, signal: 1, rationale: null, directiveHint: null })
      const recorded = (modelId: string, ...stepIds: ReadonlyArray<string>) =>
        memory.recordSteps({
          ...scope, recommendationId: "r", cluster: "code:easy", modelId, steps: stepIds.map(stepOf),
          occurredAt: new Date()
        })
      assert.strictEqual(yield* recorded("alpha", "one", "two", "one"), 2)
      assert.strictEqual(yield* recorded("alpha", "two", "three"), 1)
      assert.strictEqual(yield* recorded("alpha", "three"), 0)
      assert.strictEqual(yield* recorded("beta", "one"), 1)
      const { entryCounts } = yield* memory.health({ ...scope, staleThresholdDays: 30 })
      assert.strictEqual(entryCounts["step_reward"], 4)
    }))

  it.effect("health counts what is there", () =>
    Effect.gen(function*() {
      const memory = yield* Memory
      const scope = freshScope()
      const steps = [{
        stepId: "one", stepName: null, outcome: "success" as const, signal: 1, rationale: null, directiveHint: null
      }]
      yield* memory.teach(observationIn(scope), true)
      yield* memory.teach(observationIn(scope, { modelId: "beta", occurredAt: new Date(0) }), true)
      yield* memory.promote(lessonIn(scope, { modelId: "beta" }))
      yield* memory.promote(lessonIn(scope, { modelId: "beta", lessonType: "failure" }))
      const recorded = yield* memory.recordSteps({
        ...scope, recommendationId: "r", cluster: "code:easy", modelId: "alpha", steps, occurredAt: new Date()
      })
      assert.strictEqual(recorded, 1)
      const health = yield* memory.health({ ...scope, staleThresholdDays: 30 })
      assert.deepStrictEqual(health.entryCounts, { observation: 2, outcome_record: 2, lesson: 2, step_reward: 1 })
      assert.deepStrictEqual(
        [health.staleEntries, health.contradictions, health.lowConfidenceCount, health.promotionCandidates],
        [1, 1, 0, 1]
      )
      assert.closeTo(health.sectionHealth[0]?.averageConfidence ?? 0, 0.9, 1e-9)
    }))
}
