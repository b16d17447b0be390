import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { type FakeModel, startProvider } from "../packages/audition/provider.ts"
import { dataDirectory, temporaryDirectory } from "../support/Databases.ts"
import { program } from "../support/program.ts"
import { runToEnd, sextant, spawnCommand, startService } from "../support/Service.ts"

const root = join(import.meta.dirname, "../..")

/** Models of the catalog at its prices, with success rates of our own. */
const models: Readonly<Record<string, FakeModel>> = {
  "gpt-5-nano": { success: 0.3, tokens: 100, price: { input: 0.05, output: 0.4 } },
  "gpt-5-mini": { success: 0.97, tokens: 100, price: { input: 0.25, output: 2 } },
  "gpt-5": { success: 0.98, tokens: 20, price: { input: 1.25, output: 10 } },
  // Those of the guide.
  "gpt-5.4-nano": { success: 0.3, tokens: 100, price: { input: 0.2, output: 1.25 } },
  "gpt-5.4-mini": { success: 0.97, tokens: 100, price: { input: 0.75, output: 4.5 } },
  "gpt-5.5": { success: 0.98, tokens: 20, price: { input: 5, output: 30 } }
}

/** The guide's models. */
const guideModels: Readonly<Record<string, FakeModel>> = {
  "gpt-5.4-nano": { success: 0.3, tokens: 100, price: { input: 0.2, output: 1.25 } },
  "gpt-5.4-mini": { success: 0.97, tokens: 100, price: { input: 0.75, output: 4.5 } },
  "gpt-5.5": { success: 0.98, tokens: 20, price: { input: 5, output: 30 } }
}

const promptFile = Effect.map(temporaryDirectory, (directory) => {
  const path = join(directory, "prompts.jsonl")
  writeFileSync(path, Array.from({ length: 60 }, (_, i) => JSON.stringify(`Summarize report ${i}`)).join("\n"))
  return path
})

