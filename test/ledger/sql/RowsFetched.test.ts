import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { encodeWrites } from "../../../src/api/memory/LoggedWrites.ts"
import type { Written } from "../../../src/domain/MemoryWrite.ts"
import type { Decision } from "../../../src/domain/Decision.ts"
import type { MemoryWrite } from "../../../src/domain/MemoryWrite.ts"
import type { AccountId, LaneId } from "../../../src/domain/Scope.ts"
import * as EmbedderLexical from "../../../src/embedder/lexical/EmbedderLexical.ts"
import { Ledger } from "../../../src/ledger/Ledger.ts"
import type { ReportSubmission } from "../../../src/ledger/ReportSubmission.ts"
import * as LedgerSql from "../../../src/ledger/sql/LedgerSql.ts"
import { applyInTransaction } from "../../../src/ledger/sql/ReportTransaction.ts"
import { quantise } from "../../../src/memory/index/QuantisedVector.ts"
import { Memory } from "../../../src/memory/Memory.ts"
import { DeliveryStore } from "../../../src/memory/delivery/DeliveryStore.ts"
import * as DeliveryStoreSql from "../../../src/memory/delivery/DeliveryStoreSql.ts"
import { insertEmbedded } from "../../../src/memory/sql/EmbeddingRows.ts"
import * as MemorySql from "../../../src/memory/sql/MemorySql.ts"
import { withAccountLog } from "../../../src/sql/AccountScope.ts"
import { embedded, slow } from "../../support/Databases.ts"
import { lessonIn, observationIn, promptSettings, reinforcementIn } from "../../memory/fixtures.ts"
import { decisionOf, newAccount, planOf, submissionOf } from "../LedgerContract.ts"

/** Rows of the account in each table, of one lane. */
const stored = 3_000
/** Rows that one of the works may fetch of a table: each report votes on eight outcomes. */
const fetchedMax = 100

/** Never reflects. */
const quiet = {
  ...promptSettings, reflection: { ...promptSettings.reflection, pauseMs: 3_600_000, pollMs: 3_600_000 }
}

const drivers = Layer.mergeAll(
  DeliveryStoreSql.layer, LedgerSql.layer,
  MemorySql.layer({ endpoint: "postgresql", keptText: "excerpt", settings: quiet }).pipe(Layer.provide(EmbedderLexical.layer))
).pipe(Layer.provideMerge(embedded))

const lane = decisionOf(newAccount()).lane
const idAt = (at: number) => `00000000-0000-4000-8000-${String(at).padStart(12, "0")}`
const ids = (from: number, count: number) => Array.from({ length: count }, (_, at) => idAt(from + at))

/** All that a report may write to memory, with votes on eight outcomes. */
const writesOf = (scope: LaneId, { observationId = randomUUID(), revision }: {
  readonly observationId?: string
  readonly revision: number
}): ReadonlyArray<MemoryWrite> => [
  { kind: "teach", body: observationIn(scope, { observationId, revision, verdictRevision: revision }) },
  { kind: "reinforce", body: reinforcementIn(scope, ids(1, 8), { reinforcementId: observationId, revision }) },
  { kind: "recordSteps", body: {
    ...scope, recommendationId: randomUUID(), cluster: "code:easy", modelId: "alpha", occurredAt: new Date(),
    steps: [{ stepId: "s", stepName: null, outcome: "success", signal: 1, rationale: null, directiveHint: null }]
  } },
  { kind: "promote", body: lessonIn(scope, { lessonId: observationId, revision }) }
]

const settlementIn = (scope: LaneId, decision: Decision, store: ReportSubmission["store"]): ReportSubmission =>
  submissionOf(scope.accountId, {
    decision, store, plan: ({ outcomes, revision }) => planOf({ outcomes, writes: writesOf(scope, { revision }) })
  })

