import { assert, describe, it } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { FeedbackResponse } from "../../src/domain/Feedback.ts"
import { RecommendResponse } from "../../src/domain/Recommendation.ts"
import { SavingsResponse } from "../../src/domain/reports/Report.ts"
import { verifyBackup } from "../../src/postgres/backup/ReadBackup.ts"
import { layerEmbedded } from "../../src/postgres/embedded/EmbeddedDatabase.ts"
import { clusterIn, restoringIn } from "../../src/postgres/embedded/Cluster.ts"
import { beforeBaseline } from "../../src/sql/Migrations.ts"
import { acknowledgedMore, feedbackOn, nothingHeard, underLoad } from "../cluster/drill.ts"
import { dataDirectory, temporaryDirectory } from "../support/Databases.ts"
import { sendRequest, requestJson, type Finished, spawnCommand, sextant, startService, stopService } from "../support/Service.ts"

const onlyLine = ({ stderr }: Finished) => stderr.replace(/^Storage: .*\n/, "").trim()

/** What a command that must fail says, in its one line beside the one that names the storage. */
const refused = (args: ReadonlyArray<string>, environment: Readonly<Record<string, string>>) =>
  Effect.map(sextant(args, environment), (finished) => {
    assert.strictEqual(finished.code, 1, `${args.join(" ")}: ${finished.stdout}${finished.stderr}`)
    const line = onlyLine(finished)
    assert.notInclude(line, "\n")
    return line
  })

const done = (args: ReadonlyArray<string>, environment: Readonly<Record<string, string>>) =>
  Effect.map(sextant(args, environment), ({ code, stderr, stdout }) => {
    assert.strictEqual(code, 0, `${args.join(" ")}: ${stderr}`)
    return stdout
  })

/** A statement on a directory's database, opened as it is. */
const within = <A, E>(directory: string, work: Effect.Effect<A, E, SqlClient.SqlClient>) =>
  Effect.scoped(Effect.provide(work, layerEmbedded(directory, "ignore")))

const counted = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly id: string; readonly isTold: boolean }>`
    select recommendation_id as id, feedback_at is not null as "isTold" from decision`
  const [sums] = yield* sql<{ readonly observations: number; readonly records: number }>`
    select (select count(*)::int from observation) as observations,
      (select coalesce(sum(outcomes), 0)::int from outcome_record) as records`
  const [costs] = yield* sql<{ readonly premiumUsd: number; readonly realizedUsd: number }>`
    select sum(cost_premium_usd) as "premiumUsd", sum(actual_cost_usd) as "realizedUsd" from decision`
  return { known: new Map(rows.map(({ id, isTold }) => [id, isTold])), sums, costs }
})

describe("a backup made under load", () => {
  it.live("contains every decision and outcome acknowledged before it began, with working keys and equal sums", () =>
    Effect.gen(function*() {
      const [from, to, folder] = yield* Effect.all([dataDirectory, temporaryDirectory, temporaryDirectory])
      const file = join(folder, "sextant.tar")
      const service = yield* startService({ SEXTANT_DATA_DIR: from })
      const key = (yield* done(["keys", "create", "--instance", "acme"], { SEXTANT_DATA_DIR: from })).trim()
      const heard = nothingHeard()
      const direct = { url: service.baseUrl, use: () => {}, counts: { again: 0, failed: 0 } }
      const before = yield* underLoad(direct, heard, 4, Effect.gen(function*() {
        yield* acknowledgedMore(heard, 20)
        const known = { acknowledged: new Map(heard.acknowledged), recommended: new Map(heard.recommended) }
        assert.match(yield* done(["backup", file], { SEXTANT_DATA_DIR: from }), /^Backed up to .* and verified: \d+ files/)
        yield* acknowledgedMore(heard, 5)
        return known
      }))
      assert.strictEqual(statSync(file).mode & 0o777, 0o600)
      assert.match(yield* refused(["backup", file], { SEXTANT_DATA_DIR: from }), /exists, and is not overwritten/)
      assert.match(yield* refused(["restore", file, "--force"], { SEXTANT_DATA_DIR: from }), /stop it first$/)
      assert.match(yield* done(["restore", file, "--dry-run"], { SEXTANT_DATA_DIR: from }), /is a complete backup: \d+ files/)

      // While the first still serves, as on another machine.
      const restored = yield* done(["restore", file], { SEXTANT_DATA_DIR: to })
      assert.match(restored, /^Restored into .*: \d+ decisions, \d+ of them with an outcome/)
      const { costs, known, sums } = yield* within(to, counted)
      for (const id of before.recommended.keys()) assert.isTrue(known.has(id), id)
      for (const id of before.acknowledged.keys()) assert.isTrue(known.get(id), id)
      const told = [...known.values()].filter((isTold) => isTold).length
      assert.deepStrictEqual(sums, { observations: told, records: told })

      const other = yield* startService({ SEXTANT_DATA_DIR: to, SEXTANT_BOOTSTRAP_KEYS: "" })
      const reader = { baseUrl: other.baseUrl, key }
      const { summary: { estimated, realized } } = yield* requestJson(SavingsResponse, reader, "/v1/savings")
      assert.deepStrictEqual([estimated.n, realized.nReconciled], [known.size, told])
      assert.closeTo(estimated.costPremiumUsd, costs?.premiumUsd ?? NaN, 1e-9)
      assert.closeTo(realized.realizedCostUsd, costs?.realizedUsd ?? NaN, 1e-9)
      for (const [id, text] of [...before.acknowledged].slice(0, 5)) {
        const again = yield* sendRequest(reader, "/v1/feedback", feedbackOn(id, before.recommended.get(id) ?? ""))
        assert.strictEqual(JSON.stringify(JSON.parse(again.text)), text)
      }
      const { recommendationId, recommendedModel } = yield* requestJson(RecommendResponse, reader, "/v1/recommend", {
        task: { task: "Fix the failing unit test", task_type: "code" }
      })
      const report = feedbackOn(recommendationId, recommendedModel.modelId)
      assert.isTrue((yield* requestJson(FeedbackResponse, reader, "/v1/feedback", report)).accepted)
      yield* stopService(other)
      yield* stopService(service)
    }), 300_000)
})

