import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { createHash } from "node:crypto"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Layers from "../../src/cli/Layers.ts"
import { checkStatement } from "../../src/cli/StatementCheck.ts"
import { decisionFates, monthRange, Statement } from "../../src/domain/reports/Statement.ts"
import { AccountId, laneOf } from "../../src/domain/Scope.ts"
import { Ledger } from "../../src/ledger/Ledger.ts"
import * as LedgerSql from "../../src/ledger/sql/LedgerSql.ts"
import { eraseActor } from "../../src/privacy/EraseActor.ts"
import { exportToFile } from "../../src/privacy/ExportFile.ts"
import { withAccount } from "../../src/sql/AccountScope.ts"
import { generator } from "../../src/stats/Generator.ts"
import { decisionOf, reportOf, reportTo } from "../ledger/LedgerContract.ts"
import { onOneEngine, slow } from "../support/Databases.ts"
import { temporaryFolder } from "../support/temporaryFolder.ts"
import { feedback, recommend, sendRequest, serveAccounts } from "../privacy/service.ts"

const quiet = () => {}
const accounts = ["acme", "umbrella", "initech"]
const month = new Date().toISOString().slice(0, 7)

const read = (account: string, of = month) =>
  Effect.flatMap(Effect.context<SqlClient.SqlClient>(), (context) =>
    Layers.statement({ accountId: AccountId.make(account), month: of }, Layer.succeedContext(context)))

/** The statement of an account and an export of it, each as a file. */
const filesOf = Effect.fnUntraced(function*(account: string, of = month) {
  const folder = temporaryFolder()
  const [statement, exported] = [join(folder, "statement.json"), join(folder, "export.jsonl")]
  const found = yield* read(account, of)
  writeFileSync(statement, JSON.stringify(yield* Schema.encodeEffect(Statement)(found)))
  yield* exportToFile(exported, AccountId.make(account), quiet, quiet, Layers.rowForms)
  return { statement, exported, found }
})

type Lines = Array<Record<string, any>>

/** The export with its rows changed, and its counts and its seal made right again. */
const forged = (exported: string, change: (lines: Lines) => Lines): string => {
  const lines = readFileSync(exported, "utf8").trimEnd().split("\n").slice(1, -1).map((line) => JSON.parse(line))
  const header = JSON.parse(readFileSync(exported, "utf8").split("\n")[0] ?? "")
  const changed = change(lines)
  const counts: Record<string, number> = {}
  for (const { kind } of changed) counts[kind] = (counts[kind] ?? 0) + 1
  const body = [{ ...header, counts }, ...changed].map((line) => `${JSON.stringify(line)}\n`).join("")
  const path = `${exported}.forged`
  const seal = { kind: "end", sha256: createHash("sha256").update(body).digest("hex") }
  writeFileSync(path, `${body}${JSON.stringify(seal)}\n`)
  return path
}

/** The first line of a kind. */
const firstOf = (lines: Lines, kind: string): Record<string, any> =>
  lines.find((line) => line["kind"] === kind) ?? assert.fail(`no ${kind}`)

