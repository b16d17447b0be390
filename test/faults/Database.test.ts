import { assert, describe, layer } from "@effect/vitest"
import { Context, Effect, Fiber, Layer, Redacted } from "effect"
import { freshDatabase, onServer } from "../support/Databases.ts"
import { type Cluster, findBinaries, scopedCluster } from "../support/PostgresCluster.ts"
import { awaitLog, sendRequest, type Service, startService, stopService, umbrellaKey } from "../support/Service.ts"
import { inTime, type Traffic, trafficOf, warningsOf } from "./invariants.ts"
import { type Fault, makeProxy, none, type Proxy } from "./proxy.ts"
import { isFullRun, proxied, recallBudgetMs, fixedSettings } from "./setup.ts"

const limits = { excludeTestServices: true, timeout: "180 seconds" } as const
const binaries = findBinaries()
const out = ["memory_unavailable"]

interface DatabaseWorld {
  readonly cluster: Cluster
  /** The service's own database, without the proxy. */
  readonly url: string
  readonly proxy: Proxy
  readonly service: Service
}

const freshUrl = ({ url }: Cluster) => Effect.map(freshDatabase(url), (database) => Redacted.value(database.url))

class World extends Context.Service<World, DatabaseWorld>()("test/faults/Database/World") {
  static readonly layer = Layer.effect(World, Effect.gen(function*() {
    const cluster = yield* scopedCluster()
    const url = yield* freshUrl(cluster)
    const proxy = yield* makeProxy(cluster.port)
    const service = yield* startService({ ...fixedSettings, DATABASE_URL: proxied(url, proxy) })
    return { cluster, url, proxy, service }
  }))
}

/** The fault holds while `during` runs; then all is well within seconds, and nothing was lost. */
const through = Effect.fnUntraced(function*<E>(
  during: (traffic: Traffic, world: DatabaseWorld) => Effect.Effect<void, E>
) {
  const world = yield* World
  const traffic = trafficOf(world.service)
  yield* traffic.recovers
  yield* during(traffic, world).pipe(Effect.ensuring(world.proxy.set(none)))
  yield* traffic.recovers
  yield* traffic.countedOnce
})

/** The two answers that a feedback may have while the ledger is out: durable, or try again later. */
const acceptedOrLater = ({ status, text }: { readonly status: number; readonly text: string }) => {
  assert.include([200, 503], status, text)
  if (status === 503) assert.include(text, "\"title\":\"Service unavailable\"")
}

/** Degraded, and nothing else is wrong. */
const degraded = (warnings: ReadonlyArray<string>) =>
  assert.deepStrictEqual(warnings.filter((warning) => !/^(recall_timeout|memory_|lane_numbers_)/.test(warning)), [])

/** A fault between the service and PostgreSQL. */
const onTheWay = (fault: Fault) =>
  through((traffic, { proxy }) =>
    Effect.gen(function*() {
      yield* proxy.set(fault)
      const answers = yield* traffic.recommend(5)
      for (const warnings of warningsOf(answers)) degraded(warnings)
      inTime(answers, recallBudgetMs)
      const [answer] = answers.answers
      if (answer !== undefined) acceptedOrLater(yield* traffic.tell(answer))
      yield* proxy.set(none)
      yield* traffic.recovers
      if (answer !== undefined) yield* traffic.told(answer)
    }))

