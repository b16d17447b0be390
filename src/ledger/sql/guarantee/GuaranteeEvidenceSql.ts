/** The driver of {@link GuaranteeEvidences} in the service's own ledger. No decision counts twice. */
import { Clock, Effect, Layer, PartitionedSemaphore } from "effect"
import { SqlClient } from "effect/sql"
import { createdAtOf, type RecommendationId } from "../../../domain/RecommendationId.ts"
import type { AccountId, Lane } from "../../../domain/Scope.ts"
import { monotonicMs } from "../../../domain/Time.ts"
import { coldLoad } from "../../../resilience/ColdLoad.ts"
import { makeReadCache } from "../../../resilience/ReadCache.ts"
import {
  type GuaranteeEvidence, isFormer, withoutCandidates, withTask
} from "../../../stats/GuaranteeStates.ts"
import {
  type EvidenceRule, evidenceSince, GuaranteeEvidences, type GuaranteeQuery, type KeptEvidence
} from "../../GuaranteeEvidence.ts"
import { LedgerUnavailable } from "../../Ledger.ts"
import { mapLedgerErrors } from "../LedgerErrors.ts"
import { decodeEvidence, makeCheckpoints } from "./GuaranteeCheckpoints.ts"
import { type GuaranteeRow, isDue, taskOf } from "./GuaranteeRows.ts"

const freshMs = 2_000
const pauseMs = 1_000
const capacity = 1_000

/** Maximum number of the guarantee's decisions in a page. */
const pageRows = 500
/** Maximum number of the account's decisions that a page searches. */
const lookedAtMax = 5_000
const pagesMax = 4
/** Time after which a read begins no further page, ms. The next read goes on after the last page read. */
const pagesMs = 80

/** Maximum number of reads that run at once. Accounts take turns. */
const readsAtOnce = 2

/** Maximum number of guarantees in an account's list: those whose evidence was written last. */
const listedMax = 256
/** A list of guarantees ends once its evidence has this many characters. */
const listedCharacters = 2_000_000

const keyOf = ({ restarts, ...query }: GuaranteeQuery, rule: EvidenceRule): string =>
  JSON.stringify([query, rule, [...restarts]])

/** An id that is lower than that of any decision, because ids rise with time. */
const nilId = "00000000-0000-0000-0000-000000000000" as RecommendationId

