import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { laneOf } from "../../src/domain/Scope.ts"
import * as PredictKinds from "../../src/engine/PredictKinds.ts"
import { Settings } from "../../src/engine/Settings.ts"
import * as RecentTasksLocal from "../../src/memory/local/RecentTasksLocal.ts"
import { Reasoner } from "../../src/reasoner/Reasoner.ts"
import { Predictor } from "../../src/reports/Predictor.ts"
import * as LaneCalibrationLocal from "../local/LaneCalibrationLocal.ts"
import * as LedgerLocal from "../local/LedgerLocal.ts"
import { accountOf, neighbours, recalled } from "../support/builders.ts"
import { catalogOf, memoryOf } from "../support/fakes.ts"
import { catalog } from "./pipelines.ts"

const failed = recalled(neighbours(20, "dear", () => ({ quality: 0 })))

/** What is predicted of a kind of task by a memory that answers after so long. */
const predictedAfter = (delay: "0 millis" | "1 second") =>
  Effect.gen(function*() {
    const { candidates } = yield* Predictor
    const asked = yield* Effect.forkChild(candidates(accountOf(), { lane: laneOf("team"), cluster: "code:medium" }, null))
    yield* TestClock.adjust(delay)
    return (yield* Fiber.join(asked)).map(({ modelId, predictedSuccess }) => ({ modelId, predictedSuccess }))
  }).pipe(Effect.provide(PredictKinds.layer.pipe(Layer.provide([
    catalogOf(catalog), memoryOf({ recall: () => Effect.delay(Effect.succeed(failed), delay) }),
    Layer.fresh(LedgerLocal.layer), Layer.fresh(LaneCalibrationLocal.layer), Reasoner.layerDisabled, RecentTasksLocal.layer,
    Settings.layer()
  ]))))

it.effect("a report predicts by a memory that is slower than a request waits for", () =>
  Effect.gen(function*() {
    const prompt = yield* predictedAfter("0 millis")
    assert.isNotEmpty(prompt)
    assert.deepStrictEqual(yield* predictedAfter("1 second"), prompt)
  }))
