import { Effect, Layer, Option } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"
import { Keys, KeysUnavailable } from "../../../src/accounts/Keys.ts"
import { makeKeys } from "../../../src/accounts/KeyStore.ts"
import { Catalog } from "../../../src/catalog/Catalog.ts"
import type { AccountId } from "../../../src/domain/Scope.ts"
import type { Settings } from "../../../src/engine/Settings.ts"
import { LaneCalibrations } from "../../../src/ledger/LaneCalibration.ts"
import { Ledger, LedgerUnavailable } from "../../../src/ledger/Ledger.ts"
import * as RecentTasksLocal from "../../../src/memory/local/RecentTasksLocal.ts"
import { Memory, MemoryUnavailable } from "../../../src/memory/Memory.ts"
import type { MemoryWrite, Written } from "../../../src/domain/MemoryWrite.ts"
import { deliverySettings } from "../../../src/memory/delivery/DeliverySettings.ts"
import { DeliveryStore, DeliveryUnavailable } from "../../../src/memory/delivery/DeliveryStore.ts"
import * as MemoryDelivered from "../../../src/memory/delivery/MemoryDelivered.ts"
import { RecentTasks } from "../../../src/memory/RecentTasks.ts"
import { keyFor, makeBackendCalls, memoryClientSettings } from "../../../src/memory/remote/MemoryBackend.ts"
import { Reasoner } from "../../../src/reasoner/Reasoner.ts"
import { reasonerSettings } from "../../../src/reasoner/ReasonerSettings.ts"
import { makeReasoner } from "../../../src/reasoner/remote/ReasonerModel.ts"
import * as Reason from "../../../src/resilience/FailureReason.ts"
import { wrapped } from "../../reasoner/fake.ts"
import { withWrites } from "../../support/fakes.ts"
import type { ReportSubmission } from "../../../src/ledger/ReportSubmission.ts"
import type { Backend, Applied } from "./backend.ts"
import { Current, type FaultKind, type Faults, observed } from "./faults.ts"
import type { Draw } from "./seeded.ts"
import { type LedgerWithRows, rowsOf } from "../../reports/reference/LedgerRows.ts"

/** The configuration of this run's service. */
export interface Topology {
  /** Memory over a network, behind a breaker and the log; else in the service's own database. */
  readonly isMemoryElsewhere: boolean
  readonly isReasonerConfigured: boolean
  readonly selectionPolicy: (typeof Settings)["Service"]["selectionPolicy"]
}

/** Rarer than in production, since every tick of a virtual clock costs as much as a request's stage. */
const tickMs = 1_000

const anywhere: ReadonlyArray<FaultKind> = ["fail", "delay", "hang", "late", "lost", "twice"]
/** What happens to the writes of a report to a memory in the ledger's database. */
const onThisMachine: ReadonlyArray<FaultKind> = ["fail", "delay", "twice"]
const reading: ReadonlyArray<FaultKind> = ["fail", "delay", "hang"]

const memoryOut = (cause: string) => new MemoryUnavailable({ reason: new Reason.Unreachable({ cause }) })
const ledgerOut = (cause: string) => new LedgerUnavailable({ reason: new Reason.Unreachable({ cause }) })

type MemoryShape = Memory["Service"]

