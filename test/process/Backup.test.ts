import { rowForms } from "../../src/cli/Layers.ts"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Exit, Redacted, Schedule, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { FeedbackResponse } from "../../src/domain/feedback/Feedback.ts"
import { RecommendResponse } from "../../src/domain/Recommendation.ts"
import { SavingsResponse } from "../../src/domain/reports/Report.ts"
import { AccountId } from "../../src/domain/Scope.ts"
import { layerEmbedded } from "../../src/postgres/embedded/EmbeddedDatabase.ts"
import { accountsIn, storeWith } from "../../src/privacy/AccountTables.ts"
import { exportToFile } from "../../src/privacy/ExportFile.ts"
import { importAccount, restoreAccounts } from "../../src/privacy/ImportAccount.ts"
import { withAccountLog } from "../../src/sql/AccountScope.ts"
import { layerPostgres } from "../../src/sql/Database.ts"
import { acknowledgedMore, feedbackOn, nothingHeard, underLoad } from "../cluster/drill.ts"
import {
  copiedDirectory, dataDirectory, freshDatabase, onServer, ordinaryOwner, postgresServer, temporaryDirectory
} from "../support/Databases.ts"
import { program } from "../support/program.ts"
import {
  acmeKey, sendRequest, requestJson, spawnCommand, sextant, startService, stopService, umbrellaKey
} from "../support/Service.ts"

const quiet = () => {}

type Environment = Readonly<Record<string, string>>

/** Runs a command that must fail; yields its one line of standard error, without the line that names the storage. */
const refused = (args: ReadonlyArray<string>, environment: Environment) =>
  Effect.map(sextant(args, environment), ({ code, stderr, stdout }) => {
    assert.strictEqual(code, 1, `${args.join(" ")}: ${stdout}${stderr}`)
    const line = stderr.replace(/^Storage: .*\n/, "").trim()
    assert.notInclude(line, "\n")
    return line
  })

const done = (args: ReadonlyArray<string>, environment: Environment) =>
  Effect.map(sextant(args, environment), ({ code, stderr, stdout }) => {
    assert.strictEqual(code, 0, `${args.join(" ")}: ${stderr}`)
    return { stdout, stderr: stderr.replace(/^Storage: .*\n/, "") }
  })

/** Runs work on the database of a directory, whose PostgreSQL commands and services meanwhile share. */
const within = <A, E>(directory: string, work: Effect.Effect<A, E, SqlClient.SqlClient | Scope.Scope>) =>
  Effect.scoped(Effect.provide(work, layerEmbedded(directory, "ignore")))

const counted = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly id: string; readonly isTold: boolean }>`
    select recommendation_id as id, feedback_at is not null as "isTold"
    from decision join decision_figures using (account_id, created_at, recommendation_id)`
  const [sums] = yield* sql<{ readonly observations: number; readonly records: number }>`
    select (select count(*)::int from observation) as observations,
      (select coalesce(sum(outcomes), 0)::int from outcome_record) as records`
  const [costs] = yield* sql<{ readonly premiumUsd: number; readonly realizedUsd: number }>`
    select sum(cost_premium_usd) as "premiumUsd", sum(actual_cost_usd) as "realizedUsd" from decision_figures`
  return { known: new Map(rows.map(({ id, isTold }) => [id, isTold])), sums, costs }
})

/** Fills a directory with the rows and keys of two accounts. */
const filling = Effect.gen(function*() {
  const directory = yield* dataDirectory
  const service = yield* startService({ SEXTANT_DATA_DIR: directory })
  for (const key of [acmeKey, umbrellaKey]) {
    const caller = { baseUrl: service.baseUrl, key }
    const { recommendationId, recommendedModel } = yield* requestJson(RecommendResponse, caller, "/v1/recommend", {
      task: { task: "Fix the failing unit test", task_type: "code" }
    })
    yield* requestJson(FeedbackResponse, caller, "/v1/feedback", feedbackOn(recommendationId, recommendedModel.modelId))
  }
  yield* stopService(service)
  return directory
})

const scope = Effect.runSync(Scope.make())
let filled: string
beforeAll(async () => {
  filled = await Effect.runPromise(Scope.provide(filling, scope))
})
afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

