import { Effect, Exit, Layer, Scope } from "effect"
import { HttpBody, HttpClientRequest, HttpEffect, HttpRouter, HttpServer, HttpServerRequest, type HttpServerResponse } from "effect/http"
import { Api } from "../../../src/api/Api.ts"
import { Learner } from "../../../src/engine/Learner.ts"
import { Recommender } from "../../../src/engine/Recommender.ts"
import { Settings } from "../../../src/engine/Settings.ts"
import * as AuthorizationHttp from "../../../src/http/AuthorizationHttp.ts"
import * as Limits from "../../../src/http/limits/Limits.ts"
import { layerAdmissions } from "../../../src/http/limits/LoadSample.ts"
import * as Verification from "../../../src/http/limits/Verification.ts"
import { routesOf } from "../../../src/http/Routes.ts"
import { endpoints } from "../../../src/http/Server.ts"
import { Reports } from "../../../src/reports/Reports.ts"
import * as WriteCounts from "../../../src/reports/WriteCounts.ts"
import { OwnTurn } from "../../../src/resilience/CooperativeYield.ts"
import * as AggregatesReference from "../../reports/reference/Aggregates.ts"
import type { Backend } from "./backend.ts"
import { Current, type Diary, type Faults } from "./faults.ts"
import type { Mutation } from "./mutations.ts"
import { faultyLedger, portsOf, type Topology } from "./ports.ts"
import type { Draw } from "./seeded.ts"

/** The routes of `http/Server.ts`, without its socket and its pages. */
const routes = endpoints.pipe(
  Layer.provide(AuthorizationHttp.layer(null)),
  Layer.merge(Limits.layer(routesOf(Api, [])))
)

export interface Question {
  readonly method: "GET" | "POST"
  readonly path: string
  readonly key: string
  readonly body: unknown
}

export interface Answer {
  readonly status: number
  readonly type: string
  readonly retryAfter: string | null
  readonly text: string
  readonly json: unknown
}

/** One life of the service; its caches, breakers and requests under way end with it. */
export interface Process {
  readonly ask: (question: Question, diary: Diary) => Effect.Effect<Answer>
  readonly scope: Scope.Closeable
}

const decoder = new TextDecoder()

const answerOf = (response: HttpServerResponse.HttpServerResponse): Answer => {
  const { body, headers, status } = response
  const text = body._tag === "Uint8Array" ? decoder.decode(body.body) : ""
  const type = body._tag === "Empty" ? "" : body.contentType ?? ""
  return {
    status,
    type,
    retryAfter: headers["retry-after"] ?? null,
    text,
    json: type.includes("json") ? JSON.parse(text) : null
  }
}

const requestOf = ({ body, key, method, path }: Question): HttpServerRequest.HttpServerRequest =>
  HttpServerRequest.fromClientRequest(HttpClientRequest.make(method)(`http://service${path}`, {
    headers: { authorization: `Bearer ${key}` },
    ...(method === "POST" ? { body: HttpBody.text(JSON.stringify(body), "application/json") } : {})
  }))

export interface ProcessOptions {
  readonly backend: Backend
  readonly faults: Faults
  readonly topology: Topology
  readonly draw: Draw
  readonly mutation: Mutation
}

/** Starts a process over what the backend keeps. */
export const startProcess = Effect.fnUntraced(function*(
  { backend, draw, faults, mutation, topology }: ProcessOptions
): Effect.fn.Return<Process> {
  const scope = yield* Scope.make()
  const asIs = <A>(real: A): A => real
  const { learner = asIs, ledger = asIs, recommender = asIs } = mutation
  const engine = Layer.mergeAll(
    Layer.effect(Recommender, Effect.map(Recommender, (real) => recommender(real, draw))).pipe(
      Layer.provide(Recommender.layer)
    ),
    Layer.effect(Learner, Effect.map(Learner, (real) => learner(real, draw))).pipe(Layer.provide(Learner.layer)),
    Reports.layer
  )
  const settings = { selectionPolicy: topology.selectionPolicy, ...mutation.settings }
  const ports = AggregatesReference.layer.pipe(
    Layer.provideMerge(WriteCounts.layer),
    Layer.provideMerge(portsOf(backend, faults, topology, draw, ledger(faultyLedger(backend, faults), draw))),
    Layer.provideMerge(Settings.layer(settings))
  )
  const app = routes.pipe(
    Layer.provide(Verification.layer()),
    Layer.provide(engine),
    Layer.provide(Layer.fresh(ports)),
    // How busy this machine is must not decide what a seed gives.
    Layer.provide(layerAdmissions(() => ({ heapShare: 0, processorShare: 0, loopDelayMs: 0, loopShare: 0 }))),
    Layer.provide(HttpServer.layerServices)
  )
  const handler = yield* Scope.provide(HttpRouter.toHttpEffect(app), scope)
  return {
    scope,
    ask: (question, diary) =>
      Effect.gen(function*() {
        let answer: Answer | null = null
        yield* HttpEffect.toHandled(handler, (_request, response) => Effect.sync(() => {
          answer = answerOf(response)
        })).pipe(
          Effect.provideService(HttpServerRequest.HttpServerRequest, requestOf(question)),
          Effect.provideService(Current, diary),
          // The event loop's order is not the seed's.
          Effect.provideService(OwnTurn, Effect.yieldNow),
          Effect.scoped
        )
        return answer ?? { status: 0, type: "", retryAfter: null, text: "no answer", json: null }
      })
  }
})

export const endProcess = ({ scope }: Process) => Scope.close(scope, Exit.void)
