import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { portOf } from "../../fuzz/service.ts"
import { onEachEngine } from "../../support/Databases.ts"
import { keyOf, recommend, serveAccounts } from "../service.ts"

/** What a request of acme is answered. */
const answerTo = (path: string, body: object, method = "POST") =>
  Effect.gen(function*() {
    const url = `http://127.0.0.1:${yield* portOf}${path}`
    return yield* Effect.promise(() => fetch(url, {
      method, headers: { authorization: `Bearer ${keyOf("acme")}`, "content-type": "application/json" },
      body: JSON.stringify(body)
    }))
  })

const beMoved = (phase: string, frozenUntil: string | null = null) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql`
    insert into account_move (account_id, peer, phase, frozen_until) values ('acme', 'cell_b', ${phase},
      ${frozenUntil}::timestamptz)
    on conflict (account_id) do update set phase = excluded.phase, frozen_until = excluded.frozen_until`)

const reportOn = (recommendationId: unknown) =>
  answerTo("/v1/feedback", { recommendation_id: recommendationId, outcome: "success", evidence_source: "gate" })

const later = "infinity"

onEachEngine((name, engine) => {
  describe(`A frozen account, ${name}`, () => {
    const served = Effect.provide(serveAccounts(engine))

    it.live("is recommended to, and its feedback, votes and settings are refused until it has moved", () =>
      Effect.gen(function*() {
        const before = yield* recommend("acme", "sum a list", { vote: true })
        for (const [phase, until] of [["frozen", later], ["left", null], ["arriving", null]] as const) {
          yield* beMoved(phase, until)
          const refused = [
            yield* reportOn(before["recommendation_id"]),
            // It may still come from the other cell.
            yield* reportOn("01980000-0000-7000-8000-000000000000"),
            yield* answerTo(`/v1/votes/${before["vote_token"]}`, { thumb: "up" }),
            yield* answerTo("/v1/account/models", {}, "PUT")
          ]
          for (const answer of refused) {
            assert.strictEqual(answer.status, 503, `${phase} ${answer.url}`)
            assert.strictEqual(answer.headers.get("content-type"), "application/problem+json")
            assert.match(answer.headers.get("retry-after") ?? "", /^\d+$/)
            assert.include(((yield* Effect.promise(() => answer.json())) as { detail: string }).detail, "moved to another")
          }
          const during = yield* recommend("acme", "sum another list")
          assert.deepStrictEqual(during["warnings"].filter((warning: string) => warning === "memory_unavailable"), [])
        }
        yield* beMoved("arrived")
        assert.strictEqual((yield* reportOn(before["recommendation_id"])).status, 200)
      }).pipe(served))

    it.live("takes feedback and settings while decisions may still come, but none on a decision that is not there", () =>
      Effect.gen(function*() {
        const { recommendation_id, vote_token } = yield* recommend("acme", "sum a list", { vote: true })
        yield* beMoved("draining")
        assert.strictEqual((yield* reportOn(recommendation_id)).status, 200)
        assert.strictEqual((yield* answerTo("/v1/account/models", {}, "PUT")).status, 200)
        const others = yield* Effect.replicateEffect(recommend("acme", "sum a list"), 3)
        // Those that are read together with it are taken all the same.
        const [unknown, ...known] = yield* Effect.all([
          reportOn("01980000-0000-7000-8000-000000000000"),
          ...others.map((other) => reportOn(other["recommendation_id"]))
        ], { concurrency: "unbounded" })
        assert.strictEqual(unknown?.status, 503)
        assert.deepStrictEqual(known.map(({ status }) => status), [200, 200, 200])
        assert.strictEqual((yield* answerTo(`/v1/votes/${vote_token}`, { thumb: "up" })).status, 503)
      }).pipe(served))

    it.live("is served again by itself where its cell was not left in time", () =>
      Effect.gen(function*() {
        const { recommendation_id } = yield* recommend("acme", "sum a list")
        yield* beMoved("frozen", later)
        assert.strictEqual((yield* reportOn(recommendation_id)).status, 503)
        yield* beMoved("frozen", "2020-01-01")
        assert.strictEqual((yield* reportOn(recommendation_id)).status, 200)
      }).pipe(served))
  })
})
