import { Redacted } from "effect"
import { randomUUID } from "node:crypto"
import { AccountId, type Caller, Lane } from "../../src/domain/Scope.ts"
import type { LaneScope, NewLesson, Observation, RecallQuery, Reinforcement } from "../../src/memory/Memory.ts"
import { memorySettings } from "../../src/memory/MemorySettings.ts"

/** Reflects as soon as it may, so that nobody waits long for what reflection leaves. */
export const promptSettings = {
  ...memorySettings,
  reflection: { ...memorySettings.reflection, pauseMs: 10, pollMs: 100 }
}

/** An account that no other test knows, so that suites can share a database. */
export const freshCaller = (): Caller => {
  const accountId = AccountId.make(`test-${randomUUID()}`)
  return { accountId, key: Redacted.make(`sxt_${accountId}_k1_${"0123456789abcdef".repeat(2)}`) }
}

export const freshScope = (): LaneScope => ({ caller: freshCaller(), lane: Lane.make("sextant:default") })

export const observationIn = (scope: LaneScope, over: Partial<Observation> = {}): Observation => ({
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
  occurredAt: new Date(),
  ...over
})

export const queryIn = (scope: LaneScope, over: Partial<RecallQuery> = {}): RecallQuery => ({
  ...scope,
  task: "Write a function that sums a list of integers",
  cluster: "code:easy",
  tags: [],
  userId: null,
  modelIds: ["alpha", "beta"],
  perModel: 5,
  ...over
})

/** Nobody in particular saw today what agrees with a good outcome. */
export const reinforcementIn = (
  scope: LaneScope,
  entryIds: ReadonlyArray<string>,
  over: Partial<Reinforcement> = {}
): Reinforcement => ({ ...scope, userId: null, occurredAt: new Date(), entryIds, quality: 0.8, ...over })

export const lessonIn = (scope: LaneScope, over: Partial<NewLesson> = {}): NewLesson => ({
  ...scope,
  lessonId: randomUUID(),
  lessonType: "success",
  scope: "account",
  content: "alpha succeeds at code:easy",
  cluster: "code:easy",
  modelId: "alpha",
  importance: 0.5,
  confidence: 0.8,
  occurredAt: new Date(),
  ...over
})
