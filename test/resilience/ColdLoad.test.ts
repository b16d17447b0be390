import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { noRestarts } from "../../src/domain/model/ModelIdentity.ts"
import { AccountId, laneOf } from "../../src/domain/Scope.ts"
import * as EmbedderLexical from "../../src/embedder/lexical/EmbedderLexical.ts"
import { defaults } from "../../src/engine/Settings.ts"
import { GuaranteeEvidences } from "../../src/ledger/GuaranteeEvidence.ts"
import { LaneCalibrations } from "../../src/ledger/LaneCalibration.ts"
import * as GuaranteeEvidenceSql from "../../src/ledger/sql/guarantee/GuaranteeEvidenceSql.ts"
import * as LaneCalibrationSql from "../../src/ledger/sql/LaneCalibrationSql.ts"
import { Memory } from "../../src/memory/Memory.ts"
import { memorySettings } from "../../src/memory/MemorySettings.ts"
import * as MemorySql from "../../src/memory/sql/MemorySql.ts"
import { ColdLoad } from "../../src/resilience/ColdLoad.ts"
import { queryIn } from "../memory/fixtures.ts"
import { onEachEngine, slow } from "../support/Databases.ts"

const accountId = AccountId.make("acme")
const guarantee = { accountId, baselineModelId: "dear", maxQualityLoss: 0.05, confidence: 0.95, restarts: noRestarts }

/** What a recommendation in the lane reads of it, by two requests at once. */
const readLane = Effect.fnUntraced(function*(namespace: string) {
  const lane = laneOf(namespace)
  const memory = yield* Memory
  const lanes = yield* LaneCalibrations
  const guarantees = yield* GuaranteeEvidences
  const reads = [
    memory.recall(queryIn({ accountId, lane })), lanes.read(accountId, lane),
    guarantees.read({ ...guarantee, lane }, defaults.guaranteeRule)
  ]
  yield* Effect.all([...reads, ...reads], { concurrency: "unbounded" })
})

describe("A lane, its numbers and the evidence of its guarantee", () =>
  onEachEngine((name, engine) => {
    const drivers = Layer.mergeAll(
      MemorySql.layer({ endpoint: "postgresql", settings: memorySettings }).pipe(Layer.provide(EmbedderLexical.layer)),
      LaneCalibrationSql.layer, GuaranteeEvidenceSql.layer
    )
    layer(Layer.provideMerge(drivers, engine), slow)(name, (it) => {
      it.effect("count as a load each when no cache holds them, however many requests wait for it", () =>
        Effect.gen(function*() {
          const counts = { begun: 0, ended: 0 }
          const beginLoad = () => {
            counts.begun++
            return () => void counts.ended++
          }
          const counted = (namespace: string) =>
            Effect.provideService(readLane(namespace), ColdLoad, beginLoad)
          for (const [namespace, begun] of [["a", 3], ["a", 3], ["b", 6], ["a", 6]] as const) {
            yield* counted(namespace)
            assert.deepStrictEqual(counts, { begun, ended: begun })
          }
        }))
    })
  }))
