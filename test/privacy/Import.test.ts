import { rowForms } from "../../src/cli/Layers.ts"
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { Catalog } from "../../src/catalog/Catalog.ts"
import { importLogs } from "../../src/cli/imports/ImportLogs.ts"
import { AccountId, laneOf } from "../../src/domain/Scope.ts"
import { OutcomeImports } from "../../src/memory/OutcomeImport.ts"
import * as OutcomeImportSql from "../../src/memory/sql/OutcomeImportSql.ts"
import { eraseAccount } from "../../src/privacy/EraseAccount.ts"
import { exportToFile } from "../../src/privacy/ExportFile.ts"
import { importAccount } from "../../src/privacy/ImportAccount.ts"
import { portOf } from "../fuzz/service.ts"
import { onOneEngine, slow } from "../support/Databases.ts"
import { temporaryFolder } from "../support/temporaryFolder.ts"
import { undatedCatalog } from "../support/undatedCatalog.ts"
import { plant } from "./planting.ts"
import { dumpAll, keyOf, recommend, reflected, sendRequest, serveAccounts } from "./service.ts"

const quiet = () => {}
const [acme, umbrella, initech] = ["acme", "umbrella", "initech"].map((name) => AccountId.make(name)) as
  [AccountId, AccountId, AccountId]

const rows = 60
const hourMs = 3_600_000

/** A log of labelled and billed calls of the models that the account's decisions are about. */
const logText = (): string =>
  Array.from({ length: rows }, (_, i) => JSON.stringify({
    id: `row-${i}`, at: new Date(Date.now() - (i + 1) * hourMs).toISOString(), user_id: "importedcanary",
    model: i % 2 === 0 ? "gpt-5-mini" : "claude-haiku-4-5", prompt: `canarytask${i} sum the list of numbers`,
    tokens: { input: 400, output: 200 }, cost_usd: 3, latency_ms: 700, score: i % 3 === 0 ? 0 : 1,
    evidence_source: "gate", tags: ["importedtag"], task_type: "code", difficulty: "medium"
  })).join("\n")

/** What `sextant import` does with the log in a namespace of an account. */
const importInto = (accountId: AccountId, namespace: string) =>
  Effect.scoped(Effect.gen(function*() {
    const path = join(temporaryFolder(), "log.jsonl")
    writeFileSync(path, logText())
    const snapshot = yield* Effect.flatMap(Catalog, (catalog) => catalog.snapshot)
    return yield* importLogs({
      accountId, lane: laneOf(namespace), paths: [path], format: "auto", scores: [], aliases: {}, byEffort: false,
      isTextKept: false, retentionDays: 90, snapshot
    }, () => {}, () => {})
  }))

const undo = (accountId: AccountId, importId: string) =>
  OutcomeImports.use((imports) => imports.undo({ accountId, importId }, () => {}))

/** The bytes of an answer. */
const bytesOf = (account: string, path: string) =>
  Effect.flatMap(portOf, (port) => Effect.promise(async () => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { authorization: `Bearer ${keyOf(account)}` } })
    assert.strictEqual(answer.status, 200, path)
    return await answer.text()
  }))

/**
 * Every report on decisions, all of which are of today. The beginning of a window is a moment of the request. Reports
 * of another number of days are other reports, which no cache has.
 */
