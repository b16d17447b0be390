import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer, References } from "effect"
import * as EmbedderLexical from "../../src/embedder/lexical/EmbedderLexical.ts"
import * as LedgerBuffered from "../../src/ledger/buffer/LedgerBuffered.ts"
import * as LedgerGiven from "../../src/ledger/buffer/LedgerGiven.ts"
import * as LaneCalibrationSql from "../../src/ledger/sql/LaneCalibrationSql.ts"
import * as LedgerSql from "../../src/ledger/sql/LedgerSql.ts"
import * as MemorySql from "../../src/memory/sql/MemorySql.ts"
import { continuations } from "../support/Continuations.ts"
import { onEachEngine, slow } from "../support/Databases.ts"
import { engine, learn, recommend } from "./pipelines.ts"

const pipelines = Layer.fresh(engine({
  memory: Layer.orDie(MemorySql.layer({ endpoint: "postgresql" }).pipe(Layer.provide(EmbedderLexical.layer))) as never,
  ledger: LedgerGiven.layer.pipe(Layer.provideMerge(LedgerBuffered.layer), Layer.provideMerge(LedgerSql.layer)) as never,
  lanes: LaneCalibrationSql.layer as never,
  settings: { recallBudgetMs: 10_000 }
}))

describe("a feedback on a decision that the process gave", () =>
  onEachEngine((name, database) =>
    layer(Layer.provideMerge(pipelines, database), slow)(name, (it) => {
      it.effect("takes at most 40 continuations, and 120 of the transaction that its group shares", () =>
        Effect.gen(function*() {
          yield* learn(yield* recommend())
          const asked = yield* recommend()
          // What runs behind the answer is none of it.
          yield* Effect.sleep(50)
          const feedback = Effect.provideService(learn(asked), References.TracerEnabled, false)
          const [transaction = 0, own = 0] = yield* continuations(feedback)
          assert.isAtLeast(own, 10)
          assert.isAtMost(own, 40)
          assert.isAtMost(transaction, 120)
        }))
    })))
