import { assert, describe, it } from "@effect/vitest"
import { makeLogModel } from "../../../../packages/backtest/src/stats/LogModel.ts"

const ran = { predicted: 0.8, estimateUsd: 1, quality: 1, billUsd: 2 }

describe("what a model is expected to achieve and cost", () => {
  it("is the prediction and the estimate before any row", () => {
    const model = makeLogModel(2)
    assert.strictEqual(model.success(0, 1, 0.6), 0.6)
    assert.strictEqual(model.costUsd(0, 1, 0.5), 0.5)
    assert.strictEqual(model.labelledShare(0, 1), 0.5)
  })

  it("equals a calculation by hand after ten rows of its type that billed twice the estimate", () => {
    const model = makeLogModel(2)
    for (let i = 0; i < 10; i++) model.learn(0, 1, ran)
    // Errors of 0.2, each level as heavy as its parent: 0.1 of all, 0.15 of the model, 0.175 of the type.
    assert.closeTo(model.success(0, 1, 0.6), 0.775, 1e-12)
    assert.closeTo(model.success(3, 1, 0.6), 0.6 + 0.15 / 1, 1e-12)
    // Ratios 1.5 of all, 1.75 of the model, 1.875 of the type.
    assert.closeTo(model.costUsd(0, 1, 1), 1.875, 1e-12)
  })

  it("does not learn of quality and cost where neither is known, but that they are missing", () => {
    const model = makeLogModel(2)
    for (let i = 0; i < 100; i++) model.learn(0, 1, { ...ran, quality: NaN, billUsd: NaN })
    assert.strictEqual(model.success(0, 1, 0.6), 0.6)
    assert.strictEqual(model.costUsd(0, 1, 0.5), 0.5)
    assert.isBelow(model.labelledShare(0, 1), 0.01)
  })

  it("knows how far bills are from what was expected of them, once 50 rows were learned", () => {
    const model = makeLogModel(1)
    for (let i = 0; i < 50; i++) model.learn(0, 0, { ...ran, billUsd: 1 })
    assert.strictEqual(model.variation(), 0)
    // All bills were as estimated, so 1 is expected: this one is off by 2, squared 4.
    model.learn(0, 0, { ...ran, billUsd: 3 })
    assert.closeTo(model.variation(), 4, 1e-9)
  })

  it("costs its mean bill where it has no estimate, and its success stays within 0.02 and 0.98", () => {
    const model = makeLogModel(2)
    for (let i = 0; i < 50; i++) model.learn(0, 1, { ...ran, estimateUsd: 0, billUsd: i % 2 })
    assert.strictEqual(model.costUsd(0, 1, 0), 0.5)
    assert.strictEqual(model.success(0, 1, 0.95), 0.98)
  })
})
