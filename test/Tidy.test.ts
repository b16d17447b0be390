import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { execFileSync } from "node:child_process"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { clientProblemsOf, clientSources, problemsOf, serviceSources } from "../scripts/checks/layers.ts"
import { EscalationReason } from "../src/domain/Escalation.ts"
import { FeedbackWarning, RecommendWarning } from "../src/domain/Warning.ts"

/** The problems of files with these texts, each below the comment that every file begins with. */
const found = (files: Readonly<Record<string, string>>) =>
  problemsOf(new Map(Object.entries(files).map(([path, text]) => [path, `/* A role. */\n${text}`])))

it("the service and its packages keep to their layers, have no cycle, and break no house rule", () => {
  const sources = serviceSources()
  const folders = new Set([...sources.keys()].map((path) => path.split("/").slice(0, 2).join("/")))
  for (const folder of ["engine/Recommender.ts", "packages/backtest", "packages/dashboard"]) {
    assert.isTrue(folders.has(folder), folder)
  }
  assert.isAbove(sources.size, 80)
  assert.deepStrictEqual(problemsOf(sources), [])
})

it("the client's package keeps to itself, has no cycle, and breaks no house rule", () => {
  const sources = clientSources()
  assert.isAbove(sources.size, 10)
  assert.deepStrictEqual(clientProblemsOf(sources), [])
})

/** What the top level holds, beside the folders and files whose name begins with a dot. */
const topLevel = [
  "AGENTS.md", "CHANGELOG.md", "Dockerfile", "LICENSE", "README.md", "clients", "deploy", "docker-compose.yml", "docs",
  "examples", "otel", "package-lock.json", "package.json", "packages", "scripts", "src", "test", "tsconfig.build.json",
  "tsconfig.json", "vitest.config.ts"
]

const root = fileURLToPath(new URL("..", import.meta.url))

it("every package is one that the checker knows", () => {
  assert.deepStrictEqual(readdirSync(`${root}packages`).toSorted(), ["audition", "backtest", "client", "dashboard"])
})

// A package or an image has no repository.
it.runIf(existsSync(`${root}.git`))("the top level of the repository holds what it is known to hold, and nothing else", () => {
  const tracked = execFileSync("git", ["-C", root, "ls-tree", "-z", "--name-only", "HEAD"], { encoding: "utf8" })
  assert.deepStrictEqual(
    tracked.split("\0").filter((name) => name !== "" && !name.startsWith(".")).sort(),
    topLevel.toSorted()
  )
})

describe("the checker of the client's package", () => {
  for (
    const [path, line, problem] of [
      ["Ask.ts", `import { hash } from "node:crypto"`, "Ask.ts: may not import node:crypto"],
      ["Ask.ts", `import { wrap } from "./openai/index.ts"`, "Ask.ts: may not import openai/index.ts"],
      ["Ask.ts", `import { auto } from "./sdk/Question.ts"`, "Ask.ts: may not import sdk/Question.ts"],
      ["openai/index.ts", `import OpenAI from "openai"`, "openai/index.ts: may not import openai"],
      ["openai/index.ts", `import { wrap } from "../otel/index.ts"`, "openai/index.ts: may not import otel/index.ts"],
      ["openai/index.ts", "const a: any = 1", "`any`"],
      ["openai/index.ts", `const a = "${"x".repeat(110)}"`, "columns, more than 110"]
    ] as const
  ) {
    it(`refuses ${JSON.stringify(line.slice(0, 60))} in ${path}`, () => {
      assert.include(clientProblemsOf(new Map([[path, `/* A role. */\n${line}`]])).join("\n"), problem)
    })
  }

  it("is content with an adapter's imports of the client, its own files, SDKs' files, and Node", () => {
    const text = ["../Choice.ts", "./B.ts", "../sdk/Question.ts", "node:fs"]
      .reduce((lines, from) => `${lines}\nimport { a } from "${from}"`, "/* A role. */")
    assert.deepStrictEqual(clientProblemsOf(new Map([["openai/index.ts", text]])), [])
  })
})

