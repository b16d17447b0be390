import { Clock, Context, Effect, Layer, Redacted, type Scope } from "effect"
import type { KeyStore } from "../../../src/accounts/KeyStore.ts"
import { makeKeys } from "../../../src/accounts/KeyStore.ts"
import type { Decision } from "../../../src/domain/Decision.ts"
import type { FeedbackResponse } from "../../../src/domain/feedback/Feedback.ts"
import type { CatalogSnapshot } from "../../../src/domain/model/Model.ts"
import { Embedder, EmbedderUnavailable } from "../../../src/embedder/Embedder.ts"
import * as EmbedderLexical from "../../../src/embedder/lexical/EmbedderLexical.ts"
import { LaneCalibrations } from "../../../src/ledger/LaneCalibration.ts"
import { Ledger } from "../../../src/ledger/Ledger.ts"
import type { ReportSubmission } from "../../../src/ledger/ReportSubmission.ts"
import { Memory } from "../../../src/memory/Memory.ts"
import type { MemoryWrite, Observation } from "../../../src/domain/MemoryWrite.ts"
import type { DeliveryStore } from "../../../src/memory/delivery/DeliveryStore.ts"
import * as Reason from "../../../src/resilience/FailureReason.ts"
import { storeInMemory } from "../../local/KeysLocal.ts"
import * as LaneCalibrationLocal from "../../local/LaneCalibrationLocal.ts"
import * as LedgerLocal from "../../local/LedgerLocal.ts"
import * as MemoryLocal from "../../local/MemoryLocal.ts"
import { measuredCard, snapshot } from "../../support/builders.ts"
import { makeDeliveries } from "./deliveries.ts"
import type { Faults } from "./faults.ts"

/** A feedback that the ledger has applied, in the order in which it did. */
export interface Applied {
  /** The request that it was for. */
  readonly diaryId: number
  readonly submission: ReportSubmission
  readonly revision: number
  /** The outcome that it teaches; null for none. */
  readonly taughtId: string | null
  /** The answers that the log has had under its key, and since when: the last is in force. */
  readonly answers: Array<{ readonly response: FeedbackResponse; readonly sinceMs: number }>
}

/** The state of the dependencies, which outlives every process of the service. */
export interface Backend {
  readonly memory: Memory["Service"]
  readonly ledger: Ledger["Service"]
  readonly lanes: LaneCalibrations["Service"]
  readonly keys: KeyStore
  readonly deliveries: DeliveryStore["Service"]
  /** Number of the account's reports with writes that a memory elsewhere lacks. */
  readonly waiting: (accountId: string) => number
  readonly catalog: CatalogSnapshot
  /** Of every decision that the ledger holds. */
  readonly written: Map<string, { readonly decision: Decision; readonly atMs: number }>
  readonly applied: Array<Applied>
  /** Every outcome that memory holds, by its id. */
  readonly observations: Map<string, Observation>
  readonly register: (key: string) => Effect.Effect<void>
}

/** Eight models of three providers: the better, the dearer, and some things to filter by. */
export const catalog = snapshot([
  ...([
    ["nano", 0.45, 0.05], ["mini", 0.58, 0.15], ["small", 0.62, 0.4], ["middle", 0.7, 1], ["even", 0.7, 1.01],
    ["large", 0.78, 3], ["huge", 0.84, 8], ["dear", 0.86, 20]
  ] as const).map(([modelId, capability, usd], index) => ({
    ...measuredCard(modelId, capability, usd),
    provider: ["acme-ai", "bolt-ai", "corp-ai"][index % 3] ?? "acme-ai",
    supportsPromptCaching: index % 2 === 0,
    contextWindow: [32_000, 128_000, 400_000][index % 3] ?? 32_000
  }))
])

const faultyEmbedder = (real: Embedder["Service"], faults: Faults): Embedder["Service"] => ({
  ...real,
  embed: (text) =>
    // An endpoint's own deadline keeps it from hanging.
    faults.on("embedder", ["fail", "delay"], real.embed(text), (cause) =>
      new EmbedderUnavailable({ reason: new Reason.Unreachable({ cause }) }))
})

export const makeBackend = Effect.fnUntraced(function*(
  faults: Faults
): Effect.fn.Return<Backend, never, Scope.Scope> {
  const embedder = Layer.effect(Embedder, Effect.map(Embedder, (real) => faultyEmbedder(real, faults))).pipe(
    Layer.provide(EmbedderLexical.layer)
  )
  const deliveries = makeDeliveries()
  const received: Backend["applied"] = []
  const leave: LedgerLocal.Leave = (accountId, revision, writes, answered) =>
    deliveries.leave(accountId, revision, writes, (response, sinceMs) => {
      received.find((applied) => applied.revision === revision)?.answers.push({ response, sinceMs })
      answered(response, sinceMs)
    })
  const stores = yield* Layer.build(Layer.fresh(Layer.mergeAll(
    Layer.fresh(MemoryLocal.layer()).pipe(Layer.provide(embedder)),
    LedgerLocal.layerWith(leave),
    LaneCalibrationLocal.layer
  )))
  const keys = storeInMemory()
  const registrar = yield* makeKeys(keys)
  const memory = Context.get(stores, Memory)
  const ledger = Context.get(stores, Ledger)
  const written: Backend["written"] = new Map()
  const observations: Backend["observations"] = new Map()
  const noteWrite = (write: MemoryWrite): void => {
    if (write.kind !== "teach") return
    const { body } = write
    const known = observations.get(body.observationId)?.revision ?? -1
    if (known < body.revision) observations.set(body.observationId, body)
  }
  return {
    memory: {
      ...memory,
      store: (accountId, writes) =>
        Effect.tap(memory.store(accountId, writes), () => Effect.sync(() => writes.forEach(noteWrite))),
      write: (write) => Effect.tap(memory.write(write), () => Effect.sync(() => noteWrite(write)))
    },
    ledger: {
      ...ledger,
      record: (decisions) =>
        Effect.tap(ledger.record(decisions), () => Effect.map(Clock.currentTimeMillis, (atMs) => {
          for (const decision of decisions) {
            if (!written.has(decision.recommendationId)) written.set(decision.recommendationId, { decision, atMs })
          }
        }))
    },
    lanes: Context.get(stores, LaneCalibrations),
    deliveries: deliveries.store,
    waiting: deliveries.waiting,
    keys,
    catalog,
    written,
    applied: received,
    observations,
    register: (key) => Effect.ignore(registrar.register(Redacted.make(key)))
  }
})
