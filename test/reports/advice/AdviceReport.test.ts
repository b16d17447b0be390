import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { factsOver } from "../../../src/domain/model/Facts.ts"
import * as RecommendationId from "../../../src/domain/RecommendationId.ts"
import { AccountId } from "../../../src/domain/Scope.ts"
import { readAdvice } from "../../../src/reports/advice/AdviceReport.ts"
import type { ArmSums } from "../../../src/reports/advice/ArmSums.ts"
import type { Aggregates } from "../../../src/reports/Aggregates.ts"
import { card, decision, unknownFacts } from "../../support/builders.ts"

const unused = () => Effect.die("not read")
const accountId = AccountId.make("acme")
const newestId = RecommendationId.make(0)

const arm = (modelId: string): ArmSums => ({
  lane: "sextant:default", cluster: "code:easy", modelId, nCalls: 5, firstMs: 0, nVerdicts: 5, weight: 5,
  successWeight: 4, predictedWeight: 5, predicted: 4, nCosted: 5, costUsd: 5, costSquares: 5, estimatedUsd: 5, newestId
})

it.effect("advice reads the newest decision of a kind once, also where two of its models retire", () =>
  Effect.gen(function*() {
    let reads = 0
    const arms = [arm("old"), arm("older")]
    const aggregates: Aggregates["Service"] = {
      savings: unused, trials: unused, trusted: unused, overview: unused, uses: unused, newest: unused,
      arms: () => Effect.succeed(arms)
    }
    const ending = factsOver(undefined, { ...unknownFacts, retiresOn: "1970-01-02" }, "docs")
    const { retiring = [] } = yield* readAdvice({
      aggregates,
      ledger: {
        record: unused, recordWithin: unused, applyReport: unused,
        find: () => Effect.sync(() => {
          reads++
          return { decision: decision({ recommendationId: newestId, accountId }), outcomes: [] }
        })
      },
      observed: { add: unused, sums: unused, uses: unused, arms: () => Effect.succeed([]) },
      predictor: {
        catalog: () => Effect.succeed({ models: arms.map(({ modelId }) => ({ ...card(modelId), ...ending })) }),
        candidates: () => Effect.succeed([])
      }
    }, { accountId, lane: null, since: new Date(0) }, { days: 30, namespace: null })
    assert.deepStrictEqual(retiring.map(({ modelId }) => modelId), ["old", "older"])
    assert.strictEqual(reads, 1)
  }))