const reportsOf = (account: string, namespace: string, days: number) =>
  Effect.forEach(
    ["savings?", "savings?group_by=cluster&", `savings?namespace=${namespace}&`, "calibration?", "policy-value?"],
    (path) => Effect.map(bytesOf(account, `/v1/${path}days=${days}`), (text) =>
      text.replace(/"(since|until|days)":("[^"]*"|\d+)/g, ""))
  )

/** Observations as memory's health counts them. */
const countedIn = (account: string, namespace: string) =>
  Effect.map(sendRequest(account, "GET", `/v1/memory/health?namespace=${namespace}`), (health) => {
    const sections: ReadonlyArray<{ readonly name: string; readonly count: number }> = health["section_health"]
    return sections.find(({ name }) => name === "observation")?.count ?? 0
  })

/** Predictions to four decimals and their evidence: seconds later, older outcomes weigh a millionth less. */
const recalledIn = (account: string, namespace: string) =>
  Effect.map(recommend(account, "canarytask sum the list of numbers", { namespace }), ({ ranked }) =>
    ranked.map((model: Record<string, any>) => [
      model["model_id"], Number(model["predicted_success"].toFixed(4)), Number(model["est_cost_usd"].toFixed(6)),
      model["evidence"].map((each: Record<string, any>) => [each["entry_id"], each["observed_success"]])
    ]))


describe("an import of a log", () =>
  onOneEngine((name, engine) => {
    const service = serveAccounts(engine, "excerpt", [acme, umbrella, initech])
    layer(Layer.provideMerge(Layer.merge(OutcomeImportSql.layer, undatedCatalog), service), slow)(`beside a service, ${name}`, (it) => {
      it.effect("leaves every byte of the reports, counts in memory's health, and is undone without a trace", () =>
        Effect.gen(function*() {
          yield* plant("acme", "canary", "alice")
          yield* reflected
          const [reports, counted, recalled] = [
            yield* reportsOf("acme", "canaryspace", 30), yield* countedIn("acme", "canaryspace"), yield* recalledIn("acme", "canaryspace")
          ]
          const decided = yield* reportsOf("acme", "canaryspace", 30)
          assert.notDeepEqual(decided, reports, "a decision is a change that the reports show")
          const { addedInAll, running } = yield* importInto(acme, "canaryspace")
          assert.strictEqual(addedInAll, rows)
          assert.deepStrictEqual(yield* reportsOf("acme", "canaryspace", 29), decided)
          assert.strictEqual(yield* countedIn("acme", "canaryspace"), counted + rows)
          const taught = yield* recalledIn("acme", "canaryspace")
          assert.notDeepEqual(taught, recalled)

          const [entry] = yield* OutcomeImports.use(({ list }) => list(acme))
          assert.deepInclude(entry, { importId: running.importId, state: "done", rowsRead: rows, added: rows })
          assert.strictEqual((yield* undo(acme, running.importId)).outcomes, rows)
          assert.strictEqual(yield* countedIn("acme", "canaryspace"), counted)
          assert.deepStrictEqual(yield* recalledIn("acme", "canaryspace"), recalled)
          assert.deepStrictEqual(yield* OutcomeImports.use(({ list }) => list(acme)), [])
          assert.isFalse((yield* dumpAll).includes("importedtag"))
        }))

      it.effect("goes with its account: it is exported, imported, undone there, and erased", () =>
        Effect.scoped(Effect.gen(function*() {
          const path = join(temporaryFolder(), "umbrella.jsonl")
          const { running } = yield* importInto(umbrella, "space")
          const [section] = yield* exportToFile(path, umbrella, quiet, quiet, rowForms)
          assert.deepInclude(section?.counts, { observation: rows, observation_vector: rows, import: 1 })
          const copied = yield* importAccount({ path, accountId: initech, isForced: false }, quiet, rowForms)
          assert.deepInclude(copied.counts, { observation: rows, import: 1 })
          assert.strictEqual(yield* countedIn("initech", "space"), rows)
          assert.deepStrictEqual(yield* recalledIn("initech", "space"), yield* recalledIn("umbrella", "space"))
          // The rows are marked in the copy too, so that the same log adds nothing and the import can be undone.
          const listed = (account: AccountId) => OutcomeImports.use(({ list }) => list(account))
          assert.deepStrictEqual(yield* listed(initech), yield* listed(umbrella))
          assert.strictEqual((yield* undo(initech, running.importId)).outcomes, rows)
          assert.strictEqual(yield* countedIn("initech", "space"), 0)
          assert.strictEqual(yield* countedIn("umbrella", "space"), rows)

          yield* eraseAccount(umbrella)
          assert.deepStrictEqual(yield* listed(umbrella), [])
          // The key alone is left, which says who may call.
          const left = (yield* dumpAll).split("\n").filter((line) => line.startsWith("(umbrella,"))
          assert.deepStrictEqual(left.map((line) => line.slice(0, 12)), ["(umbrella,k1"])
          assert.isFalse((yield* dumpAll).includes("importedcanary"))
        })))
    })
  }))