/** Gives the account's tables many rows, of which three reports wait for a memory elsewhere. */
const fill = Effect.fnUntraced(function*(accountId: AccountId) {
  const sql = yield* SqlClient.SqlClient
  const id = sql.literal("('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))")
  const each = sql`from generate_series(1, ${stored}::int) as n`
  yield* sql`insert into lane (account_id, lane, version, taught) values (${accountId}, ${lane}, ${stored}, ${stored}) on conflict do nothing`
  yield* sql`insert into observation (account_id, lane, observation_id, version, teaches, task_type, difficulty, cluster,
      tags, model_id, outcome, quality, provenance, provenance_weight, occurred_at)
    select ${accountId}, ${lane}, ${id}::uuid, n, true, 'code', 'easy', 'code:easy', '{}', 'alpha', 'success', 0.8, 'gate',
      1, now() - n * interval '1 minute' ${each} on conflict do nothing`
  yield* sql`insert into lesson (account_id, lane, lesson_id, lesson_type, scope, content, cluster, model_id, importance,
      base_confidence, confidence, occurred_at)
    select ${accountId}, ${lane}, ${id}, 'success', 'run', '', 'code:easy', 'alpha', 1, 1, 1, now() ${each} on conflict do nothing`
  yield* sql`insert into step_reward (account_id, lane, recommendation_id, step_id, cluster, model_id, outcome, signal,
      occurred_at)
    select ${accountId}, ${lane}, ${id}, 's', 'code:easy', 'alpha', 'success', 1, now() - n * interval '1 minute' ${each} on conflict do nothing`
  yield* sql`insert into vote (account_id, lane, observation_id, actor, day, votes)
    select ${accountId}, ${lane}, ${id}::uuid, 'ann', now()::date, 1 ${each} on conflict do nothing`
  yield* sql`insert into reflection (account_id, lane, crossing, observation_id, reflected_at)
    select ${accountId}, ${lane}, 'gate:' || n, ${id}::uuid, now() ${each} on conflict do nothing`
  yield* sql`insert into report (account_id, revision, recommendation_id, idempotency_key, fingerprint, body, response)
    select ${accountId}, n, ${id}::uuid, 'key ' || n, 'f', '{}', '{}' ${each} on conflict do nothing`
  yield* sql`update account_log set revision = ${stored} where account_id = ${accountId}`
  const waiting = JSON.stringify(encodeWrites(writesOf({ accountId, lane }, { revision: 1 })))
  yield* sql`update report set writes = ${waiting}::text::jsonb
    where account_id = ${accountId} and revision between 40 and 42`
})

const fetched = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly name: string; readonly rows: number }>`select relname as name,
    (seq_tup_read + coalesce(idx_tup_fetch, 0))::int as rows from pg_stat_xact_user_tables`
  return new Map(rows.map(({ name, rows }) => [name, rows]))
})

/** The tables of which the work fetches too many rows, with how many. */
const tooMany = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.gen(function*() {
    const before = yield* fetched
    yield* work
    return [...yield* fetched].map(([name, rows]) => ({ name, rows: rows - (before.get(name) ?? 0) }))
      .filter(({ rows }) => rows > fetchedMax)
  })

/** What feedbacks and deliveries do of an account, by name. */
const works = Effect.gen(function*() {
  const [ledger, memory, delivery] = yield* Effect.all([Ledger, Memory, DeliveryStore])
  return (accountId: AccountId, decisions: ReadonlyArray<Decision>) => {
    const scope = { accountId, lane }
    const open = [...decisions]
    const applyReport = (reports: number) =>
      Effect.gen(function*() {
        const group = open.splice(0, reports).map((decision) => settlementIn(scope, decision, memory.store))
        const applied = yield* applyInTransaction(accountId, group)
        assert.strictEqual(applied.filter((each) => each !== null).length, reports)
      })
    const taken = { kind: "promote" } as const
    const sent = (revision: number, written: Written | null) => ({ revision, written: [written], waiting: 0 })
    const next = { tries: 1, badAnswers: 0, delayMs: 0 }
    const vector = quantise(new Float32Array([1, 0, 0]))
    const all: Readonly<Record<string, Effect.Effect<unknown, unknown, SqlClient.SqlClient>>> = {
      "apply one": applyReport(1),
      "apply eight": applyReport(8),
      "tell again": memory.store(accountId, writesOf(scope, { observationId: idAt(20), revision: 2 * stored })),
      "write": memory.write({ kind: "teach", body: observationIn(scope) }),
      "embed": insertEmbedded(scope, "e", ids(30, 8).map((observationId) => ({ observationId, vector }))),
      "find": ledger.find(accountId, decisionOf(accountId).recommendationId),
      "recover": delivery.recover(accountId, -1_000),
      "is behind": delivery.isBehind(accountId, lane),
      "lease": delivery.lease(accountId, 15_000, 50),
      "count": delivery.countWaiting(accountId),
      "record": delivery.record(accountId, lane, [sent(40, taken)], next),
      "record a refusal": delivery.record(accountId, lane, [sent(41, null)], next)
    }
    return all
  }
})

layer(drivers, slow)("with plans that were made while tables were empty", (it) => {
  it.effect("a report reads few of an account's rows", () =>
    Effect.gen(function*() {
      const ledger = yield* Ledger
      const accountId = newAccount()
      const decisions = Array.from({ length: 100 }, () => decisionOf(accountId))
      yield* ledger.record([decisionOf(accountId), ...decisions])
      const all = Object.entries((yield* works)(accountId, decisions))
      // On one connection, which keeps its plans; nothing is analysed meanwhile.
      yield* withAccountLog(accountId, 0)(() =>
        Effect.gen(function*() {
          // A statement has a plan of its own five times before it gets one that is kept.
          for (let time = 0; time < 7; time++) yield* Effect.forEach(all, ([, work]) => work, { discard: true })
          yield* fill(accountId)
          for (const [name, work] of all) assert.deepStrictEqual(yield* tooMany(work), [], name)
        }))
    }), 60_000)
})
