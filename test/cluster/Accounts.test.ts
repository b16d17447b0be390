import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted, Schedule } from "effect"
import { FeedbackResponse } from "../../src/domain/feedback/Feedback.ts"
import { RecommendResponse } from "../../src/domain/Recommendation.ts"
import { probes } from "../isolation/matrix.ts"
import { findBinaries, scopedCluster } from "../support/PostgresCluster.ts"
import { sendRequest, requestJson, sextant, startService, stopService } from "../support/Service.ts"

const binaries = findBinaries()

const cluster = scopedCluster({
  // The statements inside of functions as well.
  settings: ["shared_preload_libraries=pg_stat_statements", "pg_stat_statements.track=all"]
})

interface Ran {
  readonly role: string
  readonly query: string
}

/** The few looks across accounts: a key before its account is known, and work that is due or past its time. */
const acrossAccounts: ReadonlyArray<RegExp> = [
  /\b(from|into|update) api_key\b/,
  /^select account_id as "accountId", lane from reflection/,
  // What is past its time, counted by account and with the months it lies in.
  /^select account_id as "accountId", count\(\*\)::float8 as rows from "\w+"\s+where .+ group by account_id order by account_id$/s,
  // The accounts that keep no words of tasks, before what was kept is removed from each as that account.
  /^select account_id as id from account_setting where task_text = /,
  // Partitions: their names, and whether the default one is crowded.
  /^select to_regclass/
]

/**
 * What is wrong with a statement that ran as the application role: each must ask for the account by itself, and
 * one over two tables must hold them together by the account. A text is no proof; row-level security is.
 */
const problemOf = (query: string, tables: ReadonlyArray<string>): string | null => {
  const named = new RegExp(`\\b(?:from|join|into|update|using)\\s+"?(${tables.join("|")})"?(?![\\w.])`, "g")
  const used = [...query.matchAll(named)].map(([, table]) => table ?? "")
  if (used.length === 0) return null
  const bound = [...query.matchAll(/account_id\s*=\s*(?:\$\d+|account\b|"?\w+"?\.account_id)|\(\s*"?account_id"?\s*,/g)].length
  if (bound === 0) return "does not name the account"
  return new Set(used).size > bound ? `names ${new Set(used).size} tables and the account ${bound} times` : null
}

describe.skipIf(binaries === null)("a statement to the database", () => {
  it("is rejected by the check when it does not filter by account", () => {
    const tables = ["lane", "lesson"]
    assert.isNotNull(problemOf("select * from lane where lane = $1", tables))
    assert.isNotNull(problemOf("select * from lane join lesson on lesson.lane = lane.lane where lane.account_id = $1", tables))
    assert.isNull(problemOf("select * from lane l join lesson using (account_id, lane) where l.account_id = $1", tables))
    assert.isNull(problemOf("insert into lane (account_id, lane) values ($1, $2)", tables))
  })

  it.live("concerns one account, except for keys and for due work", () =>
    Effect.gen(function*() {
      const { url } = yield* cluster
      const database = PgClient.layer({ url: Redacted.make(url), maxConnections: 1 })
      const query = <A extends object>(statement: string) =>
        Effect.provide(Effect.flatMap(PgClient.PgClient, (sql) => sql.unsafe<A>(statement)), database)
      yield* query("create extension pg_stat_statements")
      const environment = { DATABASE_URL: url }
      const service = yield* startService(environment)
      for (let i = 0; i < 26; i++) {
        const asked = yield* requestJson(RecommendResponse, service, "/v1/recommend", {
          task: { task: `Fix failing unit test ${i}`, task_type: "code", tags: ["ci"] }, user_id: "ann"
        })
        yield* requestJson(FeedbackResponse, service, "/v1/feedback", {
          recommendation_id: asked.recommendationId, chosen_model_id: asked.recommendedModel.modelId,
          outcome: i % 5 === 0 ? "failure" : "success", evidence_source: "gate", notes: "TypeError: x is not a function",
          step_outcomes: [{ step_id: "one", outcome: "success" }]
        })
      }
      for (const { body, path, query: of } of probes) {
        yield* sendRequest(service, of === undefined ? path : `${path}?${new URLSearchParams(of).toString()}`, body)
      }
      yield* Effect.repeat(query<{ readonly due: number }>("select count(*)::int as due from reflection where reflected_at is null"), {
        until: ([row]) => row?.due === 0, schedule: Schedule.spaced("200 millis"), times: 100
      })
      assert.strictEqual((yield* sextant(["memory", "undo", "--instance", "acme", "--user-id", "ann"], environment)).code, 0)
      assert.strictEqual((yield* sextant(["retention"], environment)).code, 0)
      assert.strictEqual(yield* stopService(service), 0)

      const tables = (yield* query<{ readonly name: string }>(`select c.relname as name from pg_class c
        join pg_attribute a on a.attrelid = c.oid and a.attname = 'account_id'
        where c.relkind in ('r', 'p') and not c.relispartition`)).map(({ name }) => name)
      assert.isAtLeast(tables.length, 15)
      const ran = yield* query<Ran>(`select r.rolname as role, s.query from pg_stat_statements s
        join pg_roles r on r.oid = s.userid
        where s.query ~* '^\\s*(select|insert|update|delete|with)' and s.query not like '%pg_stat_statements%'`)
      const asAccount = ran.filter(({ role }) => role === "sextant_app")
      assert.isAtLeast(asAccount.length, 40)
      assert.deepStrictEqual(asAccount.flatMap((each) => {
        const problem = problemOf(each.query.toLowerCase(), tables)
        return problem === null ? [] : [`${problem}: ${each.query}`]
      }), [])
      const named = new RegExp(`\\b(from|join|into|update)\\s+"?(${tables.join("|")})"?(?![\\w.])`, "i")
      const others = ran.filter(({ query: text, role }) => role !== "sextant_app" && named.test(text)
        && !/ from decision$/.test(text) && !acrossAccounts.some((allowed) => allowed.test(text.trim()))
        // Migrations, which fill in what they add.
        && !/insert into decision_figures|update lesson set base_confidence|reflected_at is null$/.test(text))
      assert.deepStrictEqual(others, [])
    }), 240_000)
})
