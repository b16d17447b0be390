import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { defaults } from "../../src/engine/Settings.ts"
import { Ledger, LedgerUnavailable } from "../../src/ledger/Ledger.ts"
import * as LedgerLocal from "../local/LedgerLocal.ts"
import { engine, learn, recommend } from "./pipelines.ts"

const stuck = Layer.effect(Ledger, Effect.map(Ledger, (ledger) =>
  Ledger.of({ ...ledger, applyReport: () => Effect.uninterruptible(Effect.never) })
)).pipe(Layer.provide(Layer.fresh(LedgerLocal.layer)))

it.effect("a feedback whose report hangs fails within its budget", () =>
  Effect.gen(function*() {
    const advice = yield* recommend()
    const learning = yield* Effect.forkChild(Effect.flip(learn(advice)), { startImmediately: true })
    yield* TestClock.adjust(defaults.feedbackBudgetMs - 1)
    assert.isUndefined(learning.pollUnsafe())
    yield* TestClock.adjust(1)
    assert.instanceOf(yield* Fiber.join(learning), LedgerUnavailable)
  }).pipe(Effect.provide(engine({ ledger: stuck }))))
