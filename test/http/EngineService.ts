import { Effect, Layer, Logger, Redacted } from "effect"
import type { HttpServer } from "effect/http"
import type { Keys } from "../../src/accounts/Keys.ts"
import type { Catalog } from "../../src/catalog/Catalog.ts"
import { AccountId } from "../../src/domain/Scope.ts"
import type { Settings } from "../../src/engine/Settings.ts"
import type { LaneCalibrations } from "../../src/ledger/LaneCalibration.ts"
import type { Ledger } from "../../src/ledger/Ledger.ts"
import type { Memory } from "../../src/memory/Memory.ts"
import { Reasoner } from "../../src/reasoner/Reasoner.ts"
import * as WriteCounts from "../../src/reports/WriteCounts.ts"
import * as AccountModelsLocal from "../local/AccountModelsLocal.ts"
import * as AggregatesReference from "../reports/reference/Aggregates.ts"
import * as KeysLocal from "../local/KeysLocal.ts"
import * as LaneCalibrationLocal from "../local/LaneCalibrationLocal.ts"
import * as LedgerLocal from "../local/LedgerLocal.ts"
import { catalog, localMemory } from "../engine/pipelines.ts"
import { catalogOf } from "../support/fakes.ts"
import { serverOver } from "../support/InProcess.ts"
import { sendRequest } from "./FakeService.ts"

export const account = AccountId.make("acme")
export const key = `sxt_${account}_k1_0123456789abcdef0123456789abcdef`

export interface Ports {
  readonly catalog?: Layer.Layer<Catalog>
  readonly memory?: Layer.Layer<Memory, unknown>
  readonly ledger?: Layer.Layer<Ledger>
  readonly lanes?: Layer.Layer<LaneCalibrations>
  readonly reasoner?: Layer.Layer<Reasoner>
  readonly accountModels?: Layer.Layer<never>
  /** The settings of the account, and how its budget stands. */
  readonly budget?: Layer.Layer<never>
  readonly guarantees?: Layer.Layer<never>
  readonly health?: Layer.Layer<never>
  readonly keys?: Layer.Layer<Keys>
  readonly settings?: Parameters<typeof Settings.layer>[0]
}

/** The real server on a free port over the real engine, three models and in-process ports. */
export const engineService = (ports: Ports): Layer.Layer<HttpServer.HttpServer, unknown> =>
  serverOver(
    Layer.mergeAll(
      AggregatesReference.layer.pipe(
        Layer.provideMerge(WriteCounts.layer.pipe(Layer.provide(ports.ledger ?? Layer.fresh(LedgerLocal.layer)))),
        Layer.fresh
      ),
      ports.memory ?? localMemory(),
      ports.catalog ?? catalogOf(catalog),
      ports.reasoner ?? Reasoner.layerDisabled,
      ports.lanes ?? Layer.fresh(LaneCalibrationLocal.layer),
      ports.guarantees ?? Layer.empty,
      ports.health ?? Layer.empty,
      ports.accountModels ?? Layer.fresh(AccountModelsLocal.layer),
      ports.budget ?? Layer.empty,
      ports.keys ?? Layer.fresh(KeysLocal.layer([Redacted.make(key)]))
    ),
    ports.settings
    // Outages are logged with their cause, and these tests make many.
  ).pipe(Layer.provide(Logger.layer([])))

const task = { task: "Write a function that sums a list", task_type: "code", difficulty: "medium" }

/** A recommendation of the three models; the reasoner stays out of it unless the test lets it in. */
export const recommend = (over: object = {}) =>
  sendRequest("POST", "/v1/recommend", { key, json: { task, allow_llm_escalation: false, ...over } })

export const feedback = (recommendationId: unknown, over: object = {}) =>
  sendRequest("POST", "/v1/feedback", {
    key,
    json: {
      recommendation_id: recommendationId, chosen_model_id: "cheap", outcome: "success", evidence_source: "gate",
      ...over
    }
  })

/** Asks and reports, `count` times; yields the last answer to a feedback. */
export const teach = (count: number, said: object = {}, asked: object = {}) =>
  Effect.gen(function*() {
    const once = Effect.flatMap(recommend(asked), ({ body }) => feedback(body["recommendation_id"], said))
    return yield* Effect.andThen(Effect.forEach(Array.from({ length: count - 1 }), () => once), once)
  })
