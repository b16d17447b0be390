import { assert, describe, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { laneOf } from "../../src/domain/Scope.ts"
import { LaneCalibrations } from "../../src/ledger/LaneCalibration.ts"
import * as LaneCalibrationSql from "../../src/ledger/sql/LaneCalibrationSql.ts"
import * as LedgerSql from "../../src/ledger/sql/LedgerSql.ts"
import * as LaneCalibrationLocal from "../../src/testing/LaneCalibrationLocal.ts"
import * as LedgerLocal from "../../src/testing/LedgerLocal.ts"
import { onEachEngine, slow } from "../support/Databases.ts"
import { lanesContract } from "./LaneCalibrationContract.ts"
import { newAccount } from "./LedgerContract.ts"

layer(Layer.merge(LaneCalibrationLocal.layer, LedgerLocal.layer))("the in-process lane numbers", lanesContract)

const start = {
  outcomes: 1, similarityLow: 0.1, similarityHigh: 0.4, localShare: 0.5, cellsError: 10, mixedError: 9
}

describe("the lane numbers in SQL", () =>
  onEachEngine((name, engine) =>
    layer(Layer.provideMerge(Layer.merge(LaneCalibrationSql.layer, LedgerSql.layer), engine), slow)(name, (it) => {
      lanesContract(it)

      it.effect("another process sees a change within a second", () =>
        Effect.gen(function*() {
          const here = yield* LaneCalibrations
          const there = Context.get(yield* Layer.build(Layer.fresh(LaneCalibrationSql.layer)), LaneCalibrations)
          const accountId = newAccount()
          assert.isNull(yield* there.read(accountId, laneOf("tests")))
          yield* here.change(accountId, laneOf("tests"), () => start)
          yield* TestClock.adjust("1 second")
          assert.deepStrictEqual(yield* there.read(accountId, laneOf("tests")), start)
        }).pipe(Effect.provide(TestClock.layer())))
    })
  ))

