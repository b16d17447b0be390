import { rowForms } from "../../src/cli/Layers.ts"
import { assert, describe, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { createHash, randomUUID } from "node:crypto"
import { readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { encodeWrites } from "../../src/api/memory/LoggedWrites.ts"
import type { MemoryWrite } from "../../src/domain/MemoryWrite.ts"
import { noRestarts } from "../../src/domain/model/ModelIdentity.ts"
import { AccountId, laneOf } from "../../src/domain/Scope.ts"
import { defaults } from "../../src/engine/Settings.ts"
import { GuaranteeEvidences } from "../../src/ledger/GuaranteeEvidence.ts"
import { Ledger } from "../../src/ledger/Ledger.ts"
import * as LedgerSql from "../../src/ledger/sql/LedgerSql.ts"
import * as GuaranteeEvidenceSql from "../../src/ledger/sql/guarantee/GuaranteeEvidenceSql.ts"
import { memorySettings } from "../../src/memory/MemorySettings.ts"
import { reflectOnLane } from "../../src/memory/sql/ReflectionQueue.ts"
import { eraseAccount } from "../../src/privacy/EraseAccount.ts"
import { eraseActor } from "../../src/privacy/EraseActor.ts"
import { exportToFile } from "../../src/privacy/ExportFile.ts"
import { importAccount } from "../../src/privacy/ImportAccount.ts"
import { withAccount, withAccountLog } from "../../src/sql/AccountScope.ts"
import { decisionOf } from "../ledger/LedgerContract.ts"
import { freshScope, observationIn } from "../memory/fixtures.ts"
import { onOneEngine, slow } from "../support/Databases.ts"
import { temporaryFolder } from "../support/temporaryFolder.ts"
import { plant } from "./planting.ts"
import { sendRequest, dumpAll, feedback, keyOf, recommend, reflected, serveAccounts } from "./service.ts"

const quiet = () => {}
const [acme, umbrella, initech] = ["acme", "umbrella", "initech"].map((name) => AccountId.make(name)) as
  [AccountId, AccountId, AccountId]

const exportTo = (accountId: AccountId, path: string) =>
  Effect.map(exportToFile(path, accountId, quiet, quiet, rowForms), ([section]) => section?.counts ?? {})

/** Six decimals: what is weighed by age differs behind them from one call to the next. */
const rounded = (_key: string, value: unknown): unknown => typeof value === "number" ? Number(value.toFixed(6)) : value

/** What an account is told, without what differs from call to call or names the account. */
const told = (account: string, namespace: string) =>
  Effect.gen(function*() {
    const reads = yield* Effect.forEach([
      "/v1/savings?group_by=cluster", "/v1/calibration", "/v1/policy-value",
      `/v1/strategies?namespace=${namespace}&max_strategies=50`, `/v1/memory/health?namespace=${namespace}`
    ], (path) => sendRequest(account, "GET", path))
    const diagnosis = yield* sendRequest(account, "POST", "/v1/diagnose", { error_text: "TypeError: x is not a function", namespace })
    return JSON.stringify([...reads, diagnosis], rounded).replace(/"(org_id|since|average_age_hours)":("[^"]*"|[\d.]+)/g, "")
  })

/** What is recommended, last of all: it leaves a decision behind. */
const advised = (account: string, namespace: string) =>
  Effect.map(recommend(account, "sum the list of numbers", { namespace }), ({ ranked }) =>
    JSON.stringify(ranked.map((model: Record<string, any>) => [
      model["model_id"], model["predicted_success"], model["est_cost_usd"], model["evidence"].length
    ]), rounded))

/** What a process that starts now knows of the account's guarantee in a namespace. */
const guaranteed = (accountId: AccountId, namespace: string) =>
  Effect.flatMap(GuaranteeEvidences, ({ read }) =>
    read({
      accountId, lane: laneOf(namespace), baselineModelId: "gpt-5-mini", maxQualityLoss: 0.05, confidence: 0.95,
      restarts: noRestarts
    }, { ...defaults.guaranteeRule, writeWaitMs: -1_000 })).pipe(
    Effect.provide(Layer.fresh(GuaranteeEvidenceSql.layer))
  )

/** A task under a guarantee, and the evidence that it leaves. */
const guarantee = (accountId: AccountId, namespace: string) =>
  Effect.andThen(
    recommend(accountId, `a task of ${namespace}`, {
      namespace, guarantee: { baseline_model_id: "gpt-5-mini", trial_share: 0 }
    }),
    guaranteed(accountId, namespace)
  )

/**
 * Makes an export one of an older schema, which had a column and a table that this one lacks, and no log of the
 * account.
 */
const makeOlder = (path: string): void => {
  const [header, ...rows] = readFileSync(path, "utf8").trimEnd().split("\n").slice(0, -1)
    .map((line) => JSON.parse(line)).filter(({ kind }) => kind !== "account_log")
  const { account_log: _log, ...counts } = header.counts
  const body = [
    { ...header, schema: ["log"], counts: { ...counts, thumb: 1 } },
    ...rows.map((line) => line.kind === "decision" ? { ...line, row: { ...line.row, mood: "calm" } } : line),
    { kind: "thumb", version: 1, row: { thumb_id: 1 } }
  ].map((line) => `${JSON.stringify(line)}\n`).join("")
  const sha256 = createHash("sha256").update(body).digest("hex")
  writeFileSync(path, `${body}${JSON.stringify({ kind: "end", sha256 })}\n`)
}

describe("an account", () =>
  onOneEngine((name, engine) => {
    layer(serveAccounts(engine, "excerpt", [acme, umbrella, initech]), slow)(`that is exported, ${name}`, (it) => {
      it.effect("is the same in another account or database after its import", () =>
        Effect.scoped(Effect.gen(function*() {
          const path = join(temporaryFolder(), "acme.jsonl")
          yield* plant("acme", "canary", "alice")
          yield* plant("umbrella", "other", "bob")
          // The savings of both accounts leave it out.
          yield* recommend("acme", "canarytask in shadow", { shadow: true })
          const listed = yield* recommend("acme", "canarytask at list prices", { baseline_model_id: "gpt-5-mini" })
          yield* feedback("acme", listed, { input_tokens: 1_000, output_tokens: 500 })
          assert.strictEqual((yield* sendRequest("acme", "GET", "/v1/savings"))["summary"].followed.list_prices.n, 1)
          const evidence = yield* guarantee(acme, "canaryspace")
          assert.strictEqual(evidence.kinds["code"]?.tasks, 1)
          yield* reflected
          const counts = yield* exportTo(acme, path)
          assert.strictEqual(statSync(path).mode & 0o777, 0o600)
          const text = readFileSync(path, "utf8")
          assert.notInclude(text, "othertask")
          assert.notInclude(text, keyOf("acme"))
          for (const kind of ["decision", "outcome", "report", "account_log", "observation", "observation_vector", "outcome_record", "lesson",
            "step_reward", "reflection", "lane", "api_key", "guarantee_evidence"]) assert.isAbove(counts[kind] ?? 0, 0, kind)
          assert.lengthOf(text.split("\n").filter((line) => /"is_shadow":\s*true/.test(line)), 1)
          const [header = ""] = text.split("\n")
          assert.deepStrictEqual(JSON.parse(header).counts, counts)
          assert.strictEqual((yield* Effect.flip(exportTo(acme, path)))._tag, "FileUnwritable", "a file that is there stays")

          const request = { path, accountId: initech, isForced: false }
          // Its log has been looked at, which makes it no account with rows.
          yield* eraseActor(initech, "nobody", () => Effect.void)
          const imported = yield* importAccount(request, quiet, rowForms)
          assert.deepStrictEqual(imported.counts["decision"], counts["decision"])
          assert.deepStrictEqual(imported.counts["outcome"], counts["outcome"])
          assert.deepStrictEqual(imported.leftOut, { api_key: 1 }, "a key names its account")
          assert.deepStrictEqual(yield* guaranteed(initech, "canaryspace"), evidence)
          assert.strictEqual(yield* told("initech", "canaryspace"), yield* told("acme", "canaryspace"))
          assert.deepStrictEqual(yield* advised("initech", "canaryspace"), yield* advised("acme", "canaryspace"))

          const refused = yield* Effect.flip(importAccount(request, quiet, rowForms))
          assert.strictEqual(refused._tag, "AccountInUse")
          const again = yield* importAccount({ ...request, isForced: true }, quiet, rowForms)
          assert.deepStrictEqual(Object.values(again.counts).filter((count) => count > 0), [], "a second time adds nothing")
          const { keptKeys } = yield* importAccount({ path, accountId: null, isForced: true }, quiet, rowForms)
          assert.deepStrictEqual(keptKeys, ["k1"], "a key that is here stays")

          // Through the file and back: nothing of a row is lost on the way.
          const back = join(temporaryFolder(), "back.jsonl")
          const rowsOf = (from: string) => new Set(readFileSync(from, "utf8").split("\n")
            .filter((line) => /"kind":"(observation|decision|outcome|lesson|step_reward|observation_vector)"/.test(line)))
          yield* exportTo(initech, back)
          for (const row of rowsOf(path)) assert.isTrue(rowsOf(back).has(row), row.slice(0, 300))
        })))

      it.effect("is imported from an older schema; what this one lacks is left out and counted", () =>
        Effect.scoped(Effect.gen(function*() {
          const path = join(temporaryFolder(), "older.jsonl")
          const { decision = 0 } = yield* exportTo(umbrella, path)
          makeOlder(path)
          const accountId = AccountId.make("older")
          const { leftOut } = yield* importAccount({ path, accountId, isForced: false }, quiet, rowForms)
          assert.deepStrictEqual(leftOut, { api_key: 1, "decision.mood": decision, thumb: 1 })
          const sql = yield* SqlClient.SqlClient
          const figures = (of: AccountId) => sql`select to_jsonb(f) - 'account_id' as row
            from decision_figures f where account_id = ${of} order by recommendation_id`.pipe(withAccount(of))
          assert.deepStrictEqual(yield* figures(accountId), yield* figures(umbrella))
        })))

      it.effect("is imported under its log's lock from the first row on, also without a log in the file", () =>
        Effect.scoped(Effect.gen(function*() {
          const path = join(temporaryFolder(), "logless.jsonl")
          const { report = 0 } = yield* exportTo(umbrella, path)
          makeOlder(path)
          const accountId = AccountId.make("logless")
          const [isAtRow, mayGoOn] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
          const write = () => Effect.as(Effect.andThen(Deferred.succeed(isAtRow, undefined), Deferred.await(mayGoOn)), 0)
          const importing = yield* Effect.forkChild(
            importAccount({ path, accountId, isForced: true }, quiet, { ...rowForms, lane: { write } }))
          yield* Deferred.await(isAtRow)
          const feedback = yield* Effect.forkChild(withAccountLog(accountId, 1)(Effect.succeed))
          yield* Effect.sleep("300 millis")
          assert.isUndefined(feedback.pollUnsafe(), "feedback waits for the import")
          yield* Deferred.succeed(mayGoOn, undefined)
          yield* Fiber.join(importing)
          assert.strictEqual(yield* Fiber.join(feedback), report + 1)
        })))

      it.effect("is not imported from a damaged file, and the error names the damaged line", () =>
        Effect.scoped(Effect.gen(function*() {
          const directory = temporaryFolder()
          const path = join(directory, "whole.jsonl")
          yield* exportTo(umbrella, path)
          const lines = readFileSync(path, "utf8").trimEnd().split("\n")
          const other = AccountId.make("nobody")
          const attempt = (name: string, changed: ReadonlyArray<string>) =>
            Effect.gen(function*() {
              const damaged = join(directory, name)
              writeFileSync(damaged, `${changed.join("\n")}\n`)
              return yield* Effect.flip(importAccount({ path: damaged, accountId: other, isForced: false }, quiet, rowForms))
            })
          const at = lines.findIndex((line) => line.startsWith('{"kind":"observation",'))
          const replaced = (line: string) => lines.map((each, index) => index === at ? line : each)
          const row = JSON.parse(lines[at] ?? "")
          const decided = lines.findIndex((line) => line.startsWith('{"kind":"decision",'))
          const decisionRow = JSON.parse(lines[decided] ?? "")
          const told = lines.findIndex((line) => line.startsWith('{"kind":"outcome",'))
          const outcomeRow = JSON.parse(lines[told] ?? "")
          const cases: ReadonlyArray<readonly [string, ReadonlyArray<string>, RegExp]> = [
            ["half a line", replaced(lines[at]!.slice(0, 40)), new RegExp(`Line ${at + 1}: it is no row`)],
            ["a wrong type", replaced(JSON.stringify({ ...row, row: { ...row.row, quality: "much" } })),
              new RegExp(`Line ${at + 1}: observation: [^]*quality`)],
            ...([
              ["candidates", "none"], ["candidates", [["m", 1]]], ["untried_cheaper", { modelId: "m", trials: 1 }],
              ["task_vectors", [["lexical", "1", ""]]], ["neighbours", [1]], ["forecasts", {}], ["tags", [1]], ["warnings", {}],
              ["predicted_success", 1.5], ["threshold", -0.1], ["success_value_usd", -1], ["latency_ms", -1]
            ] as const).map(([column, value]) => [
              `damaged ${column} ${JSON.stringify(value).replaceAll(/\W/g, "_")}`,
              lines.map((line, index) => index === decided
                ? JSON.stringify({ ...decisionRow, row: { ...decisionRow.row, [column]: value } }) : line),
              new RegExp(`Line ${decided + 1}: decision: ${column}: `)
            ] as const),
            ...[{}, [{ modelId: "m" }]].map((value) => [
              `damaged outcomes ${JSON.stringify(value).replaceAll(/\W/g, "_")}`,
              lines.map((line, index) => index === told
                ? JSON.stringify({ ...outcomeRow, row: { ...outcomeRow.row, outcomes: value } }) : line),
              new RegExp(`Line ${told + 1}: outcome: outcomes: `)
            ] as const),
            ["a column too many", replaced(JSON.stringify({ ...row, row: { ...row.row, evil: 1 } })),
              new RegExp(`Line ${at + 1}: observation has no column evil`)],
            ["another table", replaced(JSON.stringify({ ...row, kind: "decision_figures" })),
              new RegExp(`Line ${at + 1}: "decision_figures" is nothing`)],
            ["a changed digit", replaced(lines[at]!.replace(/"quality": [\d.]+/, '"quality": 0.123')),
              /Line \d+: the file was changed/],
            ["no end", lines.slice(0, -1), /ends before the export does/],
            ["a line less", lines.filter((_, index) => index !== at), /was changed|promises/],
            ["no header", lines.slice(1), /Line 1: it is no header/],
            ["something behind", [...lines, "{}"], /follows the end/]
          ]
          for (const [what, changed, message] of cases) {
            const error = yield* attempt(`${what}.jsonl`, changed)
            assert.match(error instanceof Error ? error.message : "", message, what)
          }
          assert.notInclude(yield* dumpAll, "(nobody,")
        })))
    })

    layer(serveAccounts(engine, "excerpt", [acme, umbrella]), slow)(`that is erased, ${name}`, (it) => {
      it.effect("loses one actor's rows in every table, and no other rows", () =>
        Effect.gen(function*() {
          yield* plant("acme", "alicecanary", "alicecanaryactor")
          yield* plant("acme", "bobword", "bob")
          // One lane, two actors: what stems from one of them goes, sums and the other's rows stay.
          yield* plant("acme", "shared", "bob")
          const asked = yield* sendRequest("acme", "POST", "/v1/recommend", {
            task: { task: "alicecanary in the shared lane" }, namespace: "sharedspace", user_id: "alicecanaryactor",
            allow_llm_escalation: false
          })
          yield* sendRequest("acme", "POST", "/v1/feedback", {
            recommendation_id: asked["recommendation_id"], chosen_model_id: "gpt-5-mini", outcome: "failure",
            evidence_source: "gate", notes: "Error: alicecanary", idempotency_key: "alicecanarykey",
            step_outcomes: [{ step_id: "s", outcome: "failure", rationale: "alicecanary" }]
          })
          yield* reflected
          const sql = yield* SqlClient.SqlClient
          const sums = sql`select sum(outcomes)::int as outcomes from outcome_record`.pipe(withAccount(acme))
          const before = yield* sums
          const erased = yield* eraseActor(acme, "alicecanaryactor", ({ lane }) =>
            reflectOnLane({ accountId: acme, lane }, memorySettings))
          assert.isAbove(erased["decision"] ?? 0, 5)
          assert.isAbove(erased["observation"] ?? 0, 5)
          assert.isAbove(erased["report"] ?? 0, 5)
          const left = yield* dumpAll
          // What names the actor, or what it said, is gone; a namespace and a model are names of the account.
          for (const found of left.match(/alicecanary\w*/g) ?? []) {
            assert.match(found, /^alicecanary(space|model)$/, found)
          }
          assert.include(left, "bobwordnotes")
          assert.include(left, "sharednotes")
          assert.deepStrictEqual(yield* sums, before)
          const own = yield* sendRequest("acme", "GET", "/v1/strategies?namespace=bobwordspace")
          assert.isAbove(own["count"], 0)
        }))

      it.effect("loses an actor's writes that wait in reports whose decisions are gone", () =>
        Effect.gen(function*() {
          const sql = yield* SqlClient.SqlClient
          const scope = freshScope()
          const { accountId } = scope
          const asked = decisionOf(accountId, { userId: "alice" })
          yield* Ledger.use(({ record }) => record([asked])).pipe(Effect.provide(LedgerSql.layer))
          const steps: MemoryWrite = { kind: "recordSteps", body: {
            ...scope, recommendationId: asked.recommendationId, cluster: "code:easy", modelId: "m", occurredAt: new Date(), steps: []
          } }
          const writes = [
            { kind: "teach", body: observationIn(scope, { userId: "alice", task: "her task" }) },
            { kind: "teach", body: observationIn(scope, { userId: "bob", task: "his task" }) }, steps
          ] as const
          const rows = (encodeWrites(writes) ?? []).map((write, position) => ({
            revision: position + 1, recommendation_id: randomUUID(), idempotency_key: `k${position}`, fingerprint: "",
            reported_at: "2026-01-01T00:00:00+00:00", body: {}, response: {},
            // One of hers was refused.
            writes: position === 0 ? null : [write], refused: position === 0 ? [write] : null
          }))
          yield* withAccountLog(accountId, 0)(() => rowForms.report.write(accountId, rows))
          const erased = yield* eraseActor(accountId, "alice", () => Effect.void)
          assert.strictEqual(erased["report"], 2)
          const left = yield* sql`select coalesce(writes, refused) #>> '{0,body,task}' as task from report
            where account_id = ${accountId}`.pipe(withAccount(accountId))
          assert.deepStrictEqual(left, [{ task: "his task" }])
        }))

      it.effect("is in no table after its erasure while it is served, and other accounts are unchanged", () =>
        Effect.gen(function*() {
          yield* plant("acme", "wholecanary", "alice")
          yield* plant("umbrella", "umbrellaword", "bob")
          yield* guarantee(acme, "wholecanaryspace")
          const counts = Effect.map(
            sendRequest("umbrella", "GET", "/v1/memory/health?namespace=umbrellawordspace"),
            ({ entry_counts: { observation, outcome_record, step_reward } }) => [observation, outcome_record, step_reward]
          )
          const before = yield* counts
          const warm = yield* sendRequest("acme", "POST", "/v1/recommend", {
            task: { task: "wholecanary task" }, namespace: "wholecanaryspace", allow_llm_escalation: false,
            constraints: { candidate_models: ["gpt-5-mini"] }
          })
          assert.notInclude(warm["warnings"], "cold_start")
          const serving = Effect.forever(Effect.andThen(
            sendRequest("umbrella", "GET", "/v1/savings"), recommend("umbrella", "a task while others go")
          ))
          const erased = yield* Effect.raceFirst(eraseAccount(acme), serving)
          assert.isAbove(erased["lane"] ?? 0, 0)
          assert.strictEqual(erased["guarantee_evidence"], 1)
          assert.notMatch(yield* dumpAll, /wholecanary|alicecanary|bobword/)
          assert.include(yield* dumpAll, "umbrellawordnotes")
          // The cached lane of this very process is gone with it.
          const cold = yield* sendRequest("acme", "POST", "/v1/recommend", {
            task: { task: "another task" }, namespace: "wholecanaryspace", allow_llm_escalation: false
          })
          assert.include(cold["warnings"], "cold_start")
          assert.deepStrictEqual(yield* counts, before)
        }))
    })
  }))