describe.skipIf(binaries === null)("a service on PostgreSQL", () => {
  layer(World.layer, limits)((it) => {
    it.effect("answers from its caches while PostgreSQL is down, and writes the decisions after it", () =>
      through((traffic, { proxy, service }) =>
        Effect.gen(function*() {
          yield* proxy.set({ kind: "refuse" })
          const answers = yield* traffic.recommend(20)
          for (const warnings of warningsOf(answers)) {
            degraded(warnings)
            assert.include(warnings, "memory_unavailable")
          }
          for (const { decisionBasis } of answers.answers) assert.strictEqual(decisionBasis, "prior")
          inTime(answers, recallBudgetMs)
          const [answer] = answers.answers
          if (answer !== undefined) assert.strictEqual((yield* traffic.tell(answer)).status, 503)
          assert.deepStrictEqual(yield* traffic.insight, out)
          const stranger = { ...service, key: `${umbrellaKey}x` }
          assert.strictEqual((yield* sendRequest(stranger, "/v1/recommend", { task: { task: "x" } })).status, 503)
          yield* proxy.set(none)
          yield* traffic.recovers
          // A decision of the outage can be reported on after it.
          for (const each of answers.answers) assert.deepStrictEqual(yield* traffic.told(each), [])
          yield* awaitLog(service, /has the decisions that waited/)
        })))

    it.effect("starts without PostgreSQL, is alive, and is ready as soon as PostgreSQL is up", () =>
      Effect.gen(function*() {
        const { cluster } = yield* World
        const proxy = yield* makeProxy(cluster.port)
        yield* proxy.set({ kind: "refuse" })
        const service = yield* startService({ ...fixedSettings, DATABASE_URL: proxied(yield* freshUrl(cluster), proxy) })
        const traffic = trafficOf(service)
        for (const path of ["/v1/health", "/v1/capabilities"]) {
          assert.strictEqual((yield* sendRequest({ ...service, key: "" }, path)).status, 200)
        }
        assert.strictEqual((yield* sendRequest(service, "/v1/recommend", { task: { task: "x" } })).status, 503)
        assert.deepStrictEqual(yield* traffic.insight, out)
        yield* awaitLog(service, /cannot be reached or prepared/)
        yield* proxy.set(none)
        yield* traffic.recovers
        yield* traffic.countedOnce
        assert.strictEqual(yield* stopService(service), 0, service.stderr())
      }))

    for (
      const fault of [
        { kind: "black hole" }, { kind: "latency", ms: 400 }, { kind: "trickle", bytes: 8, everyMs: 50 },
        { kind: "reset", afterBytes: 0 }, { kind: "garbage" }
      ] as const
    ) {
      it.effect.runIf(isFullRun)(`answers in time and loses nothing when the way to PostgreSQL has a fault: ${fault.kind}`, () =>
        onTheWay(fault))
    }

    it.effect.runIf(isFullRun)("answers while rows that feedback needs are locked, and asks for a retry of the feedback", () =>
      through((traffic, { url }) =>
        Effect.gen(function*() {
          // Until the feedback is answered: on a busy machine that takes longer than any time chosen here.
          const locking = yield* Effect.forkChild(Effect.exit(onServer(
            url, "do $$ begin lock table observation in access exclusive mode; perform pg_sleep(120); end $$"
          )))
          yield* Effect.sleep("300 millis")
          const answers = yield* traffic.recommend(5)
          for (const warnings of warningsOf(answers)) degraded(warnings)
          inTime(answers, recallBudgetMs)
          const [answer] = answers.answers
          if (answer === undefined) return
          const told = yield* traffic.tell(answer)
          assert.strictEqual(told.status, 503, told.text)
          yield* onServer(url, "select pg_terminate_backend(pid) from pg_stat_activity where wait_event = 'PgSleep'")
          yield* Fiber.join(locking)
          yield* traffic.recovers
          yield* traffic.told(answer)
        })))

    it.effect.runIf(isFullRun)("answers while PostgreSQL accepts no more connections, and does not hang", () =>
      Effect.gen(function*() {
        const { cluster } = yield* World
        const url = new URL(yield* freshUrl(cluster))
        // The administrator of a database may connect always; this one is counted.
        const owner = `owner${url.pathname.slice(-6)}`
        yield* onServer(cluster.url, `create role ${owner} login createrole bypassrls`)
        yield* onServer(cluster.url, `alter database ${url.pathname.slice(1)} owner to ${owner}`)
        yield* onServer(url.href, `alter schema public owner to ${owner}`)
        yield* onServer(url.href, `grant sextant_app to ${owner} with admin option`)
        const own = new URL(url.href)
        own.username = owner
        const service = yield* startService({ ...fixedSettings, DATABASE_URL: own.href })
        const traffic = trafficOf(service)
        yield* traffic.recovers
        yield* onServer(cluster.url, `alter role ${owner} connection limit 0`)
        yield* onServer(cluster.url, `select pg_terminate_backend(pid) from pg_stat_activity where usename = '${owner}'`)
        const answers = yield* traffic.recommend(8)
        for (const warnings of warningsOf(answers)) degraded(warnings)
        inTime(answers, recallBudgetMs)
        const [answer] = answers.answers
        if (answer !== undefined) assert.strictEqual((yield* traffic.tell(answer)).status, 503)
        yield* onServer(cluster.url, `alter role ${owner} connection limit -1`)
        yield* traffic.recovers
        yield* traffic.countedOnce
      }))

    it.effect("answers on a database that has become read-only, and asks for feedback to be retried", () =>
      through((traffic, { cluster, url }) =>
        Effect.gen(function*() {
          const name = new URL(url).pathname.slice(1)
          const others = `select pg_terminate_backend(pid) from pg_stat_activity
            where datname = '${name}' and pid <> pg_backend_pid()`
          yield* onServer(url, `alter database ${name} set default_transaction_read_only = on`)
          yield* onServer(url, others)
          const answers = yield* traffic.recommend(5)
          for (const warnings of warningsOf(answers)) degraded(warnings)
          inTime(answers, recallBudgetMs)
          const [answer] = answers.answers
          if (answer !== undefined) assert.strictEqual((yield* traffic.tell(answer)).status, 503)
          yield* onServer(cluster.url, `alter database ${name} reset default_transaction_read_only`)
          // Sessions of the read-only time end with the failover that ends it.
          yield* onServer(url, others)
          yield* traffic.recovers
          if (answer !== undefined) yield* traffic.told(answer)
        })))

    it.effect("counts each of a hundred concurrent feedbacks once, half of which are sent twice", () =>
      through((traffic) =>
        Effect.gen(function*() {
          const { answers } = yield* traffic.recommend(50)
          const told = yield* Effect.forEach(
            [...answers, ...answers], (answer) => traffic.tell(answer), { concurrency: "unbounded" }
          )
          for (const { status, text } of told) assert.strictEqual(status, 200, text)
          assert.deepStrictEqual(told.slice(50).map(({ text }) => text), told.slice(0, 50).map(({ text }) => text))
        })))

    it.effect.runIf(isFullRun)("accepts a feedback, or asks for a retry, while its decision is still being written", () =>
      through((traffic, { proxy }) =>
        Effect.gen(function*() {
          yield* proxy.set({ kind: "latency", ms: 600 })
          const { answers: [answer] } = yield* traffic.recommend(1)
          if (answer === undefined) return
          const told = yield* traffic.tell(answer)
          acceptedOrLater(told)
          assert.notInclude(told.text, "unknown_recommendation")
          yield* proxy.set(none)
          yield* traffic.recovers
          yield* traffic.told(answer)
        })))

    it.effect.runIf(isFullRun)("counts each feedback once when two services on one database get it at the same time", () =>
      through((traffic, { service, url }) =>
        Effect.gen(function*() {
          const other = yield* startService({ ...fixedSettings, DATABASE_URL: url })
          const { answers } = yield* traffic.recommend(20)
          const told = yield* Effect.forEach(answers, (answer) =>
            Effect.gen(function*() {
              const { body, text } = yield* traffic.tell(answer)
              return [text, (yield* sendRequest(other, "/v1/feedback", body)).text]
            }), { concurrency: "unbounded" })
          for (const [here, there] of told) assert.strictEqual(here, there)
          const both = yield* Effect.forEach((yield* traffic.recommend(20)).answers, (answer) => {
            const body = {
              recommendation_id: answer.recommendationId, chosen_model_id: answer.recommendedModel.modelId,
              outcome: "success", quality_score: 0.9, evidence_source: "gate", actual_cost_usd: 0.001
            }
            return Effect.andThen(
              Effect.all([sendRequest(service, "/v1/feedback", body), sendRequest(other, "/v1/feedback", body)], { concurrency: 2 }),
              (pair) => Effect.as(traffic.tell(answer), pair)
            )
          }, { concurrency: "unbounded" })
          for (const [here, there] of both) assert.deepStrictEqual(here, there)
        }).pipe(Effect.scoped)))
  })

  // They leave connections behind that nobody answers, so they have a service of their own.
  layer(Layer.fresh(World.layer), limits)("over connections that nobody answers any more", (it) => {
    for (const fault of [{ kind: "corrupt", at: -3 }, { kind: "half open" }] as const) {
      it.effect.runIf(isFullRun || fault.kind === "half open")(
        `recovers within seconds when the way to PostgreSQL had a fault: ${fault.kind}`,
        () => onTheWay(fault)
      )
    }
  })
})
