import { assert } from "@effect/vitest"
import { Effect, Layer, Logger, Redacted } from "effect"
import { HttpServer } from "effect/http"
import { type KeyHolder, KeyRejected, Keys, KeysUnavailable } from "../../src/accounts/Keys.ts"
import { Catalog } from "../../src/catalog/Catalog.ts"
import type { RankedModel } from "../../src/domain/RankedModel.ts"
import type { RecommendRequest, RecommendResponse } from "../../src/domain/Recommendation.ts"
import { Role } from "../../src/domain/account/Role.ts"
import { AccountId } from "../../src/domain/Scope.ts"
import { Learner } from "../../src/engine/Learner.ts"
import { NoCandidateModels } from "../../src/engine/NoCandidateModels.ts"
import { Recommender } from "../../src/engine/Recommender.ts"
import { Settings } from "../../src/engine/Settings.ts"
import type { Load } from "../../src/http/limits/Admission.ts"
import type { VerificationOptions } from "../../src/http/limits/Verification.ts"
import * as Server from "../../src/http/Server.ts"
import { LedgerUnavailable } from "../../src/ledger/Ledger.ts"
import * as RecentTasksLocal from "../../src/memory/local/RecentTasksLocal.ts"
import { Memory, MemoryUnavailable } from "../../src/memory/Memory.ts"
import { Reasoner } from "../../src/reasoner/Reasoner.ts"
import { UnknownModel } from "../../src/reports/advice/AdviceReport.ts"
import { Reports } from "../../src/reports/Reports.ts"
import * as Reason from "../../src/resilience/FailureReason.ts"
import { listening } from "../support/InProcess.ts"

/** Accepted by the fake key store; `outageKey` cannot be verified, every other key is bad. */
export const goodKey = "sxt_acme_k1_secret"
/** Good keys of the other roles. */
export const keyOfRole = { use: goodKey, read: "sxt_acme_k3_read", admin: "sxt_acme_k4_admin" } as const
export const outageKey = "sxt_acme_k2_outage"
/** Feedback about this recommendation fails, because its store is out. */
export const outageRecommendationId = "00000000-0000-7000-8000-00000000dead"

const outage = new Error("the store is out")
const verify = (key: Redacted.Redacted<string>): Effect.Effect<KeyHolder, KeyRejected | KeysUnavailable> => {
  const text = Redacted.value(key)
  if (text === outageKey) return Effect.fail(new KeysUnavailable({ reason: new Reason.Unreachable({ cause: outage }) }))
  const role = Role.literals.find((each) => keyOfRole[each] === text)
  return role === undefined
    ? Effect.fail(new KeyRejected())
    : Effect.succeed({ accountId: AccountId.make("acme"), key, role, remainingMs: null })
}

/** Takes the good key of every role. */
export const fakeKeys = Layer.succeed(Keys, {
  verify,
  isKnown: () => Effect.succeed(false),
  rotate: () => Effect.succeed(null),
  create: () => Effect.fail(new KeyRejected()),
  register: () => Effect.void,
  list: Effect.succeed([]),
  revoke: () => Effect.succeed(false)
})

const ranked = (rationale: string): RankedModel => ({
  modelId: "small", provider: "acme", predictedSuccess: 0.8, estCostUsd: 0.001, estCostBreakdown: { input: 0.001 },
  estCostLow: null, estCostHigh: null, costBandBasis: "", successIntervalWidth: 0.2, score: 0.5, rationale,
  decisionBasis: "prior", evidence: [{
    entryId: "e1", referenceId: null, modelId: "small", score: 0.7, knowledgeConfidence: 0.5, observedSuccess: 1,
    isStale: false
  }], supportsPromptCaching: true, contextWindow: 8_000, estLatencyMs: null, latencyBasis: ""
})

/** The rationale echoes the request as the engine received it. */
export const answer = (request: unknown): RecommendResponse => {
  const model = ranked(JSON.stringify(request))
  return {
    recommendationId: "r1", recommendedModel: model, ranked: [model], fallbackModel: null, confidence: 0.5,
    decisionBasis: "prior", thresholdUsed: 0.7, successValueUsedUsd: null, classifiedTaskType: "code", classifiedDifficulty: "medium",
    catalogVersion: "v1", catalogStale: false, latencyMs: 1, warnings: ["cold_start"], selectionPolicy: "argmin",
    guarantee: null,
    plan: null,
    attemptNumber: null,
    isRetry: null,
    switchReason: null, untriedCheaper: null,
  escalationReasons: [],
  recommendedActions: []
  }
}

const recommend = (request: RecommendRequest): Effect.Effect<RecommendResponse, NoCandidateModels> => {
  if (request.task.task === "boom") return Effect.die(new Error("secret detail"))
  if (request.constraints.candidateModels?.length === 0) return Effect.fail(new NoCandidateModels({ stepId: null }))
  return Effect.succeed(answer(request))
}

