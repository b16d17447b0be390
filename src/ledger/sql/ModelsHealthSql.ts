/* The driver of `ModelsHealth` in the service's own database, in which the calls of reports are counted. */
import { Clock, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { RecommendationId } from "../../domain/RecommendationId.ts"
import type { AccountId } from "../../domain/Scope.ts"
import { makeReadCache } from "../../resilience/ReadCache.ts"
import { callAs } from "../../sql/AccountScope.ts"
import { type CallCount, type HealthRule, modelHealth } from "../../stats/ModelHealth.ts"
import { gauged, meters } from "../../telemetry/Metrics.ts"
import { LedgerUnavailable } from "../Ledger.ts"
import { type AccountHealth, allHealthy, ModelsHealth, type UnhealthyModel } from "../ModelsHealth.ts"
import { mapLedgerErrors } from "./LedgerErrors.ts"

/** Age up to which a cached health is used, ms. */
const freshMs = 1_000
const capacity = 10_000

/** The result of the SQL function `model_health_of`, which is null if no call broke lately. */
interface ModelCallsRow {
  readonly calls: ReadonlyArray<CallCount>
  readonly probes: ReadonlyArray<{
    readonly provider: string
    readonly modelId: string
    readonly leasedUntilMs: number
  }>
}

const healthOf = (rule: HealthRule, { calls, probes }: ModelCallsRow, nowMs: number): AccountHealth => ({
  known: modelHealth(rule, calls, nowMs).map((each) => ({
    ...each,
    triedUntilMs: probes.find(({ modelId, provider }) =>
      provider === each.provider && modelId === (each.modelId ?? ""))?.leasedUntilMs ?? 0
  }))
})

interface HealthSettings {
  readonly healthRule: HealthRule
  readonly probeLeaseMs: number
}

const make = ({ healthRule, probeLeaseMs }: HealthSettings) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const guarded = mapLedgerErrors(sql)
    const known = yield* makeReadCache<AccountHealth, LedgerUnavailable>({
      capacity, freshMs, pauseMs: freshMs, late: LedgerUnavailable.timedOut
    })
    /** The number of unhealthy models of each account, and the time at which it was read, ms. */
    const seen = new Map<AccountId, { readonly unhealthy: number; readonly atMs: number }>()
    const clock = yield* Clock.Clock
    yield* gauged(meters.modelsUnhealthy({}), () => {
      const sinceMs = clock.currentTimeMillisUnsafe() - healthRule.quietMs
      let most = 0
      for (const [accountId, { atMs, unhealthy }] of seen) {
        if (atMs < sinceMs) seen.delete(accountId)
        else most = Math.max(most, unhealthy)
      }
      return most
    })

    const look = Effect.fnUntraced(function*(accountId: AccountId) {
      const [row] = yield* guarded(accountId, sql<{ readonly health: ModelCallsRow | null }>`
        select model_health_of(${accountId}) as health`, callAs)
      if (row === undefined || row.health === null) {
        seen.delete(accountId)
        return allHealthy
      }
      const atMs = yield* Clock.currentTimeMillis
      const health = healthOf(healthRule, row.health, atMs)
      seen.set(accountId, { atMs, unhealthy: health.known.filter(({ isHealthy }) => !isHealthy).length })
      return health
    })

    /** Marks a model as being tried, so that other requests of this process do not ask the database. */
    const withTry = (health: AccountHealth, of: UnhealthyModel, triedUntilMs: number): AccountHealth => ({
      known: health.known.map((each) =>
        each.provider === of.provider && each.modelId === of.modelId ? { ...each, triedUntilMs } : each)
    })

    return {
      read: (accountId: AccountId) => known.read(accountId, () => look(accountId)),
      tryOut: Effect.fnUntraced(function*(
        accountId: AccountId,
        of: UnhealthyModel,
        recommendationId: RecommendationId
      ) {
        const held = known.held(accountId) ?? allHealthy
        yield* known.store(accountId, withTry(held, of, (yield* Clock.currentTimeMillis) + probeLeaseMs))
        const [row] = yield* guarded(accountId, sql<{ readonly isLent: boolean }>`
          select claim_probe(${accountId}, ${of.provider}, ${of.modelId ?? ""}, ${recommendationId}::uuid,
            ${probeLeaseMs}::float8) as "isLent"`, callAs)
        return row?.isLent === true
      })
    }
  })

export const layer = (settings: HealthSettings): Layer.Layer<never, never, SqlClient.SqlClient> =>
  Layer.effect(ModelsHealth, make(settings))