/** The memory as the network or the database gives it. */
const faultyMemory = ({ memory }: Backend, faults: Faults, isElsewhere: boolean): MemoryShape => {
  const backendCalls = makeBackendCalls(memoryClientSettings)
  const ask = <A>(accountId: AccountId, call: Effect.Effect<A, MemoryUnavailable>) =>
    isElsewhere ? Effect.flatMap(keyFor(accountId), (key) => backendCalls.call(key, call)) : call
  const told = <A>(accountId: AccountId, call: Effect.Effect<A, MemoryUnavailable>) =>
    ask(accountId, faults.on("memory.write", anywhere, call, memoryOut))
  const read = <A>(accountId: AccountId, call: Effect.Effect<A, MemoryUnavailable>) =>
    ask(accountId, faults.on("memory.read", reading, call, memoryOut))
  const here: MemoryShape = {
    ...memory,
    store: (accountId, writes) =>
      faults.on("memory.write", onThisMachine, memory.store(accountId, writes), memoryOut)
  }
  return {
    ...isElsewhere ? withWrites(memory, (write, writing) => told(write.body.accountId, writing)) : here,
    recall: (query) =>
      ask(query.accountId, faults.on("memory.recall", [...reading, "late"], memory.recall(query), memoryOut)),
    strategies: (query) => read(query.accountId, memory.strategies(query)),
    diagnose: (query) => read(query.accountId, memory.diagnose(query)),
    health: (query) => read(query.accountId, memory.health(query)),
    ping: (accountId) => read(accountId, memory.ping(accountId))
  }
}

/** What the engine sees of a write, written down; null for one that the memory did not take. */
const observedWrite = (write: MemoryWrite, written: Written | null) => {
  const answer = written === null ? Effect.fail("late") : Effect.succeed(written)
  switch (write.kind) {
    case "teach":
      return observed("teach", write.body.observationId, answer)
    case "reinforce":
      return observed("reinforce", "", answer)
    case "recordSteps":
      return observed("steps", write.body.recommendationId, Effect.map(answer, (own) =>
        own.kind === "recordSteps" ? own.recorded : null))
    case "promote":
      return observed("promote", write.body.lessonId, answer)
  }
}

const observedWrites = (writes: ReadonlyArray<MemoryWrite>, written: ReadonlyArray<Written | null>) =>
  Effect.forEach(writes, (write, index) => Effect.ignore(observedWrite(write, written[index] ?? null)), { discard: true })

/** Records the memory's answers to the engine. */
const observedMemory = (memory: MemoryShape): MemoryShape => ({
  ...memory,
  recall: (query) => observed("recall", query.task, memory.recall(query)),
  store: (accountId, writes) =>
    Effect.tap(memory.store(accountId, writes), ({ isElsewhere, written }) =>
      isElsewhere ? Effect.void : observedWrites(writes, written)),
  deliver: (accountId, revision, { answer, writes }) => {
    let last: ReadonlyArray<Written | null> = []
    const delivering = memory.deliver(accountId, revision, {
      writes,
      answer: (written) => {
        last = written
        return answer(written)
      }
    })
    return Effect.tap(delivering, () => observedWrites(writes, last))
  },
  strategies: (query) => observed("memory.read", "strategies", memory.strategies(query)),
  diagnose: (query) => observed("memory.read", "diagnose", memory.diagnose(query)),
  health: (query) => observed("memory.read", "health", memory.health(query))
})

const storeOf = ({ deliveries }: Backend, faults: Faults): DeliveryStore["Service"] => {
  const out = (cause: string) => new DeliveryUnavailable({ reason: new Reason.Unreachable({ cause }) })
  const on = <A>(call: Effect.Effect<A, DeliveryUnavailable>) => faults.on("delivery", ["fail", "delay"], call, out)
  return {
    isBehind: (...args) => on(deliveries.isBehind(...args)),
    lease: (...args) => on(deliveries.lease(...args)),
    record: (...args) => on(deliveries.record(...args)),
    recover: (...args) => on(deliveries.recover(...args)),
    countWaiting: (...args) => on(deliveries.countWaiting(...args))
  }
}

const memoryLayer = (backend: Backend, faults: Faults, { isMemoryElsewhere }: Topology) => {
  const faulty = Layer.sync(Memory, () => Memory.of(faultyMemory(backend, faults, isMemoryElsewhere)))
  const whole = isMemoryElsewhere
    ? MemoryDelivered.layerOver({ ...deliverySettings, tickMs }).pipe(
      Layer.provide([faulty, Layer.succeed(DeliveryStore, storeOf(backend, faults))]))
    : faulty
  return Layer.effect(Memory, Effect.map(Memory, observedMemory)).pipe(Layer.provide(whole))
}