/** A new directory with the rows and keys of two accounts. */
const twoAccounts = Effect.map(Effect.suspend(() => copiedDirectory(filled)), (directory) =>
  ({ directory, environment: { SEXTANT_DATA_DIR: directory } }))

describe("a backup made under load", () => {
  it.live("contains every earlier acknowledged decision and outcome, with working keys and equal sums", () =>
    Effect.gen(function*() {
      const [from, to, folder] = yield* Effect.all([dataDirectory, temporaryDirectory, temporaryDirectory])
      const file = join(folder, "sextant.jsonl")
      const service = yield* startService({ SEXTANT_DATA_DIR: from })
      const key = (yield* done(["keys", "create", "--instance", "acme"], { SEXTANT_DATA_DIR: from })).stdout.trim()
      const heard = nothingHeard()
      const direct = { url: service.baseUrl, use: () => {}, counts: { again: 0, failed: 0 } }
      const before = yield* underLoad(direct, heard, 4, Effect.gen(function*() {
        yield* acknowledgedMore(heard, 20)
        const known = { acknowledged: new Map(heard.acknowledged), recommended: new Map(heard.recommended) }
        assert.match((yield* done(["backup", file], { SEXTANT_DATA_DIR: from })).stdout,
          /^Backed up to .*, and verified: \d+ accounts?, \d+ rows, \d+\.\d MB/)
        yield* acknowledgedMore(heard, 5)
        return known
      }))
      assert.strictEqual(statSync(file).mode & 0o777, 0o600)
      assert.match(yield* refused(["restore", file], { SEXTANT_DATA_DIR: from }), /^There are accounts .* empty one/)

      // The first service still runs, as on another machine.
      assert.match((yield* done(["restore", file], { SEXTANT_DATA_DIR: to })).stdout, /^Restored \d+ accounts?, \d+ rows/m)
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

      // A later report on a restored decision replaces the label from the file.
      const [[corrected = "", model = ""] = []] = [...before.recommended].filter(([id]) => before.acknowledged.has(id)).slice(-1)
      yield* requestJson(FeedbackResponse, reader, "/v1/feedback", {
        ...feedbackOn(corrected, model), outcome: "failure", quality_score: 0.1, idempotency_key: "later"
      })
      yield* stopService(other)
      const labels = yield* within(to, SqlClient.SqlClient.use((sql) =>
        sql`select outcome from observation where observation_id::text = ${corrected}
          union select outcomes -> 0 -> 'label' ->> 'outcome' from outcome where recommendation_id::text = ${corrected}`))
      assert.deepStrictEqual(labels, [{ outcome: "failure" }])
      yield* stopService(service)

      if (postgresServer === null) return
      // An external PostgreSQL takes the backup too.
      const { url } = yield* freshDatabase(postgresServer)
      yield* done(["restore", file], { DATABASE_URL: Redacted.value(url) })
      const there = yield* Effect.provide(counted, layerPostgres(url))
      assert.deepStrictEqual(there, { costs, known, sums })
    }), 300_000)
})

