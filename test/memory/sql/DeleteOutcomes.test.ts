import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { LaneId } from "../../../src/domain/Scope.ts"
import * as EmbedderLexical from "../../../src/embedder/lexical/EmbedderLexical.ts"
import { teach } from "../../../src/memory/DirectWrites.ts"
import { Memory } from "../../../src/memory/Memory.ts"
import { deleteOutcomes } from "../../../src/memory/sql/DeleteOutcomes.ts"
import * as MemorySql from "../../../src/memory/sql/MemorySql.ts"
import { onOneEngine, slow } from "../../support/Databases.ts"
import {
  freshScope, lessonIn, observationIn, observing, promptSettings, recording, reinforcementIn, stepIn, stepsIn
} from "../fixtures.ts"
import { alike, rowsOf, seenOf, applied } from "../laneState.ts"

const settings = { ...promptSettings, pollIntervalMs: 0 }
const outcomesTold = 45
const began = new Date(Date.now() - 3_600_000)
const at = (i: number) => new Date(began.getTime() + i * 1_000)

/** An outcome's id in the form that the learner gives it: the first digits are those of its recommendation's. */
const idOf = (i: number) => `01890a5d-${(0xa000 + i).toString(16)}-774b-bcce-b302099a80${(16 + i).toString(16)}`
const recommendationOf = (i: number) => `${idOf(i).slice(0, 13)}-7777-8000-000000000000`

/** Every third outcome is mallory's; they fall into the middle of the hour's. */
const isLie = (i: number): boolean => i % 3 === 1

/**
 * Tells outcome `i` as a report does, in one transaction: what happened, the votes on earlier entries, the steps, the
 * lesson. No reflection sees a part of it.
 */
const tell = (scope: LaneId, i: number) =>
  Effect.gen(function*() {
    const memory = yield* Memory
    const isLost = isLie(i) || i % 5 === 0
    const [userId, modelId, occurredAt] = [isLie(i) ? "mallory" : "ann", i % 2 === 0 ? "alpha" : "beta", at(i)]
    const outcome = observationIn(scope, {
      observationId: idOf(i), userId, modelId, occurredAt, task: `Write function number ${i % 4}`,
      outcome: isLost ? "failure" : "success", quality: isLost ? 0 : 1, costUsd: 0.001 * (i + 1), inputTokens: i % 4 === 0 ? null : 100 + i,
      teaches: i % 7 !== 6
    })
    const reinforcement = reinforcementIn(scope, [idOf(i - 1), idOf(i - 2), idOf(i - 3)], {
      reinforcementId: idOf(i), userId, occurredAt, quality: isLost ? 0 : 1
    })
    const steps = [stepIn({ stepId: "plan", outcome: "failure", signal: -1 })]
    const lesson = lessonIn(scope, {
      lessonId: idOf(i), modelId, occurredAt, userId, lessonType: isLost ? "failure" : "success",
      ...(isLost ? { errorText: `TimeoutError: ${userId} waited too long` } : {})
    })
    const { onDurable } = yield* memory.store(scope.accountId, [
      observing({ ...outcome, taskVectors: yield* memory.prepare(outcome) }),
      { kind: "reinforce", body: reinforcement },
      recording(stepsIn(scope, { recommendationId: recommendationOf(i), modelId, occurredAt, steps })),
      { kind: "promote", body: lesson }
    ])
    yield* onDurable
  })

const indices = Array.from({ length: outcomesTold }, (_, i) => i)

onOneEngine((name, engine) => {
  const memory = MemorySql.layer({ endpoint: "postgresql", settings }).pipe(Layer.provide(EmbedderLexical.layer))
  layer(Layer.provideMerge(memory, engine), slow)(`deleting outcomes ${name}`, (it) => {
    const compare = (isKept: (i: number) => boolean, request: { readonly userId: string | null; readonly since: Date | null; readonly until: Date | null }) =>
      Effect.gen(function*() {
        const [all, kept] = [freshScope(), freshScope()]
        for (const i of indices) yield* tell(all, i)
        for (const i of indices.filter(isKept)) yield* tell(kept, i)
        yield* applied(all)
        yield* applied(kept)
        const before = yield* seenOf(all)
        assert.notDeepEqual(before, yield* seenOf(kept))
        const undone = yield* deleteOutcomes({ accountId: all.accountId, lane: null, ...request }, settings)
        assert.deepStrictEqual(undone, [{ lane: all.lane, outcomes: indices.filter((i) => !isKept(i)).length }])
        // Both lanes reflect once more on what they hold now.
        for (const scope of [all, kept]) {
          yield* tell(scope, outcomesTold + 5)
          yield* applied(scope)
        }
        alike(yield* rowsOf(all), yield* rowsOf(kept))
        alike(yield* seenOf(all), yield* seenOf(kept))
        assert.deepStrictEqual(yield* deleteOutcomes({ accountId: all.accountId, lane: null, ...request }, settings), [])
      })

    it.effect("of an actor leaves the lane as if that actor had never reported any", () =>
      compare((i) => !isLie(i), { userId: "mallory", since: null, until: null }))

    it.effect("of a span of time leaves the lane as if none had been reported in it", () =>
      compare((i) => i < 15 || i >= 30, { userId: null, since: at(15), until: at(30) }))

    it.effect("makes a lane that comes to the same count again reflect again", () =>
      Effect.gen(function*() {
        const memory = yield* Memory
        const scope = freshScope()
        const teachAt = (i: number) => teach(memory, observationIn(scope, { observationId: idOf(i), occurredAt: at(i) }))
        for (let i = 0; i < settings.reflection.every; i++) yield* teachAt(i)
        yield* applied(scope)
        const span = { since: at(3), until: at(4) }
        assert.lengthOf(yield* deleteOutcomes({ accountId: scope.accountId, lane: null, userId: null, ...span }, settings), 1)
        assert.isTrue((yield* teachAt(settings.reflection.every)).reflectionTriggered)
      }))

    it.effect("of all of a cell leaves no record of it, though they have voted on each other", () =>
      Effect.gen(function*() {
        const scope = freshScope()
        for (const i of [0, 1, 2]) yield* tell(scope, i)
        yield* deleteOutcomes({ ...scope, userId: null, since: null, until: null }, settings)
        const { entryCounts } = yield* (yield* Memory).health({ ...scope, staleThresholdDays: 30 })
        assert.deepStrictEqual(entryCounts, { observation: 0, outcome_record: 0, lesson: 0, step_reward: 0 })
      }))

    it.effect("of an actor in a span leaves other accounts, lanes, actors and times alone", () =>
      Effect.gen(function*() {
        const [mine, other] = [freshScope(), freshScope()]
        for (const i of indices.slice(0, 12)) {
          yield* tell(mine, i)
          yield* tell(other, i)
        }
        yield* applied(mine)
        yield* applied(other)
        const rows = yield* rowsOf(other)
        const none = { accountId: mine.accountId, lane: null, userId: "nobody", since: null, until: null }
        assert.deepStrictEqual(yield* deleteOutcomes(none, settings), [])
        const some = yield* deleteOutcomes({ ...none, userId: "mallory", since: at(4), until: at(8) }, settings)
        assert.deepStrictEqual(some, [{ lane: mine.lane, outcomes: 2 }])
        alike(yield* rowsOf(other), rows)
      }))
  })
})