/**
 * The report, which is written down in the step in which the ledger takes its answer: whoever waits for it may have
 * given up by then, and a repeat may come at once.
 */
const noting = (submission: ReportSubmission, note: (applied: Omit<Applied, "diaryId">) => void): ReportSubmission => ({
  ...submission,
  plan: (known) => {
    const plan = submission.plan(known)
    const teaching = plan.writes.find((write) => write.kind === "teach")
    const taughtId = teaching?.kind === "teach" ? teaching.body.observationId : null
    let isNoted = false
    return {
      ...plan,
      answer: (written) => {
        const response = plan.answer(written)
        if (!isNoted) note({ submission, revision: known.revision, taughtId, answers: [{ response, sinceMs: -Infinity }] })
        isNoted = true
        return response
      }
    }
  }
})

/** The ledger with its faults; what was applied is written down in the order in which it was. */
export const faultyLedger = ({ ledger, applied: received }: Backend, faults: Faults): LedgerWithRows => ({
  record: (decisions) => {
    const first = decisions.map(({ recommendationId }) => recommendationId).join()
    return observed("record", first, faults.on("ledger.record", anywhere, ledger.record(decisions), ledgerOut))
  },
  // No account has a hard budget here.
  recordWithin: ledger.recordWithin,
  find: (accountId, recommendationId, asOf) =>
    observed("ledger.find", recommendationId, faults.on(
      "ledger.find", ["fail", "delay"], ledger.find(accountId, recommendationId, asOf), ledgerOut
    )),
  applyReport: (submission) => {
    const applying = Effect.flatMap(Current, (diary) =>
      ledger.applyReport(noting(submission, (applied) => void received.push({ diaryId: diary?.id ?? -1, ...applied }))))
    return observed("ledger.applyReport", submission.key.idempotencyKey, Effect.flatMap(
      faults.next("ledger.applyReport", ["fail", "delay", "lost"]),
      (kind) => {
        if (kind === "fail") return Effect.fail(ledgerOut("ill"))
        if (kind === "delay") return Effect.andThen(Effect.sleep(150), applying)
        return kind === "lost" ? Effect.andThen(applying, Effect.fail(ledgerOut("the answer was lost"))) : applying
      }
    ))
  },
  rows: (query) =>
    faults.on("ledger.find", ["fail", "delay"], Effect.provideService(rowsOf(query), Ledger, ledger), ledgerOut)
})

const lanesOf = ({ lanes }: Backend, faults: Faults): LaneCalibrations["Service"] => ({
  read: (accountId, lane) =>
    faults.on("lanes.read", reading, lanes.read(accountId, lane), ledgerOut),
  remember: lanes.remember
})

const keysLayer = ({ keys }: Backend, faults: Faults) =>
  Layer.effect(Keys, Effect.map(
    makeKeys({
      ...keys,
      find: (accountId, keyId) =>
        observed("keys", accountId, faults.on(
          "keys", reading, keys.find(accountId, keyId), (cause) => new KeysUnavailable({ reason: new Reason.Unreachable({ cause }) })
        ))
    }),
    (real) => Keys.of({
      ...real,
      verify: (key) => observed("verify", "", real.verify(key)),
      remembered: (key) =>
        Effect.tap(real.remembered?.(key) ?? Effect.succeed(null), (holder) =>
          holder === null ? Effect.void : observed("verify", "", Effect.succeed(holder)))
    })
  ))

/** Prices are old as long as the feed is ill. */
const catalogLayer = ({ catalog }: Backend, faults: Faults) =>
  Layer.succeed(Catalog, {
    snapshot: observed("catalog", "", Effect.map(
      faults.next("catalog", ["fail"]),
      (kind) => kind === null ? catalog : stale(catalog)
    ))
  })