const FakeRecommender = Layer.succeed(Recommender, {
  recommend: (_caller, request) => recommend(request),
  recommendWorkflow: (_caller, request) =>
    request.steps.some((step) => step.constraints?.candidateModels?.length === 0)
      ? Effect.fail(new NoCandidateModels({ stepId: "plan" }))
      : Effect.succeed({
        workflowRecommendationId: "w1",
        steps: request.steps.map((step) => ({ stepId: step.stepId, recommendation: answer(step) })),
        totalEstCostUsd: 0.001,
        totalEstCostIfAllPremium: 0.01,
        confidence: 0.5
      })
})

const FakeLearner = Layer.succeed(Learner, {
  learn: (_caller, request) =>
    request.recommendationId === outageRecommendationId
      ? Effect.fail(new LedgerUnavailable({ reason: new Reason.Unreachable({ cause: outage }) }))
      : Effect.succeed({
        accepted: true, recordId: "o1", reinforcedEntryIds: [], updatedConfidence: null, reflectionTriggered: false,
        lessonPromoted: false, stepOutcomesRecorded: request.stepOutcomes.length, costSource: null,
        computedCostUsd: null, warnings: []
      })
})

const health = {
  recommendations: 0, feedbackCoverage: 0, lateFeedbackShare: 0, escalationRate: 0, explorationShare: 0,
  epsilonPolicyShare: 0
}
const summary = {
  estimated: {
    n: 0, costRecommendedUsd: 0, costPremiumUsd: 0, savingsVsPremiumUsd: 0, nDeclared: 0, costDeclaredUsd: 0,
    savingsVsDeclaredUsd: 0
  },
  realized: {
    nReconciled: 0, realizedCostUsd: 0, estCostRecommendedUsd: 0, estCostPremiumUsd: 0, savingsVsPremiumEstUsd: 0,
    nDeclared: 0, estCostDeclaredUsd: 0, savingsVsDeclaredEstUsd: 0
  },
  spend: { costUsd: 0, billedUsd: 0, nBilled: 0, listPricesUsd: 0, nListPrices: 0, coverage: null },
  reasonerCostUsd: null,
  nCostOutliers: 0,
  costOutliersUsd: 0,
  realizedWithoutOutliers: null,
  followed: null
}
const unlessDown = <A>(namespace: string | null, value: A): Effect.Effect<A, LedgerUnavailable> =>
  namespace === "down" ? Effect.fail(new LedgerUnavailable({ reason: new Reason.Unreachable({ cause: outage }) })) : Effect.succeed(value)

const FakeReports = Layer.succeed(Reports, {
  savings: ({ days, groupBy = null, namespace }) =>
    unlessDown(namespace, { namespace, days, groupBy, summary, health, comparison: null, tasks: null, groups: [] }),
  calibration: ({ days, namespace }) => unlessDown(namespace, { namespace, days, reports: [], driftFlags: [], health }),
  policyValue: ({ accountId, days, namespace }) =>
    unlessDown(namespace, {
      orgId: accountId, since: "2026-01-01T00:00:00.000Z", days, namespace,
      report: { nTrusted: 0, nTotalReconciled: 0, stochasticShare: 0, policies: [], regretVsOracle: 0,
        routingLift: null, routingLiftLow: null, routingLiftHigh: null, routingLiftBasis: null
      }
    }),
  dashboard: ({ days, namespace }) =>
    unlessDown(namespace, {
      namespace, days, savingsByDay: [{ day: "2026-11-20", summary }], clusterModels: [], clusterModelsLeftOut: 0,
      shadow: null,
      coverage: null,
      judges: [],
      untriedCheaper: [],
      verdictsNeeded: [],
      spendByDay: [],
      modelCalls: [],
      baselines: [],
      decisions: []
    }),
  calls: ({ days, namespace }) => unlessDown(namespace, { namespace, days, decisions: [], next: null }),
  advice: ({ days, namespace }) => unlessDown(namespace, { namespace, days, n: 0, nKinds: 0, tolerance: 0.05, rows: [] }),
  retirement: ({ days, modelId, namespace }) => modelId === "none"
    ? Effect.fail(new UnknownModel({ modelId }))
    : unlessDown(namespace, {
      modelId, retiresOn: null, daysLeft: null, retiresOnSource: null, namespace, days, nCalls: 0, nObserved: 0, spentUsd: 0,
      callsPerMonth: 0, usdPerMonth: 0, users: [], tags: [], kinds: [], successor: null, audition: null, guarantee: null,
      switch: null
    }),
  untried: (_account, namespace) => unlessDown(namespace, []),
  decision: (_account, recommendationId) =>
    unlessDown(recommendationId === outageRecommendationId ? "down" : null, { decision: null })
})

const unlessLaneDown = <A>(lane: string, value: A): Effect.Effect<A, MemoryUnavailable> =>
  lane === "sextant:down" ? Effect.fail(new MemoryUnavailable({ reason: new Reason.Unreachable({ cause: outage }) })) : Effect.succeed(value)