describe("a backup", () => {
  it.live("leaves no file that looks whole when it is ended half-way, and never replaces one", () =>
    Effect.gen(function*() {
      const { directory, environment } = yield* twoAccounts
      const folder = yield* temporaryDirectory
      const file = join(folder, "sextant.jsonl")
      assert.match(yield* refused(["backup", file], { SEXTANT_DATA_DIR: join(folder, "none") }),
        /^There is no database in .*none: check SEXTANT_DATA_DIR$/)
      assert.match(yield* refused(["backup", file], { DATABASE_URL: "postgres://nobody@127.0.0.1:9/none" }),
        /^DATABASE_URL is set: .*pg_dump.*docs\/running\/operating\.md$/)
      yield* within(directory, Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        assert.match(yield* refused(["backup", join(folder, "no", "x.jsonl")], environment), /cannot be written: ENOENT/)
        assert.deepStrictEqual(readdirSync(folder), [])

        for (const [signal, code] of [["SIGINT", 130], ["SIGKILL", null]] as const) {
          yield* Effect.gen(function*() {
            // The command waits for this table in the middle of its work.
            yield* sql`lock table step_reward in access exclusive mode`
            const stopped = yield* spawnCommand(process.execPath, [program, "backup", file], environment)
            yield* Effect.repeat(Effect.sync(() => readdirSync(folder).some((name) => name.endsWith(".unfinished"))), {
              until: Boolean, schedule: Schedule.spaced("2 millis")
            }).pipe(Effect.timeout("60 seconds"))
            yield* stopped.kill(signal)
            assert.strictEqual(yield* stopped.exitCode, code)
          }).pipe(Effect.scoped, sql.withTransaction)
          assert.isFalse(existsSync(file))
          if (signal === "SIGINT") assert.deepStrictEqual(readdirSync(folder), [])
        }
        yield* done(["backup", file], environment)
        const whole = readFileSync(file)
        assert.match(yield* refused(["backup", file], environment), /exists, and is not overwritten/)
        assert.deepStrictEqual(readFileSync(file), whole)
      }))
    }), 300_000)

  it.live("that is damaged is refused, and nothing of it is imported", () =>
    Effect.gen(function*() {
      const { directory } = yield* twoAccounts
      const [folder, to] = yield* Effect.all([temporaryDirectory, dataDirectory])
      const file = join(folder, "sextant.jsonl")
      yield* within(directory, exportToFile(file, null, quiet, quiet, rowForms))
      const lines = readFileSync(file, "utf8").trimEnd().split("\n")
      const first = lines.findIndex((line) => line.startsWith('{"kind":"end"'))
      const damages: ReadonlyArray<readonly [lines: ReadonlyArray<string>, says: RegExp]> = [
        [lines.slice(0, -1), /the file ends before the export does/],
        [lines.slice(0, first + 1), /the file ends before the export does/],
        [[lines[0] ?? "", ...lines.slice(first + 1)], /Line 2: the account acme is missing/],
        [[...lines, ...lines.slice(1, first + 1)], /something follows the end/],
        [lines.map((line) => line.replace('"teaches": true', '"teaches": false')), /the file was changed/],
        [[], /the file is empty/]
      ]
      yield* within(to, Effect.gen(function*() {
        for (const [damaged, says] of damages) {
          const path = join(folder, "damaged.jsonl")
          writeFileSync(path, damaged.map((line) => `${line}\n`).join(""))
          assert.match((yield* Effect.flip(restoreAccounts(path, quiet, rowForms))).message, says)
        }
        const backup = yield* Effect.flip(importAccount({ path: file, accountId: null, isForced: false }, quiet, rowForms))
        assert.match(backup.message, /it is a backup: run `sextant restore`/)
        assert.strictEqual((yield* counted).known.size, 0)
      }))
      assert.match(yield* refused(["restore", join(folder, "none.jsonl")], { SEXTANT_DATA_DIR: to }), /ENOENT/)
    }), 300_000)

  it.live("is restored into a later schema by the names of columns, and never into an earlier one", () =>
    Effect.gen(function*() {
      const { directory, environment } = yield* twoAccounts
      const [folder, to] = yield* Effect.all([temporaryDirectory, dataDirectory])
      const [file, newer] = [join(folder, "sextant.jsonl"), join(folder, "newer.jsonl")]
      yield* within(to, Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        yield* within(directory, Effect.gen(function*() {
          yield* done(["backup", file], environment)
          yield* SqlClient.SqlClient.use((from) => from`insert into sextant_migration (migration_id, name) values (9000, 'later')`)
          yield* done(["backup", newer], environment)
        }))
        assert.match(yield* refused(["restore", newer], { SEXTANT_DATA_DIR: to }),
          /exported by a newer version: this schema lacks later\. Nothing was imported$/)
        yield* sql`insert into sextant_migration (migration_id, name) values (9000, 'later')`
        yield* sql`alter table observation add column later int not null default 7, drop column is_cost_outlier`
        yield* sql`alter table outcome_record rename to outcome_sum`
        const { stderr } = yield* done(["restore", file], { SEXTANT_DATA_DIR: to })
        assert.match(stderr, /^Left out, since this version does not keep it: observation\.is_cost_outlier \(2\), outcome_record \(2\)$/m)
        const rows = yield* sql`
          select later, account_id as account, key_id as key from observation join api_key using (account_id) order by 2`
        assert.deepStrictEqual(rows, [{ later: 7, account: "acme", key: "k1" }, { later: 7, account: "umbrella", key: "k1" }])
      }))
    }), 300_000)
})