const stale = (catalog: Backend["catalog"]): Backend["catalog"] =>
  ({ ...catalog, stale: true, models: catalog.models.map((card) => ({ ...card, costStale: true })) })

const nonsense = [
  "no JSON", "{}", `{"ranking":[{"model_id":"unknown","predicted_success":1,"rationale":""}]}`,
  `{"ranking":[{"model_id":"dear","predicted_success":7,"rationale":"out of range"}]}`,
  `{"task_type":"poem","difficulty":"easy"}`
]

interface Sent {
  readonly messages: ReadonlyArray<{ readonly content: string }>
}

interface Question {
  readonly candidates?: ReadonlyArray<{ readonly model_id: string; readonly predicted_success: number }>
}

/** A model that judges, as a seed draws it. */
const answerTo = (data: string, draw: Draw): string => {
  const { candidates } = JSON.parse(data) as Question
  if (candidates === undefined) return JSON.stringify({ task_type: draw.of(["code", "qa"]), difficulty: "easy" })
  return JSON.stringify({
    ranking: candidates.filter((_, index) => index === 0 || draw.chance(0.8)).map(({ model_id }) =>
      ({ model_id, predicted_success: draw.uniform(), rationale: "drawn" }))
  })
}

const reasonerLayer = (faults: Faults, draw: Draw) =>
  Layer.effect(Reasoner, Effect.gen(function*() {
    const client = HttpClient.make(Effect.fnUntraced(function*(request) {
      const kind = yield* faults.next("reasoner", ["fail", "delay", "hang", "late", "nonsense"])
      if (kind === "fail") return HttpClientResponse.fromWeb(request, new Response("ill", { status: 500 }))
      if (kind === "delay") yield* Effect.sleep(draw.between(50, 3_000))
      if (kind === "late") yield* Effect.sleep(draw.between(7_900, 8_100))
      if (kind === "hang") yield* Effect.sleep(60_000)
      const sent = JSON.parse(request.body._tag === "Uint8Array" ? Buffer.from(request.body.body).toString() : "") as Sent
      const answer = kind === "nonsense" ? draw.of(nonsense) : answerTo(sent.messages.at(-1)?.content ?? "", draw)
      const text = Effect.succeed(wrapped("/chat/completions", answer, [300, 50]))
      // At hand, because the virtual clock does not wait for a body.
      return Object.create(HttpClientResponse.fromWeb(request, new Response()), { text: { value: text } })
    }))
    const options = { url: new URL("http://reasoner.test/v1"), model: "middle", apiKey: Option.none() }
    const real = yield* makeReasoner("openai", options, reasonerSettings).pipe(
      Effect.provideService(HttpClient.HttpClient, client)
    )
    return Reasoner.of({
      provider: real.provider,
      classify: (accountId, task) => observed("classify", task, real.classify(accountId, task)),
      rank: (accountId, task, candidates) => observed("rank", task, real.rank(accountId, task, candidates))
    })
  }))

const recentTasksLayer = Layer.effect(RecentTasks, Effect.map(RecentTasks, (real) =>
  RecentTasks.of({ note: (task, rule) => observed("note", task.task, real.note(task, rule)) }))).pipe(
    Layer.provide(Layer.fresh(RecentTasksLocal.layer))
  )

/** The ports of one process: caches and breakers of its own over what the backend keeps. */
export const portsOf = (
  backend: Backend,
  faults: Faults,
  topology: Topology,
  draw: Draw,
  ledger: Ledger["Service"]
) =>
  Layer.mergeAll(
    memoryLayer(backend, faults, topology),
    Layer.succeed(Ledger, ledger),
    Layer.succeed(LaneCalibrations, lanesOf(backend, faults)),
    keysLayer(backend, faults),
    catalogLayer(backend, faults),
    topology.isReasonerConfigured
      ? Layer.provide(reasonerLayer(faults, draw), catalogLayer(backend, faults))
      : Reasoner.layerDisabled,
    recentTasksLayer
  )