/** Reads a page of a guarantee's decisions. A last row of another guarantee only marks the page's end. */
const readPage = (
  sql: SqlClient.SqlClient,
  { accountId, baselineModelId, lane }: GuaranteeQuery,
  after: RecommendationId,
  until: Date
) => {
  const since = createdAtOf(after)
  return sql<GuaranteeRow & { readonly lookedAt: number }>`
    with page as materialized (
      select created_at, recommendation_id, split_part(cluster, ':', 1) as task_type, recommended_model_id,
        propensity, guarantee_candidate_id,
        lane = ${lane} and guarantee_baseline_id is not distinct from ${baselineModelId} as is_own
      from decision_figures
      where account_id = ${accountId}
        and (created_at, recommendation_id) > (${since}::timestamptz, ${after}::uuid)
        and created_at <= ${until.toISOString()}::timestamptz
      order by created_at, recommendation_id limit ${lookedAtMax}
    )
    select (select count(*) from page)::int as "lookedAt",
      page.recommendation_id::text as "recommendationId", task_type as "taskType",
      case when is_own then recommended_model_id end as "recommendedModelId", propensity,
      guarantee_candidate_id as "candidateModelId", o.outcomes
    from page left join outcome o on is_own and o.account_id = ${accountId}
      and o.created_at = page.created_at and o.recommendation_id = page.recommendation_id
    where is_own or (page.created_at, page.recommendation_id) = (
        select created_at, recommendation_id from page
        order by created_at desc, recommendation_id desc limit 1)
    order by page.created_at, page.recommendation_id limit ${pageRows}`
}

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const guarded = mapLedgerErrors(sql)
  const { dropOldest, putBack, readCheckpoint, writeCheckpoint } = makeCheckpoints(sql)

  /**
   * Counts the decisions from the checkpoint up to the first trial that still waits for a report, so that
   * the evidence does not depend on the order of reports.
   */
  const look = Effect.fnUntraced(function*(query: GuaranteeQuery, rule: EvidenceRule) {
    const nowMs = yield* Clock.currentTimeMillis
    const beganMs = yield* monotonicMs
    const until = new Date(nowMs - rule.writeWaitMs)
    const before = yield* putBack(query, yield* readCheckpoint(query), until)
    const bounds = { ...rule, loss: query.maxQualityLoss, alpha: 1 - query.confidence }
    let { evidence, foldedId } = before
    for (let page = 0, isBehind = true; page < pagesMax && isBehind; page++) {
      const reading = readPage(sql, query, foldedId ?? nilId, until)
      const rows = yield* page === 0 ? reading : coldLoad(reading)
      const isFull = rows.length === pageRows || rows[0]?.lookedAt === lookedAtMax
      isBehind = isFull && (yield* monotonicMs) - beganMs < pagesMs
      for (const row of rows) {
        if (row.recommendedModelId !== null) {
          const task = taskOf(query, row)
          if (task.trial !== null && !isDue(query.baselineModelId, rule, row, nowMs)) {
            isBehind = false
            break
          }
          evidence = withTask(bounds, evidence, task)
        }
        foldedId = row.recommendationId
      }
    }
    if (foldedId === null || foldedId === before.foldedId) return evidence
    yield* writeCheckpoint(query, before, { evidence, foldedId })
    if (before.foldedId === null) yield* dropOldest(query)
    return evidence
  })

  /** Leaves out a candidate with evidence from before its id or the baseline's id changed its model. */
  const lookNow = (query: GuaranteeQuery, rule: EvidenceRule) =>
    Effect.map(look(query, rule), (evidence) => withoutCandidates(evidence, (_, candidate, own) =>
      isFormer(own, evidenceSince(query, candidate))))

  const reading = yield* PartitionedSemaphore.make<AccountId>({ permits: readsAtOnce })

  const known = yield* makeReadCache<GuaranteeEvidence, LedgerUnavailable>({
    capacity, freshMs, pauseMs, late: LedgerUnavailable.timedOut
  })

  return {
    read: (query: GuaranteeQuery, rule: EvidenceRule) =>
      known.read(keyOf(query, rule), () =>
        reading.withPermit(query.accountId)(guarded(query.accountId, lookNow(query, rule)))),
    list: (accountId: AccountId, lane: Lane | null) =>
      guarded(accountId, sql<Omit<KeptEvidence, "evidence"> & { readonly evidence: unknown }>`
        select lane, baseline_model_id as "baselineModelId", max_quality_loss as "maxQualityLoss",
          confidence, evidence
        from (select g.*, place, size, sum(size) over (order by place) - size as "before"
          from (
            select lane, baseline_model_id, max_quality_loss, confidence,
              row_number() over (order by updated_at desc, lane, baseline_model_id) as place
            from guarantee_evidence
            where account_id = ${accountId} and (${lane}::text is null or lane = ${lane})
            order by place limit ${listedMax}
          ) as newest join guarantee_evidence g using (lane, baseline_model_id, max_quality_loss, confidence)
            cross join lateral (select length(g.evidence::text) as size) as sized
          where g.account_id = ${accountId}
        ) as listed where "before" < ${listedCharacters} order by place`.pipe(
        Effect.flatMap(Effect.forEach((row) =>
          Effect.map(decodeEvidence(row.evidence), (evidence): KeptEvidence => ({ ...row, evidence }))))
      ))
  }
})

export const layer: Layer.Layer<never, never, SqlClient.SqlClient> = Layer.effect(GuaranteeEvidences, make)