describe("the checker", () => {
  it("is content with imports that go down", () => {
    assert.deepStrictEqual(found({
      "cli/Layers.ts": `import * as MemorySql from "../memory/sql/MemorySql.ts"`,
      "http/Server.ts": `import { createServer } from "node:http"\nimport { Learner } from "../engine/Learner.ts"`,
      "engine/Learner.ts": `import { credit } from "./learn/Credit.ts"`,
      "engine/learn/Credit.ts": `import type { Taught } from "./TeachOutcome.ts"\nimport { Effect } from "effect"`,
      "engine/Recommender.ts": `import { degrade } from "./Notes.ts"\nconst a = degrade(b, c)`,
      "engine/Assess.ts": `import { degrade } from "./Notes.ts"\nimport { cost } from "./recommend/Cost.ts"`,
      "engine/recommend/Cost.ts": `import { estimate } from "./cost/ListCost.ts"\nimport { Effect } from "effect"`,
      "engine/recommend/cost/ListCost.ts": `import { countOf } from "./Measurements.ts"`,
      "memory/sql/MemorySql.ts": `import { Memory } from "../Memory.ts"\nimport { mean } from "../../stats/Mean.ts"`,
      "memory/remote/MemoryClient.ts": `import { MemoryApi } from "../../api/memory/MemoryApi.ts"`,
      "memory/remote/KeysHttp.ts": `import { Keys } from "../../accounts/Keys.ts"`,
      "http/MemoryServer.ts": `import { MemoryApi } from "../api/memory/MemoryApi.ts"`,
      "memory/delivery/MemoryDelivered.ts": `import { CurrentCallerKey } from "../../accounts/CallerKey.ts"`,
      "http/Keys.ts": `import { Redacted } from "effect"`,
      "sql/Database.ts": `import { type Redacted } from "effect"`,
      "engine/Resolve.ts": "const at = new Date(nowMs)",
      "logs/formats/A.ts": `import { a } from "../../../packages/client/src/A.ts"`,
      "packages/backtest/src/page/A.ts": `import { a } from "../../../../src/logs/A.ts"\nimport { b } from "../../../dashboard/src/B.ts"`,
      "packages/dashboard/src/main.ts": "const at = new Date()",
      "cli/commands/BacktestCommand.ts": `import { backtest } from "../../packages/backtest/src/Backtest.ts"`,
      "packages/backtest/src/Rehearsal.ts": `import { a } from "../../../src/engine/recommend/Cost.ts"`
    }), [])
  })

  for (
    const [path, line, problem] of [
      ["stats/Mean.ts", `import { Effect } from "effect"`, "stats may not import effect"],
      ["stats/Mean.ts", `import { Usd } from "../domain/Units.ts"`, "stats may not import domain/Units.ts"],
      ["domain/Task.ts", `import { hash } from "node:crypto"`, "domain may not import node:crypto"],
      ["domain/Task.ts", `import { mean } from "../stats/Mean.ts"`, "domain may not import stats/Mean.ts"],
      ["resilience/Deadline.ts", `import { a } from "../sql/A.ts"`, "resilience may not import sql/A.ts"],
      ["telemetry/Metrics.ts", `import { Memory } from "../memory/Memory.ts"`, "may not import memory/Memory.ts"],
      ["api/Api.ts", `import { Memory } from "../memory/Memory.ts"`, "api may not import memory/Memory.ts"],
      ["client/Client.ts", `import type { A } from "../engine/A.ts"`, "client may not import engine/A.ts"],
      ["engine/Learner.ts", `import { Api } from "../api/Api.ts"`, "engine may not import api/Api.ts"],
      ["engine/Learner.ts", `import { Sql } from "../memory/sql/Sql.ts"`, "the driver memory/sql/Sql.ts"],
      ["engine/Learner.ts", `import { request } from "node:http"`, "engine may not import node:http"],
      ["engine/Learner.ts", `import { SqlClient } from "effect/sql"`, "engine may not import effect/sql"],
      ["reports/Savings.ts", `import { get } from "../http/Get.ts"`, "reports may not import http/Get.ts"],
      ["http/Server.ts", `import { cost } from "../engine/recommend/Cost.ts"`, "engine/recommend/Cost.ts"],
      ["http/Server.ts", `import { Client } from "../memory/remote/Client.ts"`, "the driver memory/remote/Client.ts"],
      ["memory/Memory.ts", `import { Api } from "../api/Api.ts"`, "memory may not import api/Api.ts"],
      ["memory/Memory.ts", `import { Rows } from "./sql/Rows.ts"`, "the driver memory/sql/Rows.ts"],
      ["memory/Memory.ts", `import { Scope } from "../sql/AccountScope.ts"`, "memory may not import sql/AccountScope.ts"],
      ["memory/index/LaneIndex.ts", `import { Rows } from "../sql/Rows.ts"`, "the driver memory/sql/Rows.ts"],
      ["ledger/sql/A.ts", `import type { A } from "../../memory/sql/A.ts"`, "ledger may not import memory/sql/A.ts"],
      ["accounts/sql/A.ts", `import { A } from "../../memory/A.ts"`, "accounts may not import memory/A.ts"],
      ["ledger/Ledger.ts", `import { Unauthorized } from "../api/Problems.ts"`, "ledger may not import api/Problems.ts"],
      ["engine/Learner.ts", `import { A } from "../memory/delivery/A.ts"`, "the driver memory/delivery/A.ts"],
      ["sql/Database.ts", `import { Ledger } from "../ledger/Ledger.ts"`, "sql may not import ledger/Ledger.ts"],
      ["packages/dashboard/src/main.ts", `import { a } from "../../../src/api/Api.ts"`, "may not import api/Api.ts"],
      ["packages/dashboard/src/main.ts", `import { Schema } from "effect"`, "dashboard may not import effect"],
      ["packages/backtest/src/A.ts", `import { a } from "../../../src/http/A.ts"`, "may not import http/A.ts"],
      ["packages/backtest/src/A.ts", `import { a } from "../../../src/engine/recommend/A.ts"`, "its pipeline only"],
      ["logs/A.ts", `import { a } from "../../packages/backtest/src/Replay.ts"`, "logs may not import packages/backtest"],
      ["logs/A.ts", `import { a } from "../engine/A.ts"`, "logs may not import engine/A.ts"],
      ["packages/backtest/src/stats/A.ts", `import { a } from "../../../../src/logs/A.ts"`, "packages/backtest/stats may not import"],
      ["packages/other/src/A.ts", `import { a } from "effect"`, "packages/other is no layer"],
      ["engine/A.ts", `import { a } from "../../packages/backtest/src/A.ts"`, "engine may not import packages/"],
      ["http/A.ts", `import { a } from "../../packages/dashboard/src/A.ts"`, "http may not import packages/dashboard/"],
      ["attic/Old.ts", `import { a } from "effect"`, "attic is no layer"],
      ["main.ts", `import { a } from "effect"`, "src is no layer"],
      ["engine/recommend/Cost.ts", `import { recall } from "./Recall.ts"`, "stage imports the stage"],
      ["engine/recommend/Cost.ts", `import { type A, recall } from "./Recall.ts"`, "stage imports the stage"],
      ["engine/recommend/New.ts", `import { a } from "./Other.ts"`, "stage imports the stage"],
      ["engine/learn/New.ts", `import { a } from "./Other.ts"`, "stage imports the stage"],
      ["engine/recommend/choice/DecisionRule.ts", `import { a } from "../New.ts"`, "for engine/Recommender.ts and engine/Assess.ts and engine/LookUp.ts and"],
      ["engine/Learner.ts", `import { a } from "./recommend/New.ts"`, "for engine/Recommender.ts and engine/Assess.ts and engine/LookUp.ts and"],
      ["engine/recommend/choice/DecisionRule.ts", `import { Effect } from "effect"`, "a room of formulas may not import"],
      ["engine/recommend/New.ts", `import { degrade } from "../Notes.ts"`, "only the pipelines degrade"],
      ["engine/learn/New.ts", "const value = yield* degrade(a, b)", "only the pipelines degrade"],
      ["engine/recommend/New.ts", `a.pipe(Effect.catchTag("LedgerUnavailable", b))`, "a stage fails"],
      ["engine/recommend/New.ts", `a.pipe(Effect.catchTags({ MemoryUnavailable: b }))`, "a stage fails"],
      ["engine/Learner.ts", `const refuse = { status: 404 }`, "the engine has no status codes"],
      ["cli/main.ts", "export default 1", "a default export"],
      ["cli/main.ts", "const a: any = 1", "`any`"],
      ["cli/main.ts", "const a = JSON.parse(b) as any", "`any`"],
      ["cli/main.ts", "const a = new Map<string, any>()", "`any`"],
      ["cli/main.ts", "const a = Effect.orDie(b)", "`orDie`"],
      ["memory/sql/Rows.ts", "const rows = (caller: CallerKey) => caller.accountId", "names the caller's key"],
      ["memory/Memory.ts", `import { callerKeyOf } from "../accounts/CallerKey.ts"`, "names the caller's key"],
      ["engine/Learner.ts", "const learn = (caller: CallerKey) => caller", "names the caller's key"],
      ["cli/Layers.ts", "Effect.provideService(CurrentCallerKey, caller)", "names the caller's key"],
      ["memory/index/Entry.ts", "const text = (key: Redacted.Redacted<string>) => key", "holds a secret"],
      ["domain/Scope.ts", `import { Redacted } from "effect"`, "holds a secret"],
      ["engine/Learner.ts", "const now = Date.now()", "reads the machine's clock"],
      ["sql/Prepare.ts", "const at = new Date()", "reads the machine's clock"],
      ["ledger/sql/Settle.ts", "const ages = rows.map(Date.now)", "reads the machine's clock"],
      ["cli/main.ts", "// @ts-ignore", "silences the type checker"],
      ["cli/main.ts", `const a = "${"x".repeat(110)}"`, "columns, more than 110"],
      ["cli/main.ts", "a()\n".repeat(251), "251 lines of code, more than 250"]
    ] as const
  ) {
    it(`refuses ${JSON.stringify(line.slice(0, 60))} in ${path}`, () => {
      const problems = found({ [path]: line })
      assert.include(problems.join("\n"), problem)
    })
  }

  it("finds a cycle through three files, even of types alone, and names its path once", () => {
    assert.deepStrictEqual(found({
      "domain/A.ts": `import type { B } from "./B.ts"`,
      "domain/B.ts": `import { type C } from "./C.ts"`,
      "domain/C.ts": `import type { A } from "./A.ts"`,
      "domain/D.ts": `import type { A } from "./A.ts"`
    }), ["cycle: domain/A.ts -> domain/B.ts -> domain/C.ts -> domain/A.ts"])
  })

  it("refuses a file whose first line, or first after that of a program, is no comment", () => {
    const path = "sql/Migrations.ts"
    const problemsOfText = (text: string) => problemsOf(new Map([[path, text]]))
    const refused = [`${path}: does not begin with its role`]
    assert.deepStrictEqual(problemsOfText(`import { Effect } from "effect"\n\n/** A role. */\nconst a = 1`), refused)
    assert.deepStrictEqual(problemsOfText("#!/usr/bin/env node\nconst a = 1 // a role"), refused)
    assert.deepStrictEqual(problemsOfText("\n/* A role. */"), refused)
    assert.deepStrictEqual(problemsOfText("/** A role. */\nconst a = 1"), [])
    assert.deepStrictEqual(problemsOfText("#!/usr/bin/env node\n// A role.\nconst a = 1"), [])
  })

  it("lets comments and strings speak of what code may not", () => {
    const lines = ["// any of `: any`, as any, orDie", "/* status 404 */", `const a = "as any"`, "const many = 1"]
    assert.deepStrictEqual(found({ "engine/Learner.ts": lines.join("\n") }), [])
    assert.deepStrictEqual(found({ "main.ts": "// a comment\n\n".repeat(300) }), [])
  })
})

