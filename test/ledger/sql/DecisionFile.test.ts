import { assert, it } from "@effect/vitest"
import { AccountId } from "../../../src/domain/Scope.ts"
import { packFields } from "../../../src/ledger/sql/PackedFields.ts"
import { decisionFile, ofFile } from "../../../src/ledger/sql/DecisionFile.ts"
import { decisionOf } from "../LedgerContract.ts"

const account = AccountId.make("acme")

it.each([
  ["named nothing", {}],
  ["named a cheaper model that was hardly tried", {
    untriedCheaper: { modelId: "maker/small#low", trials: 19, couldSaveUsdPer_1000: 10.5 }
  }]
])("a decision that %s is the same after it was in an exported account", (_, over) => {
  const decision = decisionOf(account, { userId: "ann", ...over })
  const { recommendationId, tags, taskExcerpt, userId } = decision
  const row = decisionFile.rowOf({
    recommendation_id: recommendationId, tags, task_excerpt: taskExcerpt, user_id: userId, task_vectors: null,
    body: `\\x${Buffer.from(packFields(decision)).toString("hex")}`
  })
  assert.deepStrictEqual(ofFile(account, JSON.parse(JSON.stringify(row))), decision)
})
