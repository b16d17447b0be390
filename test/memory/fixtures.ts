import { assert } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import { randomUUID } from "node:crypto"
import { noRestarts } from "../../src/domain/model/ModelIdentity.ts"
import { AccountId, Lane, type LaneId } from "../../src/domain/Scope.ts"
import { reinforce, teach } from "../../src/memory/DirectWrites.ts"
import type { Memory, RecallQuery } from "../../src/memory/Memory.ts"
import { memorySettings } from "../../src/memory/MemorySettings.ts"
import type { MemoryWrite, NewLesson, Observation, Reinforcement, StepRewards } from "../../src/domain/MemoryWrite.ts"

/** Reflects as soon as it may, so that nobody waits long for what reflection leaves. */
export const promptSettings = {
  ...memorySettings,
  reflection: { ...memorySettings.reflection, pauseMs: 10, pollMs: 100 }
}

/** An account that no other test knows, so that suites can share a database. */
export const freshAccount = (): AccountId => AccountId.make(`test-${randomUUID()}`)

export const freshScope = (): LaneId => ({ accountId: freshAccount(), lane: Lane.make("sextant:default") })

export const observationIn = (scope: LaneId, over: Partial<Observation> = {}): Observation => ({
  ...scope,
  observationId: randomUUID(),
  task: "Write a function that sums a list of integers",
  taskType: "code",
  difficulty: "easy",
  cluster: "code:easy",
  tags: [],
  userId: null,
  modelId: "alpha",
  outcome: "success",
  quality: 0.9,
  provenance: "gate",
  provenanceWeight: 1,
  propensity: null,
  inputTokens: 1_200,
  outputTokens: 300,
  costUsd: 0.004,
  latencyMs: 900,
  timeToFirstTokenMs: null,
  revision: 0,
  verdictRevision: 0,
  isCostOutlier: false,
  teaches: true,
  occurredAt: new Date(),
  ...over
})

export const queryIn = (scope: LaneId, over: Partial<RecallQuery> = {}): RecallQuery => ({
  ...scope,
  task: "Write a function that sums a list of integers",
  cluster: "code:easy",
  tags: [],
  userId: null,
  modelIds: ["alpha", "beta"],
  perModel: 5,
  restarts: noRestarts,
  ...over
})

/** An outcome that says nothing but that it votes: it neither teaches nor measures. */
export const voterOf = ({ accountId, lane, occurredAt, reinforcementId, userId }: Reinforcement): Observation =>
  observationIn({ accountId, lane }, {
    observationId: reinforcementId, userId, occurredAt, teaches: false, provenance: "none", provenanceWeight: 0,
    inputTokens: null, outputTokens: null, costUsd: null, latencyMs: null
  })

/** Votes as the label of an outcome, which is taught first where there is none of the id. */
export const vote = (memory: Pick<Memory["Service"], "write">, reinforcement: Reinforcement) =>
  Effect.andThen(teach(memory, voterOf(reinforcement)), reinforce(memory, reinforcement))

/** Nobody in particular saw today what agrees with a good outcome. */
export const reinforcementIn = (
  scope: LaneId,
  entryIds: ReadonlyArray<string>,
  over: Partial<Reinforcement> = {}
): Reinforcement => ({
  ...scope, reinforcementId: randomUUID(), revision: 0, userId: null, occurredAt: new Date(), entryIds, quality: 0.8, ...over
})

export const lessonIn = (scope: LaneId, over: Partial<NewLesson> = {}): NewLesson => ({
  ...scope,
  lessonId: randomUUID(),
  lessonType: "success",
  scope: "account",
  content: "alpha succeeds at code:easy",
  cluster: "code:easy",
  modelId: "alpha",
  importance: 0.5,
  confidence: 0.8,
  revision: 0,
  errorText: null,
  userId: null,
  occurredAt: new Date(),
  ...over
})

export const stepIn = (over: Partial<StepRewards["steps"][number]> = {}): StepRewards["steps"][number] => ({
  stepId: "one", stepName: null, outcome: "success", signal: 1, rationale: null, directiveHint: null, ...over
})

export const stepsIn = (scope: LaneId, over: Partial<StepRewards> = {}): StepRewards => ({
  ...scope, recommendationId: "r", cluster: "code:easy", modelId: "alpha", steps: [stepIn()], occurredAt: new Date(), ...over
})

/** The write of an outcome, and that of steps. */
export const observing = (body: Observation): MemoryWrite => ({ kind: "teach", body })
export const recording = (body: StepRewards): MemoryWrite => ({ kind: "recordSteps", body })

/** Looks again until it is there: what happens off the caller's path takes a while. */
export const eventually = <A, E, R>(look: Effect.Effect<A, E, R>, isThere: (found: A) => boolean) =>
  look.pipe(
    Effect.repeat({ until: isThere, schedule: Schedule.spaced("20 millis"), times: 1_000 }),
    Effect.tap((found) => Effect.sync(() => assert.isTrue(isThere(found), JSON.stringify(found))))
  )
