import { assert, describe, it } from "@effect/vitest"
import type { LoggedCall } from "../../../src/logs/LoggedCall.ts"
import { loggedOutcome, type LoggedScope, teachableOf } from "../../../src/cli/imports/LoggedOutcome.ts"
import { AccountId, Lane } from "../../../src/domain/Scope.ts"
import { defaults } from "../../../src/engine/Settings.ts"
import { card } from "../../support/builders.ts"

const dayMs = 86_400_000
const nowMs = Date.UTC(2026, 5, 1)
const scope: LoggedScope = {
  accountId: AccountId.make("acme"), lane: Lane.make("sextant:default"), format: "jsonl", nowMs, retentionDays: 30
}
const plain: LoggedCall = {
  id: "a", at: new Date(nowMs - dayMs), prompt: "Sort these names", modelId: "m", effort: null, inputTokens: 30,
  cachedInputTokens: null, cacheWriteInputTokens: null, outputTokens: 12, reasoningTokens: null, serviceTier: null, webSearches: null, costUsd: 0.001, latencyMs: 800,
  timeToFirstTokenMs: null, taskId: null, userId: null, sessionId: null, tags: [], taskType: null, difficulty: null,
  quality: 0.9, evidenceSource: "gate", isInfraFailure: false
}
const read = (fields: Partial<LoggedCall>) => teachableOf(scope, { ...plain, ...fields }, defaults)
const outcomeOf = (fields: Partial<LoggedCall>) => {
  const each = read(fields)
  if (typeof each === "string") throw new Error(each)
  return loggedOutcome(scope, each, card("m"), defaults)
}

describe("a logged call", () => {
  it("has its own date, and one ahead of now, which the reader lets pass, that of now", () => {
    assert.deepStrictEqual(outcomeOf({}).occurredAt, plain.at)
    const ahead = outcomeOf({ at: new Date(nowMs + 1.5 * dayMs) })
    assert.deepStrictEqual(ahead.occurredAt, new Date(nowMs))
    // The same row read a day later is the same outcome.
    const later = teachableOf({ ...scope, nowMs: nowMs + dayMs }, { ...plain, at: new Date(nowMs + 1.5 * dayMs) }, defaults)
    assert.strictEqual(typeof later === "string" ? null : later.observationId, ahead.observationId)
  })

  it("teaches nothing for a reason that is named", () => {
    const unlabelled = { quality: null, evidenceSource: null }
    assert.strictEqual(read({ isInfraFailure: true }), "infra_failure")
    assert.strictEqual(read({ ...unlabelled, prompt: " " }), "no_label_no_text")
    assert.strictEqual(read({ ...unlabelled, costUsd: null, latencyMs: null, outputTokens: null }), "no_label_no_measurement")
    assert.strictEqual(read({ ...unlabelled, at: new Date(nowMs - 31 * dayMs) }), "no_label_and_old")
    assert.strictEqual(read({ userId: "u".repeat(257) }), "unusable_name")
  })

  it("teaches quality with a label of any age, and without one measurements alone", () => {
    assert.isTrue(outcomeOf({ at: new Date(nowMs - 400 * dayMs) }).teaches)
    assert.isFalse(outcomeOf({ quality: null, evidenceSource: null }).teaches)
    assert.isFalse(outcomeOf({ evidenceSource: "none" }).teaches)
  })

  it("takes a bill far above what such a call costs for an outlier, with or without tokens", () => {
    const isOutlier = (fields: Partial<LoggedCall>) => outcomeOf(fields).isCostOutlier
    assert.isFalse(isOutlier({}))
    for (const tokens of [{}, { inputTokens: null }, { outputTokens: null }, { inputTokens: null, outputTokens: null }]) {
      assert.isFalse(isOutlier({ ...tokens, costUsd: null }))
      assert.isTrue(isOutlier({ ...tokens, costUsd: 1e6 }), JSON.stringify(tokens))
    }
  })

  it("cannot vouch for its bill by tokens beyond the context window", () => {
    const isOutlier = (tokens: number) =>
      outcomeOf({ costUsd: 1e6, inputTokens: tokens, outputTokens: tokens }).isCostOutlier
    assert.deepStrictEqual([200_000, 1e9, 1e12].map(isOutlier), [true, true, true])
  })

  it("has a feedback's weight for its label, without a propensity or the id of a decision", () => {
    for (const source of ["gate", "human", "judge"] as const) {
      const observation = outcomeOf({ evidenceSource: source })
      assert.strictEqual(observation.provenanceWeight, defaults.provenanceWeight[source])
      assert.isNull(observation.propensity)
    }
    // Its id is a digest of account, lane, format and row: a log cannot choose that of another outcome.
    const victim = outcomeOf({}).observationId
    assert.notStrictEqual(outcomeOf({ id: victim }).observationId, victim)
    assert.strictEqual(outcomeOf({ quality: 0, prompt: "other" }).observationId, victim)
  })
})
