import { assert, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import type { Decision } from "../../../src/domain/Decision.ts"
import { AccountId } from "../../../src/domain/Scope.ts"
import { packFields, plainFields, unpackFields } from "../../../src/ledger/sql/PackedFields.ts"
import { toRow } from "../../../src/ledger/sql/DecisionColumns.ts"
import { decisionOf } from "../LedgerContract.ts"

const decided = (over: Partial<Decision> = {}) => decisionOf(AccountId.make("acme"), over)

/** The fields that a body has. */
const kept = (decision: Decision) => Object.fromEntries(
  [...plainFields, "candidates", "cluster", "forecasts", "neighbours", "untriedCheaper"].flatMap((field) =>
    field in decision ? [[field, decision[field as keyof Decision]]] : [])
)

const neighboursWith = (...ids: ReadonlyArray<string>) =>
  ids.map((entryId, i) => ({ entryId, modelId: i % 2 === 0 ? "maker/small" : "maker/of old", weight: 1 / (i + 3) }))

describe("the body of a decision", () => {
  for (const [what, over] of [
    ["as it was", {}],
    ["of a run, without candidates", { cluster: "code:hard:run", candidates: [], forecasts: [], neighbours: [] }],
    ["with nulls", {
      workflowId: null, successValueUsd: null, costMarginUsd: null, baselineModelId: null, costDeclaredUsd: null,
      reasonerCostUsd: null, taskKey: null, attemptNumber: null, warnings: []
    }],
    ["with what it named as hardly tried", {
      untriedCheaper: { modelId: "maker/small#low", trials: 19, couldSaveUsdPer_1000: 10.5 }
    }],
    ["with a forecast at each spread", {
      forecasts: [
        { modelId: "maker/small", base: 0.1, cells: 0.2, local: 0.3, mixed: 1 / 3, given: 5e-324, bySpread: [0.25, 1e300] },
        { modelId: "maker/else", base: 0.1, cells: 0.2, local: 0.3, mixed: -0 }
      ]
    }],
    ["with neighbours by UUID", { neighbours: neighboursWith(randomUUID(), randomUUID(), randomUUID()) }],
    ["with neighbours of a memory that has other ids", { neighbours: neighboursWith(randomUUID(), "entry-1") }],
    ["with ids that are no UUID by one character", { neighbours: neighboursWith(
      "01a22910-5b6a-7ca3-84cb-0054bc3fddg1", "01A22910-5b6a-7ca3-84cb-0054bc3fddd1") }],
    ["with an id whose dashes are elsewhere", { neighbours: neighboursWith("01a229105-b6a-7ca3-84cb-0054bc3fddd1") }],
    ["with names that JSON escapes", { recommendedModelId: "maker/\"🦉\"\\", lane: decided().lane, warnings: ["\u0000", "ü"] }]
  ] as ReadonlyArray<readonly [string, Partial<Decision>]>) {
    it(`is read ${what}`, () => {
      const decision = decided(over)
      assert.deepStrictEqual({ ...unpackFields(packFields(decision)) }, kept(decision))
    })
  }

  it("of another layout is none, and one of a later version is read as far as it is known", () => {
    const text = (change: (head: string) => string) => {
      const bytes = Buffer.from(packFields(decided()))
      const end = 4 + bytes.readUInt32BE(0)
      const head = Buffer.from(change(bytes.toString("utf8", 4, end)))
      const length = Buffer.alloc(4)
      length.writeUInt32BE(head.length)
      return Buffer.concat([length, head, bytes.subarray(end)])
    }
    assert.isNull(unpackFields(text((head) => head.replace("\"layout\":1", "\"layout\":2"))))
    const more = unpackFields(text((head) => head.replace("],\"unit\"", ",\"later\"],\"more\":1,\"unit\"")))
    assert.deepStrictEqual({ ...more }, kept(decided()))
  })

  it("is smaller than the decision's JSON by half where most are numbers", () => {
    const candidates = Array.from({ length: 8 }, (_, i) =>
      ({ modelId: `maker/model-${i}`, predictedSuccess: 1 / (i + 3), estCostUsd: 1e-4 / (i + 7), isEligible: true }))
    const decision = decided({
      candidates,
      forecasts: candidates.map(({ modelId }, i) =>
        ({ modelId, base: 1 / (i + 3), cells: 1 / (i + 4), local: 1 / (i + 5), mixed: 1 / (i + 6) })),
      neighbours: neighboursWith(...Array.from({ length: 20 }, () => randomUUID()))
    })
    assert.isBelow(packFields(decision).length, JSON.stringify(kept(decision)).length / 2)
  })
})

describe("a decision's row", () => {
  it("has a value for each argument of append_decisions", () => {
    assert.isTrue(toRow(decided()).every((value) => value !== undefined))
  })
})
