import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { type ObservedCall, ObservedCalls } from "../../../src/reports/ObservedCalls.ts"
import * as ObservedCallsSql from "../../../src/reports/sql/ObservedCallsSql.ts"
import { withAccount } from "../../../src/sql/AccountScope.ts"
import { newAccount } from "../../accounts/KeysContract.ts"
import { onEachEngine, slow } from "../../support/Databases.ts"

const nowMs = Date.now()
const call = (callId: string, over: Partial<ObservedCall> = {}): ObservedCall => ({
  callId, calledAt: new Date(nowMs), modelId: "gpt-5-mini", effort: null, taskType: "code", difficulty: "easy", inputTokens: 100,
  cachedInputTokens: 60, cacheWriteInputTokens: null, outputTokens: 10, reasoningTokens: null, billedUsd: null, listUsd: 0.5,
  latencyMs: 20, timeToFirstTokenMs: null, sessionId: "s", userId: "u", tags: ["service:app"], quality: null, provenance: null,
  isBroken: false, ...over
})
const since = new Date(nowMs - 86_400_000)
const none = new Map()

describe("observed calls in SQL", () =>
  onEachEngine((name, engine) =>
    layer(Layer.provideMerge(ObservedCallsSql.layer, engine), slow)(name, (it) => {
      it.effect("count once by their ids, also within a request, and gain a bill and an evaluation later", () =>
        Effect.gen(function*() {
          const observed = yield* ObservedCalls
          const accountId = newAccount()
          yield* observed.add(accountId, [call("a"), call("b", { latencyMs: 40 }), call("a")], none)
          yield* observed.add(accountId, [call("a", { inputTokens: 999 }), call("c", { taskType: null, isBroken: true })], none)
          yield* observed.add(accountId, [call("b", { billedUsd: 2, quality: 1, provenance: "judge", outputTokens: 7 })], none)
          yield* observed.add(accountId, [call("b", { billedUsd: 9, quality: 0, provenance: "human" })], none)
          const { groups } = yield* observed.sums({ accountId, since })
          assert.deepStrictEqual(groups, [
            {
              modelId: "gpt-5-mini", taskType: "code", n: 2, nBroken: 0, nBilled: 1, nJudged: 1, inputTokens: 200,
              cachedInputTokens: 120, cacheWriteInputTokens: 0, outputTokens: 20, billedUsd: 2, listUsd: 0.5,
              latencyMsP50: 30, quality: 1
            },
            {
              modelId: "gpt-5-mini", taskType: null, n: 1, nBroken: 1, nBilled: 0, nJudged: 0, inputTokens: 100,
              cachedInputTokens: 60, cacheWriteInputTokens: 0, outputTokens: 10, billedUsd: 0, listUsd: 0.5,
              latencyMsP50: 20, quality: null
            }
          ])
        }))

      it.effect("are read over the connections of reports alone, behind which no request waits", () =>
        Effect.gen(function*() {
          const observed = yield* ObservedCalls
          const accountId = newAccount()
          // The reports are of another database, which has no call.
          yield* observed.add(accountId, [call("a")], none)
          const window = { accountId, lane: null, since }
          assert.deepStrictEqual((yield* observed.sums({ accountId, since })).groups, [])
          assert.deepStrictEqual(yield* observed.arms(window), [])
          assert.deepStrictEqual((yield* observed.uses(window, "gpt-5-mini")).map(({ nCalls }) => nCalls), [0])
        }).pipe(Effect.provide(ObservedCallsSql.layerReading(Layer.fresh(engine)))))

      it.effect("are within a request what they are in one after the other", () =>
        Effect.gen(function*() {
          const observed = yield* ObservedCalls
          const calls = [
            call("a", { billedUsd: 2 }), call("b", { quality: 1, provenance: "human" }), call("a", { inputTokens: 999, quality: 0.5, provenance: "judge" }),
            call("b", { billedUsd: 3, quality: 0, provenance: "judge" })
          ]
          const [together, apart] = [newAccount(), newAccount()]
          yield* observed.add(together, calls, none)
          for (const each of calls) yield* observed.add(apart, [each], none)
          const { groups } = yield* observed.sums({ accountId: together, since })
          assert.deepInclude(groups[0], { n: 2, inputTokens: 200, billedUsd: 5, nJudged: 2, quality: 0.75 })
          assert.deepStrictEqual(groups, (yield* observed.sums({ accountId: apart, since })).groups)
        }))

      it.effect("are those of their account and window alone, as is what was left out", () =>
        Effect.gen(function*() {
          const observed = yield* ObservedCalls
          const [mine, other] = [newAccount(), newAccount()]
          const leftOut = new Map([["not_a_call", 3], ["no_model", 1]])
          yield* observed.add(mine, [call("a"), call("old", { calledAt: new Date(nowMs - 9 * 86_400_000) })], leftOut)
          yield* observed.add(mine, [], leftOut)
          const sums = yield* observed.sums({ accountId: mine, since })
          assert.deepStrictEqual(sums.groups.map(({ n }) => n), [1])
          assert.deepStrictEqual(sums.leftOut, [{ reason: "not_a_call", n: 6 }, { reason: "no_model", n: 2 }])
          assert.deepStrictEqual(yield* observed.sums({ accountId: other, since }), { groups: [], leftOut: [] })
          assert.deepStrictEqual(yield* observed.sums({ accountId: mine, since, until: since }), { groups: [], leftOut: [] })
          const sql = yield* SqlClient.SqlClient
          const seen = yield* sql`select call_id from observed_call`.pipe(withAccount(other))
          assert.deepStrictEqual(seen, [])
        }))

      it.effect("are sums by team, kind and model, without those that broke or that no words came of", () =>
        Effect.gen(function*() {
          const observed = yield* ObservedCalls
          const accountId = newAccount()
          const team = ["service:app", "team:shop"]
          yield* observed.add(accountId, [
            call("a", { tags: team, effort: "low" }), call("b", { tags: team, quality: 0.5, provenance: "judge", billedUsd: 1.5 }),
            call("c", { quality: 1, provenance: "human" }), call("d", { isBroken: true }), call("e", { taskType: null }),
            call("f", { quality: 1, provenance: "assertion", listUsd: null, userId: null })
          ], none)
          const window = { accountId, since, lane: null }
          const arms = yield* observed.arms(window)
          assert.deepInclude(arms.find(({ lane }) => lane === "sextant:shop"), {
            cluster: "code:easy", modelId: "gpt-5-mini", nCalls: 2, firstMs: nowMs, nVerdicts: 1, weight: 0.6, successWeight: 0.3,
            predictedWeight: 0, predicted: 0, nCosted: 2, costUsd: 2, costSquares: 2.5, estimatedUsd: 0, newestId: null,
            observed: { nCalls: 2, nVerdicts: 1, weight: 0.6, successWeight: 0.3 }
          })
          assert.deepInclude(arms.find(({ lane }) => lane === "sextant:default"), { nCalls: 2, nVerdicts: 1, weight: 0.9, nCosted: 1 })
          assert.lengthOf(arms, 2)
          const part = (but: object) => Effect.map(observed.arms({ ...window, ...but }), (own) => own.map(({ nCalls }) => nCalls))
          assert.deepStrictEqual(yield* part({ lane: "sextant:shop" }), [2])
          assert.deepStrictEqual(yield* part({ tag: "team:shop" }), [2])
          assert.deepStrictEqual(yield* part({ userId: "u" }), [2, 1])
          assert.deepStrictEqual(yield* part({ modelId: "gpt-5-mini" }), [])
          assert.deepStrictEqual(yield* part({ until: since }), [])
          assert.deepStrictEqual(yield* observed.arms({ ...window, accountId: newAccount() }), [])
          assert.deepStrictEqual(yield* observed.uses(window, "gpt-5-mini"), [
            { by: "all", name: "", nCalls: 5, spentUsd: 3 }, { by: "tag", name: "service:app", nCalls: 5, spentUsd: 3 },
            { by: "tag", name: "team:shop", nCalls: 2, spentUsd: 2 }, { by: "user", name: "u", nCalls: 4, spentUsd: 3 }
          ])
          assert.deepStrictEqual((yield* observed.uses(window, "gpt-5")).map(({ nCalls }) => nCalls), [0])
        }))

      it.effect("come from many requests at once without one waiting for another for ever", () =>
        Effect.gen(function*() {
          const observed = yield* ObservedCalls
          const accountId = newAccount()
          const ids = Array.from({ length: 40 }, (_, i) => `call-${i}`)
          yield* Effect.forEach([ids, ids.toReversed(), ids, ids.toReversed()], (order) =>
            observed.add(accountId, order.map((id) => call(id)), none), { concurrency: 4 })
          const { groups } = yield* observed.sums({ accountId, since })
          assert.deepStrictEqual(groups.map(({ n }) => n), [40])
        }))
    })))