// Failures that people reported of programs like this one, with their input; `npm run cases` runs them alone.
it("the titles of tests name every case from 01 to 29", () => {
  const search = ["-rhoE", "[(]case [0-9]+[)]", "test", "--include=*.test.ts", "--exclude-dir=node_modules"]
  const named = execFileSync("grep", search, { cwd: root, encoding: "utf8" }).trim().split("\n")
  const cases = Array.from({ length: 29 }, (_, i) => `(case ${String(i + 1).padStart(2, "0")})`)
  assert.deepStrictEqual([...new Set(named)].toSorted(), cases)
})

it("the titles of tests have at most 90 characters", () => {
  const title = /\bit(?:\.\w+)*(?:\([^"`]*?\))?\(\s*(["`])((?:\\.|(?!\1)[^\\])*)\1/g
  const titlesIn = (text: string) => [...text.matchAll(title)].map(([, , words = ""]) => words)
  assert.deepStrictEqual(titlesIn('it("a", f)\nit.effect.runIf(is(1))(\n  `b ${c}`, f)\nit.prop("d \\"e\\"", {}, f)\nedit("g", h)'), [
    "a", "b ${c}", 'd \\"e\\"'
  ])
  const search = ["-rlE", "\\bit[.(]", "test", "--include=*.ts", "--exclude-dir=node_modules"]
  const files = execFileSync("grep", search, { cwd: root, encoding: "utf8" }).trim().split("\n")
  const titles = files.flatMap((file) => titlesIn(readFileSync(root + file, "utf8")))
  assert.isAbove(titles.length, 3_000)
  assert.deepStrictEqual(titles.filter((words) => words.length > 90), [])
})

/** The specification's two lists, copied by hand: it is not part of the repository. */
const recommendWarnings = [
  "cold_start", "recall_timeout", "memory_unavailable", "prices_stale", "no_model_meets_threshold",
  "no_model_within_cost_budget", "no_model_within_latency_budget", "memory_drift:repeated",
  "memory_drift:stagnant", "exploration_pick", "reasoner_consulted", "reasoner_failed", "reasoner_disabled",
  "llm_classified"
]
const reasons = ["thin_evidence", "low_confidence", "tie", "conflict", "wide_interval", "low_recall_confidence"]
const feedbackWarnings = [
  "unknown_recommendation", "memory_write_failed", "reinforcement_failed", "lesson_promotion_failed",
  "quality_outcome_mismatch", "late_feedback_no_attribution", "step_outcomes_capped:33", "step_outcomes_partial"
]

describe("the warnings", () => {
  it("of a recommendation are the specification's; the reasons to escalate have a field", () => {
    const isWarning = Schema.is(RecommendWarning)
    for (const warning of recommendWarnings) assert.isTrue(isWarning(warning), warning)
    assert.deepStrictEqual([...EscalationReason.literals], reasons)
    for (const other of ["cold start", "escalation_suggested:tie", "unknown"]) {
      assert.isFalse(isWarning(other), other)
    }
  })

  it("of a feedback are those of the specification", () => {
    const isWarning = Schema.is(FeedbackWarning)
    for (const warning of feedbackWarnings) assert.isTrue(isWarning(warning), warning)
    assert.isFalse(isWarning("step_outcomes_capped:many"))
    assert.isFalse(isWarning("cold_start"))
  })
})