describe("`sextant audition`", () => {
  it.live("does what its page shows, as it stands", () =>
    Effect.scoped(Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const { state, url } = yield* startProvider(guideModels)
      const [, block = ""] = /^## Audition[\s\S]*?```sh\n([\s\S]*?)```/m.exec(readFileSync(join(root, "docs/using/learn-from-a-log.md"), "utf8")) ?? []
      const script = join(directory, "sextant")
      writeFileSync(script, `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@" --base-url ${url}\n`)
      chmodSync(script, 0o755)
      const { code, stderr, stdout } = yield* runToEnd(
        "sh", ["-ec", block], { PATH: `${directory}:${process.env["PATH"] ?? ""}`, OPENAI_API_KEY: "sk-own" }, directory
      )
      assert.strictEqual(code, 0, stderr)
      assert.match(stdout, /^\S+ leads at \$0\.05 a success, and is best with a\s+chance\s+of \d+ %\. All\s+prompts\s+are\s+used\s+up/)
      assert.include(readFileSync(join(directory, "audition.html"), "utf8"), "Leading at $0.05 a success")
      assert.deepStrictEqual([...state.keys], ["Bearer sk-own"])
      // Three models on three prompts, each answer judged.
      assert.strictEqual(state.requests, 18)
    })))

  it.live("goes on after it was killed, never exceeds its budget, and teaches what it saw once", () =>
    Effect.scoped(Effect.gen(function*() {
      const prompts = yield* promptFile
      const environment = { SEXTANT_DATA_DIR: yield* dataDirectory }
      yield* startService(environment)
      const { state, url } = yield* startProvider(models)
      const budgetUsd = 0.5
      const args = [
        "audition", prompts, "--models", "gpt-5-nano,gpt-5-mini", "--judge", "gpt-5", "--budget", String(budgetUsd),
        "--value", "0.05", "--base-url", url, "--json", "-"
      ]
      const running = yield* spawnCommand(process.execPath, [program, ...args], environment)
      yield* Effect.sleep("5 millis").pipe(Effect.repeat({ until: () => state.requests >= 11 }), Effect.timeout("30 seconds"))
      yield* running.kill("SIGKILL")
      yield* running.exitCode
      assert.isTrue(existsSync(`${prompts}.audition.jsonl.lock`))

      const done = yield* sextant([...args, "--teach", "--instance", "acme"], environment)
      assert.strictEqual(done.code, 0, done.stderr)
      assert.include(done.stderr, "Going on with")
      const report = JSON.parse(done.stdout.slice(0, done.stdout.indexOf("\n}\n") + 2)) as {
        readonly named: { readonly model_id: string }
        readonly spent_usd: number
        readonly unfinished_usd: number
        readonly models: ReadonlyArray<{ readonly trials: number }>
      }
      assert.strictEqual(report.named.model_id, "gpt-5-mini")
      assert.isAbove(report.unfinished_usd, 0)
      assert.isAtMost(report.spent_usd, budgetUsd)
      assert.isAtLeast(report.spent_usd + 1e-9, state.billUsd)
      const graded = report.models.reduce((sum, { trials }) => sum + trials, 0)
      assert.include(done.stdout, `${graded} rows read, ${graded} outcomes added: ${graded} with a label`)

      const asked = state.requests
      const again = yield* sextant([...args, "--teach", "--instance", "acme"], environment)
      assert.strictEqual(state.requests, asked)
      assert.include(again.stdout, `${graded} were there already`)

      const other = yield* sextant(args.map((word) => word === "gpt-5" ? "gpt-5-nano" : word), environment)
      assert.notStrictEqual(other.code, 0)
      assert.include(other.stdout + other.stderr, "another audition, with other judge or gate")
    })))

  it.live("fails where nothing was graded, says why, and goes on with the right key and after Ctrl-C", () =>
    Effect.scoped(Effect.gen(function*() {
      const prompts = yield* promptFile
      let isKnown = false
      const { state, url } = yield* startProvider(models, () => isKnown ? null : "401")
      const args = [
        "audition", prompts, "--models", "gpt-5-nano,gpt-5-mini", "--judge", "gpt-5", "--budget", "1", "--value", "0.05",
        "--base-url", url
      ]
      const failed = yield* sextant(args, {})
      assert.strictEqual(failed.code, 1)
      assert.include(failed.stdout + failed.stderr, "the provider did not accept the key")
      assert.include(failed.stdout + failed.stderr, "No answer was graded")

      isKnown = true
      const before = state.requests
      const running = yield* spawnCommand(process.execPath, [program, ...args], {})
      yield* Effect.sleep("5 millis").pipe(Effect.repeat({ until: () => state.requests >= before + 5 }), Effect.timeout("30 seconds"))
      yield* running.kill("SIGINT")
      assert.strictEqual(yield* running.exitCode, 130)
      assert.isFalse(existsSync(`${prompts}.audition.jsonl.lock`))

      const done = yield* sextant(args, {})
      assert.strictEqual(done.code, 0, done.stderr)
      assert.match(done.stdout, /^gpt-5-mini is best/)
    })))

  it.live("asks nothing where a word cannot be used, and says which", () =>
    Effect.scoped(Effect.gen(function*() {
      const prompts = yield* promptFile
      const bad = `${prompts}.bad`
      writeFileSync(bad, "\"fine\"\n{\"text\": 1}")
      const base = ["--budget", "1", "--judge", "gpt-5"]
      for (
        const [args, words] of [
          [[prompts, "--models", "gpt-5-nano", ...base], "gpt-5-nano needs OPENAI_API_KEY"],
          [[prompts, "--models", "gpt-5-nan", ...base], "The catalog has no prices of gpt-5-nan"],
          [[bad, "--models", "gpt-5-nano", ...base], "line 2: expected a text"],
          [[prompts, "--models", "gpt-5-nano", "--gate", "true", ...base], "Give either --judge or --gate"]
        ] as const
      ) {
        const { code, stderr, stdout } = yield* sextant(["audition", ...args], {})
        assert.notStrictEqual(code, 0)
        assert.include(stdout + stderr, words)
      }
    })))
})
