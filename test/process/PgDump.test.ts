import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { join } from "node:path"
import { RecommendResponse } from "../../src/domain/Recommendation.ts"
import { feedbackOn } from "../cluster/drill.ts"
import { freshDatabase, onServer, ordinaryOwner, postgresServer, temporaryDirectory } from "../support/Databases.ts"
import { findBinaries, scopedCluster } from "../support/PostgresCluster.ts"
import { sendRequest, requestJson, runToEnd, sextant, startService, stopService } from "../support/Service.ts"

/** One of PostgreSQL's programs, which must be as new as the server. */
const tool = (name: string, ...args: ReadonlyArray<string>) =>
  runToEnd(join(findBinaries() ?? "", name), args, {})

const succeeds = (name: string, ...args: ReadonlyArray<string>) =>
  Effect.map(tool(name, ...args), ({ code, stderr }) => assert.strictEqual(code, 0, stderr))

/** The commands of docs/running/operating.md. */
describe.skipIf(postgresServer === null)("an external PostgreSQL", () => {
  it.live("is dumped completely or not at all, and the dump serves on another server", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryDirectory
      const dump = join(folder, "sextant.dump")
      const { owner, url } = yield* ordinaryOwner(yield* freshDatabase(postgresServer ?? ""))
      const as = Redacted.value(url)
      const service = yield* startService({ DATABASE_URL: as })
      const { recommendationId, recommendedModel } = yield* requestJson(RecommendResponse, service, "/v1/recommend", {
        task: { task: "Fix the failing unit test", task_type: "code" }
      })
      const report = feedbackOn(recommendationId, recommendedModel.modelId)
      const { text } = yield* sendRequest(service, "/v1/feedback", report)

      // The owner's own rows are hidden from it, and pg_dump fails rather than leave them out.
      const blind = yield* tool("pg_dump", "--format=custom", `--file=${dump}`, as)
      assert.strictEqual(blind.code, 1)
      assert.match(blind.stderr, /would be affected by row-level security policy/)
      yield* onServer(postgresServer ?? "", `alter role ${owner} bypassrls`)
      yield* succeeds("pg_dump", "--format=custom", `--file=${dump}`, as)
      yield* stopService(service)

      const target = yield* scopedCluster()
      // A dump has no roles, and policies name the owner's.
      yield* succeeds("psql", target.url, "-v", "ON_ERROR_STOP=1", "-c", `create role ${owner} login createrole`,
        "-c", "create role sextant_app nologin", "-c", "create role sextant_service nologin",
        "-c", `grant sextant_app, sextant_service to ${owner}`)
      yield* succeeds("pg_restore", "--exit-on-error", `--dbname=${target.url}`, dump)
      const there = new URL(target.url)
      there.username = owner
      assert.match((yield* sextant(["migrate"], { DATABASE_URL: there.href })).stdout, /up to date/)
      const doctor = yield* sextant(["doctor"], { DATABASE_URL: there.href })
      assert.match(doctor.stdout, /^ok {3}row-level security/m)
      assert.match(doctor.stdout, /^ok {3}keys +2 live/m)
      const restored = yield* startService({ DATABASE_URL: there.href, SEXTANT_BOOTSTRAP_KEYS: "" })
      const again = yield* sendRequest({ ...restored, key: service.key }, "/v1/feedback", report)
      assert.strictEqual(JSON.stringify(JSON.parse(again.text)), JSON.stringify(JSON.parse(text)))
      yield* stopService(restored)
    }), 240_000)
})