describe("A statement of a month", () =>
  onOneEngine((name, engine) => {
    const check = (statement: string, exported: string) =>
      checkStatement(statement, exported, quiet).pipe(Effect.provide(Layer.fresh(engine)))
    const messageOf = (statement: string, exported: string) =>
      Effect.map(Effect.flip(check(statement, exported)), String)
    const problem = (statement: string, exported: string) =>
      Effect.map(check(statement, exported), (found) => found.problem ?? "")

    layer(serveAccounts(engine, "excerpt", accounts), slow)(name, (it) => {
      it.effect("holds by an export, and by no export whose rows were tampered with", () =>
        Effect.gen(function*() {
          for (let n = 0; n < 6; n++) {
            const answer = yield* recommend("acme", `sum the list ${n}`, {
              baseline_model_id: "gpt-5-mini", user_id: n < 2 ? "ann" : "ben", shadow: n === 5
            })
            if (n === 4) continue
            const report = n === 3
              ? { input_tokens: 1_000, output_tokens: 500 }
              : { actual_cost_usd: 0.001 * (n + 1), chosen_model_id: n === 2 ? "gpt-5-mini" : answer["recommended_model"].model_id }
            yield* feedback("acme", answer, report)
            // A client that repeats its report adds none, and leaves no gap that looks like a deleted report.
            if (n < 2) yield* feedback("acme", answer, report)
          }
          const { exported, found, statement } = yield* filesOf("acme")
          assert.strictEqual(found.decisions.n, 6)
          assert.strictEqual(found.decisions.shadow, 1)
          assert.strictEqual(found.decisions.notReported, 1)
          assert.isTrue(found.isRunning)
          assert.deepStrictEqual(found.reports, { revision: 5, nMissing: 0 })

          // The same figures as the service's.
          const last = new Date(monthRange(month).until.getTime() - 1).toISOString().slice(0, 10)
          const answer = yield* sendRequest("acme", "GET", `/v1/savings?dates=${month}-01/${last}`)
          const { savings } = JSON.parse(readFileSync(statement, "utf8"))
          assert.deepStrictEqual(savings, { summary: answer["summary"], comparison: answer["comparison"], health: answer["health"] })

          const fine = yield* check(statement, exported)
          assert.isNull(fine.problem)
          assert.isTrue(fine.parts.every(({ first }) => first === null))
          assert.strictEqual(fine.n, 6)

          const isOutcome = (line: Record<string, any>) => line["kind"] === "outcome"
          const changed = forged(exported, (lines) => {
            const billed = lines.filter(isOutcome).map(({ row }) => row.outcomes[0].billed).find(({ actualCostUsd }) => actualCostUsd !== null)
            billed.actualCostUsd += 0.01
            return lines
          })
          assert.match(yield* problem(statement, changed), /^rows\.sha256 .* The rows of \d{4}-\d\d-\d\d differ first: 6 decisions in the statement, 6 in/)

          const removed = forged(exported, (lines) => {
            const gone = firstOf(lines, "decision")["row"].recommendation_id
            return lines.filter(({ row }) => row.recommendation_id !== gone)
          })
          assert.match(yield* problem(statement, removed), /^rows\.n is 6 there, and 5 by the export/)

          const added = forged(exported, (lines) => {
            const decision = structuredClone(firstOf(lines, "decision"))
            decision["row"].recommendation_id = decision["row"].recommendation_id.replace(/.{4}$/, "beef")
            return [...lines, decision]
          })
          assert.match(yield* problem(statement, added), /^rows\.n is 6 there, and 7 by the export/)

          for (const kind of ["decision", "outcome", "report"]) {
            const doubled = forged(exported, (lines) => [...lines, firstOf(lines, kind)])
            assert.match(yield* messageOf(statement, doubled), new RegExp(`The export holds a row twice: ${kind} `))
          }

          // Another spelling of the same row.
          const spaced = `${exported}.spaced`
          const lines = readFileSync(forged(exported, (all) => [...all, firstOf(all, "outcome")]), "utf8").trimEnd().split("\n")
          const body = `${[...lines.slice(0, -2), ` ${lines.at(-2)}`].join("\n")}\n`
          const seal = { kind: "end", sha256: createHash("sha256").update(body).digest("hex") }
          writeFileSync(spaced, `${body}${JSON.stringify(seal)}\n`)
          assert.match(yield* messageOf(statement, spaced), /The export holds a row twice: outcome /)

          // Without a new seal the import refuses it already.
          const careless = `${exported}.careless`
          writeFileSync(careless, readFileSync(exported, "utf8").replace("gpt-5-mini", "gpt-5-nano"))
          assert.match(yield* messageOf(statement, careless), /the file was changed since it was exported/)
        }))

      it.effect("does not hold where a figure of it was changed, and the figure is named", () =>
        Effect.gen(function*() {
          const { exported, statement } = yield* filesOf("acme")
          const edited = Effect.fnUntraced(function*(edit: (json: any) => void) {
            const json = JSON.parse(readFileSync(statement, "utf8"))
            edit(json)
            const path = `${statement}.edited`
            writeFileSync(path, JSON.stringify(json))
            return yield* problem(path, exported)
          })
          assert.match(yield* edited((json) => void (json.savings.summary.followed.savings_usd += 0.01)),
            /^savings\.summary\.followed\.savings_usd is .* there, and .* by the export\.$/)
          assert.match(yield* edited((json) => void json.decisions.no_cost++), /^decisions\.no_cost is 1 there, and 0 by/)
          assert.match(yield* edited((json) => void (json.savings.bonus_usd = 5)), /^savings\.bonus_usd is 5 there, and nothing by/)
          assert.match(yield* edited((json) => void (json.method[0] = "By magic.")), /^method\.0 is "By magic\." there/)
          assert.match(yield* edited((json) => void (json.rows.sha256 = "0".repeat(64))), /^rows\.sha256 is "000/)
        }))

      it.effect("says what was reported between it and its export, or erased", () =>
        Effect.gen(function*() {
          const { exported, statement } = yield* filesOf("acme")
          const answer = yield* recommend("acme", "one more list", { baseline_model_id: "gpt-5-mini", user_id: "ben" })
          yield* feedback("acme", answer, { actual_cost_usd: 0.002 })
          const later = yield* filesOf("acme")
          assert.match(yield* problem(statement, later.exported), /took 1 report between the statement .* and the export/)
          assert.match(yield* problem(later.statement, exported), /The export \(.*\) is older than the statement/)

          yield* eraseActor(AccountId.make("acme"), "ann", () => Effect.void)
          const erased = yield* filesOf("acme")
          assert.strictEqual(later.found.reports.nMissing, 0)
          assert.strictEqual(erased.found.reports.nMissing, 2)
          assert.match(yield* problem(later.statement, erased.exported), /2 reports of the month were erased since/)
          assert.isNull((yield* check(erased.statement, erased.exported)).problem)
        }))

      it.effect("misses no report where the clock was set back", () =>
        Effect.gen(function*() {
          for (let n = 0; n < 2; n++) yield* feedback("initech", yield* recommend("initech", `a list ${n}`))
          yield* SqlClient.SqlClient.use((sql) => sql`update report set reported_at = case revision when 1 then now() + interval '1 year'
            else now() - interval '1 year' end where account_id = 'initech'`).pipe(withAccount(AccountId.make("initech")))
          assert.deepStrictEqual((yield* read("initech")).reports, { revision: 2, nMissing: 0 })
        }))

      it.effect("is of one account, and of a file that is an export", () =>
        Effect.gen(function*() {
          yield* recommend("umbrella", "a list")
          const [acme, umbrella] = [yield* filesOf("acme"), yield* filesOf("umbrella")]
          assert.match(yield* messageOf(acme.statement, umbrella.exported), /The statement is of acme, and the export of umbrella/)
          assert.match(yield* messageOf(acme.statement, acme.statement), /is no export of an account/)
          assert.match(yield* messageOf(acme.exported, acme.exported), /is no JSON: write the statement with --json/)
          assert.match(yield* messageOf(`${acme.statement}.none`, acme.exported), /cannot be read/)
          const other = `${acme.statement}.other`
          writeFileSync(other, readFileSync(acme.statement, "utf8").replace("\"format\":1", "\"format\":2"))
          assert.match(yield* messageOf(other, acme.exported), /is no statement that this version can check/)
        }))

      it.effect("of a month without decisions holds, and says that it has none", () =>
        Effect.gen(function*() {
          const { exported, found, statement } = yield* filesOf("initech", "2025-02")
          assert.strictEqual(found.decisions.n, 0)
          assert.isFalse(found.isRunning)
          assert.deepStrictEqual(found.rows.days, [])
          assert.isNull((yield* check(statement, exported)).problem)
        }))
    })

    layer(Layer.provideMerge(LedgerSql.layer, engine), slow)(`of random decisions, ${name}`, (it) => {
      it.effect("counts each decision of its month once, UTC, and the saving's as the report does", () =>
        Effect.gen(function*() {
          const accountId = AccountId.make("random")
          const ledger = yield* Ledger
          const uniform = generator(7)
          // On both sides of midnight, UTC, and in the months beside it.
          const times = ["2026-09-30T23:59:59.999Z", "2026-10-01T00:00:00.000Z", "2026-10-31T23:59:59.999Z", "2026-11-01T00:00:00.000Z"]
          for (let n = 0; n < 60; n++) {
            const decision = decisionOf(accountId, {
              createdAt: new Date(times[n % 4]!), lane: laneOf(null), isShadow: uniform() < 0.2,
              baselineModelId: uniform() < 0.8 ? "maker/large" : null, costDeclaredUsd: uniform() < 0.9 ? 1 : null
            })
            yield* ledger.record([decision])
            if (uniform() < 0.1) continue
            yield* reportTo(ledger, accountId, decision.recommendationId, reportOf({
              chosenModelId: uniform() < 0.8 ? decision.recommendedModelId : "maker/large",
              errorCause: uniform() < 0.1 ? "infra" : null,
              actualCostUsd: uniform() < 0.6 ? uniform() < 0.1 ? 5_000 : uniform() : null,
              computedCostUsd: uniform() < 0.7 ? uniform() : null
            }))
          }
          const { exported, found, statement } = yield* filesOf(accountId, "2026-10")
          const { decisions, savings: { summary: { followed } } } = found
          assert.strictEqual(decisions.n, 30)
          assert.strictEqual(found.rows.n, 60)
          assert.isFalse(found.isRunning)
          assert.isAtLeast(decisionFates.length, 9)
          const { n, ...fates } = decisions
          assert.strictEqual(Object.values(fates).reduce((sum, each) => sum + each, 0), n)
          assert.strictEqual(fates.byBill, followed?.n)
          assert.strictEqual(fates.atListPrices, followed?.listPrices?.n)
          assert.isNull((yield* check(statement, exported)).problem)
        }))

      it.effect("is the same after a change of a row that its figures do not read", () =>
        Effect.gen(function*() {
          const before = yield* read("random", "2026-10")
          yield* SqlClient.SqlClient.use((sql) => sql`update decision set task_excerpt = '' where account_id = 'random'`).pipe(
            withAccount(AccountId.make("random"))
          )
          const after = yield* read("random", "2026-10")
          assert.deepStrictEqual({ ...after, madeAt: "" }, { ...before, madeAt: "" })
        }))
    })
  }))