describe("a backup from before the baseline of the schema", () => {
  it.live("is refused with what to do, and changes nothing", () =>
    Effect.gen(function*() {
      const [from, folder] = yield* Effect.all([dataDirectory, temporaryDirectory])
      const [file, to] = [join(folder, "older.tar"), join(folder, "to")]
      yield* within(from, Effect.flatMap(SqlClient.SqlClient, (sql) =>
        sql`update sextant_migration set name = ${beforeBaseline[0] ?? ""}`))
      yield* done(["backup", file], { SEXTANT_DATA_DIR: from })
      assert.match(yield* refused(["restore", file], { SEXTANT_DATA_DIR: to }), /made by an earlier Sextant.*account export/)
      assert.isFalse(existsSync(clusterIn(to)))
    }), 240_000)
})

describe("a refusal of a backup or a restore", () => {
  it.live("is one line, and leaves the data unchanged", () =>
    Effect.gen(function*() {
      const [from, folder] = yield* Effect.all([dataDirectory, temporaryDirectory])
      const file = join(folder, "sextant.tar")
      const here = { SEXTANT_DATA_DIR: from }
      const empty = { SEXTANT_DATA_DIR: join(folder, "none") }
      assert.match(yield* refused(["backup", file], empty), /^There is no database in .*none: check SEXTANT_DATA_DIR$/)
      assert.isFalse(existsSync(join(folder, "none")))
      assert.match(yield* refused(["backup", file], { DATABASE_URL: "postgres://nobody@127.0.0.1:9/none" }),
        /^DATABASE_URL is set: .*pg_dump.*docs\/backup\.md$/)
      assert.match(yield* refused(["backup", join(clusterIn(from), "x.tar")], here), /write the backup to another folder$/)
      assert.match(yield* refused(["backup", join(folder, "no", "x.tar")], here), /was not made: ENOENT/)

      const stopped = yield* spawnCommand(process.execPath, ["src/cli/main.ts", "backup", file], here)
      yield* Effect.repeat(Effect.sync(() => readdirSync(folder).some((name) => name.endsWith(".unfinished"))), {
        until: Boolean, schedule: Schedule.spaced("2 millis")
      }).pipe(Effect.timeout("60 seconds"))
      yield* stopped.kill("SIGINT")
      assert.strictEqual(yield* stopped.exitCode, 130)
      assert.deepStrictEqual(readdirSync(folder), [])

      yield* done(["backup", file], here)
      assert.match(yield* refused(["restore", file], here), /^There is a database in .*: nothing was changed\. With --force/)
      yield* done(["restore", file, "--force"], here)
      const aside = readdirSync(from).filter((name) => name.includes(".before-restore-")).sort()
      assert.lengthOf(aside, 1)
      assert.isTrue(existsSync(join(from, aside[0] ?? "", "PG_VERSION")))

      const newer = Effect.flatMap(SqlClient.SqlClient, (sql) =>
        sql`insert into sextant_migration (migration_id, name) values (9000, 'from_the_future')`)
      yield* within(from, newer)
      const future = join(folder, "future.tar")
      yield* done(["backup", future], here)
      assert.match(yield* refused(["restore", future], { SEXTANT_DATA_DIR: join(folder, "to") }),
        /schema 9000 \(from_the_future\), and this build knows schemas up to \d+; restore it with a newer Sextant$/)

      const whole = readFileSync(file)
      writeFileSync(join(folder, "cut.tar"), whole.subarray(0, whole.length - 100_000))
      for (const path of ["cut.tar", "none.tar"]) {
        assert.match(yield* refused(["restore", join(folder, path)], { SEXTANT_DATA_DIR: join(folder, "to") }),
          /cannot be used: (it ends before|ENOENT)/)
      }
      assert.deepStrictEqual(readdirSync(join(folder, "to")).filter((name) => !name.startsWith("lock")), [])
      // As a restore that a power cut ended between its last two steps leaves it.
      mkdirSync(restoringIn(join(folder, "to")))
      assert.match(yield* refused(["migrate"], { SEXTANT_DATA_DIR: join(folder, "to") }), /restore .* was interrupted/)
      yield* done(["restore", file], { SEXTANT_DATA_DIR: join(folder, "to") })
      assert.isAbove((yield* verifyBackup(file, () => {})).files, 900)
    }), 300_000)
})
