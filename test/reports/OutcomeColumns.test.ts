import { assert, it } from "@effect/vitest"
import type { LedgerRow } from "../../src/domain/Decision.ts"
import { laneOf } from "../../src/domain/Scope.ts"
import { outcomeColumns } from "./reference/OutcomeColumns.ts"
import { isReconciled } from "./reference/Reconciled.ts"
import { reported } from "./rows.ts"

const columnsOf = (rows: ReadonlyArray<LedgerRow>) => outcomeColumns(rows.filter(isReconciled))

it("rows keep their order, candidates follow one another, entries say what was advised and ran", () => {
  const { log, modelIds } = columnsOf([
    reported({ outcome: "partial", actualCostUsd: 0 }, { propensity: 0.5 }),
    reported({ chosenModelId: "large" }),
    reported({ chosenModelId: "unheard-of" })
  ])
  assert.deepStrictEqual(modelIds, ["small", "large"])
  assert.deepStrictEqual([...log.first], [0, 2, 4, 6])
  assert.deepStrictEqual([...log.recommended], [0, 2, 4])
  assert.deepStrictEqual([...log.ran], [0, 3, -1])
  assert.deepStrictEqual([...log.success], [0.5, 1, 1])
  assert.deepStrictEqual([...log.propensity], [0.5, 1, 1])
  assert.strictEqual(log.billUsd[0], 0)
  assert.isNaN(log.billUsd[1])
  assert.deepStrictEqual([...log.block], [0, 1, 2])
})

it("a random pick in shadow is as one that was not random, because it did not decide what ran", () => {
  const drawn = { propensity: 0.25, selectionPolicy: "epsilon_softmax" } as const
  const { log } = columnsOf([reported({}, drawn), reported({}, { ...drawn, isShadow: true })])
  assert.deepStrictEqual([...log.propensity], [0.25, 1])
})

it("a group is a lane's part of a cluster, and knows its cluster and task type", () => {
  const easy = { taskType: "code", difficulty: "easy", cluster: "code:easy" } as const
  const { log } = columnsOf([reported(), reported({}, { lane: laneOf("support") }), reported({}, easy)])
  assert.deepStrictEqual([...log.group], [0, 1, 2])
  assert.deepStrictEqual([...log.clusterOfGroup], [0, 0, 1])
  assert.deepStrictEqual([...log.typeOfCluster], [0, 0])
})

it("with more lanes and models than a report is worth, lanes share their clusters' cells", () => {
  const { log } = columnsOf(Array.from({ length: 450 }, (_, row) => reported({}, {
    lane: laneOf(`lane-${row}`),
    candidates: [`small-${row}`, `large-${row}`].map((modelId) =>
      ({ modelId, predictedSuccess: 0.75, estCostUsd: 0.25, isEligible: true }))
  })))
  assert.strictEqual(log.groups, 1)
  assert.strictEqual(log.blocks, 400)
})