const fakeMemory = (isReachable: boolean) =>
  Layer.succeed(Memory, {
    recall: () => Effect.fail(new MemoryUnavailable({ reason: new Reason.Unreachable({ cause: outage }) })),
    knownModels: () => new Map(),
    prepare: ({ taskVectors = [] }) => Effect.succeed(taskVectors),
    store: (_accountId, writes) =>
      Effect.succeed({ written: writes.map(() => null), isElsewhere: true, onDurable: Effect.void }),
    deliver: (_accountId, _revision, { answer }) => Effect.succeed(answer([])),
    write: () => Effect.fail(new MemoryUnavailable({ reason: new Reason.Unreachable({ cause: outage }) })),
    strategies: ({ lane, lessonTypes, limit }) =>
      unlessLaneDown(lane, [{
        strategyId: "s1", description: JSON.stringify({ lessonTypes, limit }), supportingLessonCount: 1,
        avgConfidence: 1, avgReinforcement: 1, dominantLessonType: "success", dominantScope: "account", lessonIds: []
      }]),
    diagnose: ({ lane }) =>
      unlessLaneDown(lane, {
        lessons: [{ lessonId: "l1", content: "small fails", lessonType: "failure", importance: 1, confidence: 1 }],
        total: 1
      }),
    health: ({ lane }) =>
      unlessLaneDown(lane, {
        entryCounts: { observation: 3 }, staleEntries: 0, contradictions: 0, lowConfidenceCount: 0,
        promotionCandidates: 0, sectionHealth: []
      }),
    ping: () =>
      isReachable ? Effect.succeed({ endpoint: "local" }) : Effect.fail(new MemoryUnavailable({ reason: new Reason.Unreachable({ cause: outage }) }))
  })

const FakeCatalog = Layer.succeed(Catalog, {
  snapshot: Effect.succeed({
    models: [], version: "v1", refreshedAt: new Date(0), stale: false, costSource: "bundled"
  })
})

interface WorldOptions {
  readonly rateLimitPerMinute?: number
  readonly isMemoryReachable?: boolean
  readonly dashboardDirectory?: string
  readonly docsDirectory?: string
  readonly clientsDirectory?: string
  readonly load?: () => Load
  readonly verification?: VerificationOptions
}

/** Routes over fake engine and ports. */
export const overFakes = (isMemoryReachable = true) => <A, E, R>(routes: Layer.Layer<A, E, R>) =>
  routes.pipe(
    Layer.provide([
      fakeKeys, FakeRecommender, FakeLearner, FakeReports, fakeMemory(isMemoryReachable), FakeCatalog,
      Reasoner.layerDisabled,
      RecentTasksLocal.layer,
      Settings.layer()
    ]),
    // Outages are logged with their cause, and these tests make many.
    Layer.provide(Logger.layer([]))
  )

/** The real routes over fake engine and ports, on a server that listens already. */
export const fakeRoutes = ({ isMemoryReachable, rateLimitPerMinute, ...rest }: WorldOptions = {}) =>
  Server.layerRoutes({ rateLimitPerMinute: rateLimitPerMinute ?? null, ...rest }).pipe(overFakes(isMemoryReachable))

/** The real server on a free port over fake engine and ports. */
export const fakeService = (options?: WorldOptions) =>
  fakeRoutes(options).pipe(
    Layer.provideMerge(listening())
  )

export const baseUrl = HttpServer.HttpServer.use(({ address }) =>
  Effect.succeed(address._tag !== "UnixPathAddress" ? `http://127.0.0.1:${address.port}` : ""))

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  // The wire is untyped here on purpose: these tests check its spelling.
  readonly body: Record<string, unknown>
}

/** One raw call; `json` is sent as application/json, the good key unless another is given. */
export const sendRequest = (
  method: string,
  path: string,
  options: { readonly json?: unknown; readonly key?: string | null; readonly init?: RequestInit } = {}
) =>
  Effect.gen(function*() {
    const url = `${yield* baseUrl}${path}`
    const key = options.key === undefined ? goodKey : options.key
    const init: RequestInit = {
      method,
      ...("json" in options ? { body: JSON.stringify(options.json) } : {}),
      ...options.init,
      headers: {
        ...("json" in options ? { "content-type": "application/json" } : {}),
        ...(key === null ? {} : { authorization: `Bearer ${key}` }),
        ...(options.init?.headers as Record<string, string> | undefined)
      }
    }
    return yield* Effect.promise(async (): Promise<Answer> => {
      const response = await fetch(url, init)
      const text = await response.text()
      const isJson = response.headers.get("content-type")?.includes("json") === true && text !== ""
      return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : {} }
    })
  })

/** Asserts that an answer is a problem of this status and title, whose detail is or matches that text. */
export const assertProblem = (answer: Answer, status: number, title: string, detail?: string | RegExp): void => {
  assert.strictEqual(answer.status, status, answer.text)
  assert.strictEqual(answer.headers.get("content-type"), "application/problem+json")
  assert.deepInclude(answer.body, { type: "about:blank", title, status })
  assert.isString(answer.body["detail"])
  if (typeof detail === "string") assert.include(answer.body["detail"], detail)
  else if (detail !== undefined) assert.match(String(answer.body["detail"]), detail)
  if (status === 401) assert.strictEqual(answer.headers.get("www-authenticate"), "Bearer")
  if (status === 429 || status === 503) assert.match(answer.headers.get("retry-after") ?? "", /^[1-9][0-9]*$/)
}
