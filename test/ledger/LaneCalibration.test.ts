import { assert, describe, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { laneOf } from "../../src/domain/Scope.ts"
import { LaneCalibrations } from "../../src/ledger/LaneCalibration.ts"
import * as LaneCalibrationSql from "../../src/ledger/sql/LaneCalibrationSql.ts"
import * as LedgerSql from "../../src/ledger/sql/LedgerSql.ts"
import * as LaneCalibrationLocal from "../local/LaneCalibrationLocal.ts"
import * as LedgerLocal from "../local/LedgerLocal.ts"
import { onEachEngine, slow } from "../support/Databases.ts"
import { lanesContract, move } from "./LaneCalibrationContract.ts"
import { newAccount } from "./LedgerContract.ts"

layer(Layer.merge(LaneCalibrationLocal.layer, LedgerLocal.layer))("the in-process lane numbers", lanesContract)

describe("the lane numbers in SQL", () =>
  onEachEngine((name, engine) =>
    layer(Layer.provideMerge(Layer.merge(LaneCalibrationSql.layer, LedgerSql.layer), engine), slow)(name, (it) => {
      lanesContract(it)

      it.effect("another process sees a change within a second", () =>
        Effect.gen(function*() {
          const there = Context.get(yield* Layer.build(Layer.fresh(LaneCalibrationSql.layer)), LaneCalibrations)
          const accountId = newAccount()
          assert.isNull(yield* there.read(accountId, laneOf("tests")))
          yield* move(accountId, {
            cells: 0.5, local: 0.5, success: 1, weight: 1,
            spreadEvidence: [-0.5]
          })
          yield* TestClock.adjust("1 second")
          const here = yield* LaneCalibrations.use((lanes) => lanes.read(accountId, laneOf("tests")))
          assert.strictEqual(here?.outcomes, 1)
          assert.deepStrictEqual(yield* there.read(accountId, laneOf("tests")), here)
        }).pipe(Effect.provide(TestClock.layer())))
    })
  ))