describe.skipIf(postgresServer === null)("a PostgreSQL with an ordinary owner", () => {
  it.live("is not taken for an empty one, whichever table has the rows", () =>
    Effect.gen(function*() {
      const { directory } = yield* twoAccounts
      const file = join(yield* temporaryDirectory, "sextant.jsonl")
      yield* within(directory, exportToFile(file, null, quiet, quiet, rowForms))
      const database = yield* freshDatabase(postgresServer ?? "")
      const { url } = yield* ordinaryOwner(database)
      yield* Effect.gen(function*() {
        // A report of no known recommendation has taken the lock of an account's log.
        yield* withAccountLog(AccountId.make("acme"), 0)(() => Effect.void)
        yield* restoreAccounts(file, quiet, rowForms)
        // No policy hides the keys from the owner.
        yield* SqlClient.SqlClient.use((sql) => sql`delete from api_key`)
        const { message } = yield* Effect.flip(restoreAccounts(file, quiet, rowForms))
        assert.match(message, /^There are accounts in this database already \(acme\)/)
        const sql = yield* SqlClient.SqlClient
        const { tables } = yield* storeWith(rowForms)
        for (const table of tables) {
          const seen = yield* sql.withTransaction(accountsIn({ schema: [], tables: [table] }))
          const there = yield* onServer<{ readonly account: AccountId }>(Redacted.value(database.url),
            `select distinct account_id as account from ${table.name} order by 1`)
          assert.deepStrictEqual(seen, there.map(({ account }) => account), table.name)
        }
      }).pipe(Effect.provide(layerPostgres(url)))
    }), 300_000)
})

describe("an account's export", () => {
  it.live("takes its keys to another installation, and leaves a key that is there as it is", () =>
    Effect.gen(function*() {
      const { directory } = yield* twoAccounts
      const [folder, to] = yield* Effect.all([temporaryDirectory, dataDirectory])
      const file = join(folder, "acme.jsonl")
      const revoke = SqlClient.SqlClient.use((sql) => sql`update api_key set revoked_at = now() where key_id = 'k2'`)
      yield* within(directory, Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        yield* sql`insert into api_key (account_id, key_id, salt, key_hash, created_at)
          select account_id, 'k2', salt, key_hash, created_at from api_key where account_id = 'acme'`
        yield* exportToFile(file, AccountId.make("acme"), quiet, quiet, rowForms)
      }))
      yield* within(to, Effect.gen(function*() {
        const own = yield* importAccount({ path: file, accountId: null, isForced: false }, quiet, rowForms)
        assert.strictEqual(own.counts["api_key"], 2)
        const renamed = yield* importAccount({ path: file, accountId: AccountId.make("other"), isForced: false }, quiet, rowForms)
        assert.deepStrictEqual(renamed.leftOut, { api_key: 2 }, "they name their account")
        yield* revoke
        const again = yield* done(["account", "import", file, "--force"], { SEXTANT_DATA_DIR: to })
        assert.match(again.stderr, /^Keys of these ids exist here already, and stay as they are: k1, k2$/m)
        const revoked = yield* SqlClient.SqlClient.use((sql) =>
          sql`select account_id as account, key_id as key from api_key where revoked_at is not null`)
        assert.deepStrictEqual(revoked, [{ account: "acme", key: "k2" }])
        const service = yield* startService({ SEXTANT_DATA_DIR: to, SEXTANT_BOOTSTRAP_KEYS: "" })
        yield* requestJson(SavingsResponse, { baseUrl: service.baseUrl, key: acmeKey }, "/v1/savings")
        yield* stopService(service)
      }))
    }), 300_000)

  it.live("of the version before is imported with all of its rows", () =>
    Effect.gen(function*() {
      const to = yield* dataDirectory
      const file = new URL("export-558321fd.jsonl", import.meta.url).pathname
      const { stderr, stdout } = yield* done(["account", "import", file], { SEXTANT_DATA_DIR: to })
      for (const line of ["decision\t11 rows", "outcome\t7 rows", "report\t7 rows", "observation\t8 rows", "outcome_record\t3 rows",
        "account_setting\t1 rows", "import\t1 rows"]) assert.include(stdout, line)
      assert.match(stderr, /^Left out, since this version does not keep it: account_models\.prepaid \(1\), decision\.prepaid_tokens \(11\)$/m)
    }), 300_000)
})
