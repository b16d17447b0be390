import { assert, describe, it } from "@effect/vitest"
import { makeDecisionBuffer } from "../../../src/ledger/buffer/DecisionBuffer.ts"
import { decisionOf, newAccount } from "../LedgerContract.ts"

describe("the buffer of decisions", () => {
  it("keeps a decision once, and finds it for its own account only", () => {
    const backlog = makeDecisionBuffer(10)
    const decision = decisionOf(newAccount())
    assert.deepStrictEqual([backlog.add(decision), backlog.add(decision)], [true, true])
    assert.strictEqual(backlog.size(), 1)
    assert.strictEqual(backlog.find(decision.accountId, decision.recommendationId), decision)
    assert.isNull(backlog.find(newAccount(), decision.recommendationId))
  })

  it("drops the oldest decision of the account with most when it is full", () => {
    const backlog = makeDecisionBuffer(3)
    const [busy, quiet] = [newAccount(), newAccount()]
    const first = decisionOf(busy)
    for (const decision of [first, decisionOf(busy), decisionOf(quiet)]) assert.isTrue(backlog.add(decision))
    assert.isFalse(backlog.add(decisionOf(quiet)))
    assert.strictEqual(backlog.size(), 3)
    assert.isNull(backlog.find(busy, first.recommendationId))
  })

  it("gives out accounts in turn, each one's decisions oldest first, and until they are removed", () => {
    const backlog = makeDecisionBuffer(10)
    const [one, other] = [newAccount(), newAccount()]
    const mine = [decisionOf(one), decisionOf(one), decisionOf(one)] as const
    const theirs = decisionOf(other)
    for (const decision of [...mine, theirs]) backlog.add(decision)
    assert.deepStrictEqual(backlog.oldest(2), [mine[0], mine[1]])
    assert.deepStrictEqual(backlog.oldest(2), [theirs])
    backlog.remove([mine[0], theirs])
    assert.deepStrictEqual(backlog.oldest(2), [mine[1], mine[2]])
    backlog.remove(mine)
    assert.isNull(backlog.oldest(2))
    assert.strictEqual(backlog.size(), 0)
  })
})
