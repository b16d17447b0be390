// Every program of the pages of `docs/using` is run as it stands, against the real service and a provider of this machine.
import { assert, describe, it, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { type FakeModel, startProvider } from "../packages/audition/provider.ts"
import { buildCommand } from "../packages/client/support/Command.ts"
import { dataDirectory, temporaryDirectory } from "../support/Databases.ts"
import { program } from "../support/program.ts"
import { runToEnd, sextant, startService } from "../support/Service.ts"

const root = join(import.meta.dirname, "../..")
const folder = join(root, "docs/using")
const names = readdirSync(folder).filter((name) => name.endsWith(".md")).sort()

interface Block {
  readonly language: string
  readonly code: string
  /** What the page shows directly below it as its output, empty if nothing. */
  readonly shown: string
}

const blocksOf = (name: string): ReadonlyArray<Block> =>
  [...readFileSync(join(folder, name), "utf8").matchAll(/^```(\w*)\n([\s\S]*?)^```\n(?=(?:```text\n([\s\S]*?)^```)?)/gm)]
    .map(([, language = "", code = "", shown = ""]) => ({ language, code, shown }))

const pages = names.map((name) => ({ name, blocks: blocksOf(name) }))

/** Blocks of `console` need what no test has. */
const outside = /^(?:docker|kubectl|npm|pip|npx sextant-client run) /

const answering: Readonly<Record<string, FakeModel>> = Object.fromEntries(
  ["gpt-5.4-nano", "gpt-5.4-mini", "gpt-5.5"].map((id) => [id, { success: 0.9, tokens: 100, price: { input: 1, output: 5 } }])
)

/** What a reader of TypeScript has before a program: a key, a task, calls of providers. */
const readerTs = `
const apiKey = process.env.SEXTANT_KEY!
const prompt = "Write a function that sums a list", task = prompt
const models = ["gpt-5.4-mini", "gpt-5.5"] as const
const callYourProvider = async (model: string, prompt: string) => "Dear reader, " + model + " did: " + prompt
const passesTests = (answer: unknown) => answer !== undefined
const passesTheTests = async (answer: unknown) => passesTests(answer)
const generate = async (model: string, prompt: string) => ({ text: prompt, usage: { inputTokens: 9, outputTokens: 9 } })
const sextant = createOwn({ baseUrl: process.env.SEXTANT_URL!, apiKey, models, defaultModelId: "gpt-5.5", deadlineMs: 10_000 })
const choice = await sextant.choose(prompt)
const recommendationId = choice.recommendationId ?? ""`

/** The same of Python. */
const readerPython = `
import os
from sextant_client import Sextant
key = os.environ["SEXTANT_KEY"]
prompt = task = "Write a function that sums a list"
call_your_provider = lambda model_id, prompt: "Dear reader"
tests_pass = is_good = lambda answer: True
sextant = Sextant(os.environ["SEXTANT_URL"], key, models=["gpt-5.4-mini", "gpt-5.5"], default_model_id="gpt-5.5", deadline_ms=10_000)
choice = sextant.choose(prompt)
recommendation_id = choice.recommendation_id
`

/** Programs about the client alone; those of the frameworks' adapters are compiled by Snippets.test.ts. */
const isCore = (code: string): boolean =>
  [...code.matchAll(/from "([^"]+)"/g)].every(([, name = ""]) => /^sextant-client(?:\/(?:gates|judge|verify))?$|^node:/.test(name))

const typescriptOf = (blocks: ReadonlyArray<Block>): string => {
  const programs = blocks.filter(({ code, language }) => language === "ts" && isCore(code)).map(({ code }) => code.split("\n"))
  const isImport = (line: string): boolean => line.startsWith("import ")
  const imports = new Set(programs.flatMap((lines) => lines.filter(isImport)))
  return [
    "import { createSextant as createOwn } from \"sextant-client\"", ...imports, readerTs,
    ...programs.map((lines) => `{\n${lines.filter((line) => !isImport(line)).join("\n")}\n}`),
    "if (!(await sextant.flush())) throw new Error(\"a report was lost\")"
  ].join("\n")
}

interface Reader {
  readonly environment: Readonly<Record<string, string>>
  readonly home: string
}

const script = (path: string, text: string) => {
  writeFileSync(path, `#!/bin/sh\n${text}\n`)
  chmodSync(path, 0o755)
}

class Stage extends Context.Service<Stage, Reader>()("test/docs/Using/Stage") {
  static readonly layer = Layer.effect(Stage, Effect.gen(function*() {
    const SEXTANT_DATA_DIR = yield* dataDirectory
    const service = yield* startService({ SEXTANT_DATA_DIR })
    const { stdout: key } = yield* sextant(["keys", "create", "--instance", "acme", "--role", "admin"], { SEXTANT_DATA_DIR })
    const { url } = yield* startProvider(answering)
    const home = yield* temporaryDirectory
    const client = buildCommand()
    mkdirSync(join(home, "bin"))
    script(join(home, "bin/sextant"), [
      `[ "$1" = audition ] && set -- "$@" --base-url ${url}`, `exec "${process.execPath}" "${program}" "$@"`
    ].join("\n"))
    script(join(home, "bin/npx"), [
      "[ \"$1\" = --package ] && shift 2", "[ \"$1\" = sextant-client ] || exit 9", "shift",
      `exec "${process.execPath}" "${client.program}" "$@"`
    ].join("\n"))
    mkdirSync(join(home, "node_modules"))
    symlinkSync(client.directory, join(home, "node_modules/sextant-client"))
    const environment = {
      SEXTANT_DATA_DIR, SEXTANT_URL: service.baseUrl, SEXTANT_KEY: key.trim(), HOME: home, PYTHONPATH: join(root, "clients/python"),
      OPENAI_API_KEY: "sk-own", PATH: `${join(home, "bin")}:${process.env["PATH"] ?? ""}`
    }
    return { environment, home }
  }))
}

/** A folder of a page's own, with a log of calls in it. */
const folderOf = (home: string, name: string): string => {
  const own = join(home, name)
  mkdirSync(own, { recursive: true })
  cpSync(join(root, "examples/backtest/log.jsonl.gz"), join(own, "calls.jsonl.gz"))
  return own
}

/** Runs a program of a page in the page's folder; it must end well. Yields what it printed. */
const runs = (name: string, command: string, args: ReadonlyArray<string>, key?: string) =>
  Effect.gen(function*() {
    const { environment, home } = yield* Stage
    const own = key === undefined ? environment : { ...environment, SEXTANT_KEY: key }
    const { code, stderr, stdout } = yield* runToEnd(command, args, own, folderOf(home, name))
    assert.strictEqual(code, 0, `${name}: ${stderr}${stdout.slice(-2_000)}`)
    return stdout
  })

/** A mark between the outputs of two blocks. */
const mark = "-- end of a block --"

/** The words of what a page shows as an output, without numbers, ids and what is left out. */
const wordsOf = (shown: string): ReadonlyArray<string> => shown.match(/[A-Za-z_]{4,}/g) ?? []

layer(Stage.layer, { excludeTestServices: true, timeout: "240 seconds" })("A reader", (it) => {
  for (const { blocks, name } of pages) {
    const shell = blocks.filter(({ language }) => language === "sh")
    const typescript = typescriptOf(blocks)
    const python = blocks.filter(({ language }) => language === "python").map(({ code }) => code)

    if (shell.length > 0) it.effect(`of ${name} runs its commands in order, and sees what it shows`, () =>
      Effect.gen(function*() {
        const { environment } = yield* Stage
        // Each page has an account of its own, so that its outputs are those of a reader of this page alone.
        const account = name.replace(".md", "")
        const { stdout: key } = yield* sextant(["keys", "create", "--instance", account, "--role", "admin"], environment)
        // A refusal of the service must fail the page; a reader without the option sees its problem body.
        const strict = shell.map(({ code }) => code.replaceAll("curl -sS ", "curl -sS --fail-with-body "))
        // A page sets its own address and key; the tests' are others.
        const own = (code: string) => code.replaceAll(/^export SEXTANT_.*$/gm, ":").replaceAll(/\bacme\b/g, account)
        const printed = (yield* runs(name, "sh", ["-ec", strict.map((code) => `${own(code)}\necho '${mark}'`).join("\n")], key.trim()))
          .split(mark)
        shell.forEach(({ code, shown }, index) => {
          const missing = wordsOf(own(shown)).filter((word) => !printed[index]?.includes(word))
          assert.deepStrictEqual(missing, [], `${name}: ${code}\n${printed[index]}`)
        })
        assert.notMatch(printed.join(""), /unknown_(field|models)|"title"/, name)
      }), 120_000)

    if (typescript.includes("\n{\n")) it.effect(`of ${name} runs its programs in TypeScript`, () =>
      Effect.gen(function*() {
        const { home } = yield* Stage
        const file = join(home, name.replace(".md", ".mts"))
        writeFileSync(file, typescript)
        yield* runs(name, process.execPath, [file])
      }), 60_000)

    if (python.length > 0) it.effect(`of ${name} runs its programs in Python`, () =>
      Effect.gen(function*() {
        const { home } = yield* Stage
        const file = join(home, name.replace(".md", ".py"))
        writeFileSync(file, [readerPython, ...python, "assert sextant.flush(10)"].join("\n"))
        yield* runs(name, "python3", [file])
      }), 60_000)
  }
})

describe.each(pages)("$name", ({ blocks, name }) => {
  it("has JSON that can be read, and leaves untried only what needs other programs", () => {
    for (const { code } of blocks.filter(({ language }) => language === "json")) assert.doesNotThrow(() => JSON.parse(code), code)
    const untried = blocks.filter(({ language }) => language === "console")
      .flatMap(({ code }) => code.replaceAll("\\\n", " ").split("\n")).filter((line) => line !== "" && !outside.test(line))
    assert.deepStrictEqual(untried, [], name)
    const languages = blocks.map(({ language }) => language)
    assert.deepStrictEqual(languages.filter((one) => !["sh", "console", "ts", "python", "json", "text", "yaml"].includes(one)), [])
  })
})

describe("The book", () => {
  it("has at most fourteen pages, of at most 6,800 words together", () => {
    assert.isAtMost(names.length, 14)
    const words = names.map((name) => readFileSync(join(folder, name), "utf8").split(/\s+/).filter((word) => word !== "").length)
    assert.isAtMost(words.reduce((sum, count) => sum + count, 0), 6_800)
    assert.isAbove(pages.flatMap(({ blocks }) => blocks).filter(({ language }) => language === "sh" || language === "ts").length, 28)
  })
})
