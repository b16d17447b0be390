// `sextant-client init` as a person or a script runs it, against the real service with the bundled catalog.
import { NodeFileSystem } from "@effect/platform-node"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Context, Effect, Exit, Layer, Redacted, Scope } from "effect"
import { HttpServer } from "effect/http"
import { execFileSync, spawn } from "node:child_process"
import { createServer } from "node:http"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { codeOf } from "../../../../packages/client/src/command/init/Code.ts"
import { type CatalogModel, proposed, proposedDefault } from "../../../../packages/client/src/command/init/Proposal.ts"
import { Keys } from "../../../../src/accounts/Keys.ts"
import { layerBundled } from "../../../../src/catalog/file/CatalogFile.ts"
import { version } from "../../../../src/domain/Version.ts"
import { engineService } from "../../../http/EngineService.ts"
import * as KeysLocal from "../../../local/KeysLocal.ts"
import { temporaryFolder } from "../../../support/temporaryFolder.ts"
import { type Built, buildCommand, nodes, runCommand, runProgram } from "../support/Command.ts"
import { complaintsOf } from "../support/Compiled.ts"

/** A parsed answer, of whose fields a test names those that it reads. */
type Json = Record<string, any>

const root = join(import.meta.dirname, "../../../..")
const secret = "sk-value-of-a-variable"

const { models: catalog } = JSON.parse(readFileSync(join(root, "src/catalog/file/cards.json"), "utf8")) as {
  readonly models: ReadonlyArray<CatalogModel>
}

const scope = Effect.runSync(Scope.make())
const directory = temporaryFolder()
let built: Built
let keys: typeof Keys.Service
const service = { baseUrl: "", key: "" }
beforeAll(async () => {
  built = buildCommand()
  const context = await Effect.runPromise(Layer.buildWithScope(engineService({
    catalog: Layer.orDie(Layer.provide(layerBundled, NodeFileSystem.layer)), keys: Layer.orDie(KeysLocal.layer([]))
  }), scope)) as Context.Context<HttpServer.HttpServer | Keys>
  keys = Context.get(context, Keys)
  const { address } = Context.get(context, HttpServer.HttpServer)
  service.baseUrl = address._tag === "UnixPathAddress" ? "" : `http://127.0.0.1:${address.port}`
  service.key = Redacted.value(await Effect.runPromise(keys.create("acme")))
})
afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

/** A key of a new account. */
const adminKey = async (account: string): Promise<string> =>
  Redacted.value(await Effect.runPromise(keys.create(account, { role: "admin", expiresAt: null })))

/** A folder with a manifest, as a program has one. */
const programFolder = (name: string, manifest: string): string => {
  const folder = join(directory, name)
  mkdirSync(join(folder, "src"), { recursive: true })
  writeFileSync(join(folder, "package.json"), manifest)
  return join(folder, "src")
}
const withPackages = (name: string, ...packages: ReadonlyArray<string>): string =>
  programFolder(name, JSON.stringify({ dependencies: Object.fromEntries(packages.map((one) => [one, "*"])) }))

interface Settings {
  readonly key?: string
  readonly url?: string
  readonly variables?: Readonly<Record<string, string>>
  readonly folder?: string
  /** Runs the program on this Node, in a process of its own. */
  readonly node?: string
}

const init = (
  args: ReadonlyArray<string>,
  { folder = programFolder("empty", "{}"), key = service.key, node, url = service.baseUrl, variables = {} }: Settings
) => {
  const environment = { SEXTANT_URL: url, SEXTANT_KEY: key, ...variables }
  return node === undefined
    ? runCommand(built, "init", args, folder, environment)
    : runProgram(built.program, ["init", ...args], { node, directory: folder, environment })
}

const accountModels = async (key: string): Promise<Json> =>
  await (await fetch(`${service.baseUrl}/v1/account/models`, { headers: { authorization: `Bearer ${key}` } })).json() as Json

const setAccountModels = async (key: string, document: object): Promise<void> => {
  const response = await fetch(`${service.baseUrl}/v1/account/models`, {
    method: "PUT", headers: { authorization: `Bearer ${key}`, "content-type": "application/json" }, body: JSON.stringify(document)
  })
  assert.strictEqual(response.status, 200, await response.text())
}

const openai = { OPENAI_API_KEY: secret }

describe("the first start of a program", () => {
  for (const [version, node] of nodes) {
    it(`finds the provider by its key, sets its models, and prints lines that run, Node ${version}`, async () => {
      const key = await adminKey(`first-${version.slice(1, 3)}`)
      const { code, stderr, stdout } = await init([], { key, variables: openai, node })
      assert.deepStrictEqual([code, stderr], [0, ""])
      assert.include(stdout, "openai (OPENAI_API_KEY)")
      assert.notInclude(stdout, secret)
      assert.notInclude(stdout, key)
      const { default_candidates } = await accountModels(key)
      assert.isAbove(default_candidates.length, 1)
      assert.include(stdout, `models     ${default_candidates.join(", ")}\n`)

      const lines = stdout.slice(stdout.indexOf("import ")).trimEnd().split("\n")
      assert.strictEqual(lines.length, 6)
      // The program's own package is found as any program finds it.
      mkdirSync(join(directory, "node_modules"), { recursive: true })
      execFileSync("ln", ["-sfn", built.directory, join(directory, "node_modules/sextant-client")])
      writeFileSync(join(directory, "program.mjs"), [
        "const prompt = \"Write a function that sums a list\"", "const callYourModel = async (model) => `ran ${model}`",
        ...lines, "console.log(answer)"
      ].join("\n"))
      const ran = await runProgram(join(directory, "program.mjs"), [], {
        node, environment: { SEXTANT_URL: service.baseUrl, SEXTANT_KEY: key }
      })
      assert.strictEqual(ran.code, 0, ran.stderr)
      assert.isTrue(default_candidates.some((id: string) => ran.stdout === `ran ${id}\n`), ran.stdout)
      const again = await init([], { key, variables: openai, node })
      assert.include(again.stdout, "unchanged")
    })
  }
})

describe("an account that has models", () => {
  it("keeps its choice unless --replace is given, and its own models even then", async () => {
    const key = await adminKey("kept")
    const own = { model_id: "on-prem", provider: "on-prem", input_cost_per_mtok: 0, output_cost_per_mtok: 0, context_window: 8_192 }
    await setAccountModels(key, { default_candidates: ["on-prem"], default_providers: ["on-prem"], models: [own] })
    const before = await accountModels(key)

    const kept = await init(["--yes"], { key, variables: openai })
    assert.strictEqual(kept.code, 0)
    assert.include(kept.stderr, "the account is kept as it is; --replace")
    assert.deepStrictEqual(await accountModels(key), before)

    const replaced = await init(["--yes", "--replace"], { key, variables: openai })
    assert.deepStrictEqual([replaced.code, replaced.stderr], [0, ""])
    assert.include(replaced.stdout, "its default_providers are cleared: on-prem")
    const after = await accountModels(key)
    assert.notInclude(after["default_candidates"], "on-prem")
    assert.deepStrictEqual([after["models"], after["default_providers"]], [before["models"], null])

    // Providers of the candidates alone stay, and others count as a choice that is there.
    await setAccountModels(key, { default_providers: ["openai"] })
    assert.strictEqual((await init(["--yes"], { key, variables: openai })).stderr, "")
    assert.deepStrictEqual((await accountModels(key))["default_providers"], ["openai"])
    await setAccountModels(key, { default_providers: ["anthropic"] })
    assert.include((await init(["--yes"], { key, variables: openai })).stderr, "kept as it is")
  })

  it("is not written to with --dry-run, which prints the document, or by a key that may not", async () => {
    const key = await adminKey("dry")
    const dry = await init(["--dry-run"], { key, variables: openai })
    assert.strictEqual(dry.code, 0)
    assert.include(dry.stdout, "document   {\"default_candidates\":[")
    assert.isNull((await accountModels(key))["default_candidates"])

    const refused = await init(["--json"], { variables: openai })
    assert.strictEqual(refused.code, 3)
    assert.include(refused.stderr, "the key's role is not admin")
    const said = JSON.parse(refused.stdout) as Json
    assert.strictEqual(said["account"], "forbidden")
    assert.strictEqual(said["lines"].length, 6)
    assert.isNull((await accountModels(service.key))["default_candidates"])
  })
})

describe("what init finds", () => {
  const programs: Record<string, string> = {}
  for (
    const [packages, sdk, others] of [
      [["ai", "@ai-sdk/anthropic", "openai"], "ai-sdk", ["@ai-sdk/openai", "@ai-sdk/anthropic"]],
      [["openai"], "openai", []],
      [["@anthropic-ai/sdk"], "anthropic", []],
      [["langchain", "@langchain/anthropic"], "langchain", ["@langchain/anthropic"]],
      [["@google/genai"], "core", []]
    ] as const
  ) {
    it(`is the SDK ${sdk} beside ${packages.join(", ")}`, async () => {
      const { code, stdout } = await init(["--json", "--dry-run"], { folder: withPackages(sdk, ...packages) })
      const said = JSON.parse(stdout) as Json
      assert.deepStrictEqual([code, said["sdk"], said["install"]], [0, sdk, [`${service.baseUrl}/clients/sextant-client-${version}.tgz`, ...others]])
      assert.include(said["models"], said["default_model_id"])
      programs[`${sdk}.ts`] = `declare const prompt: string, callYourModel: (model: string, prompt: string) => Promise<string>
declare const tools: any, messages: any
${said["lines"].filter((line: string) => sdk !== "langchain" || !line.startsWith("const agent")).join("\n")}
export const used = [${({ "ai-sdk": "text", openai: "answer", anthropic: "answer", langchain: "router", core: "answer" })[sdk]}]
`
    })
  }

  it("comes with lines that compile against this package, for each SDK", () => {
    assert.lengthOf(Object.keys(programs), 5)
    // The frameworks are not installed here: what they export is anything, and what this package takes is checked.
    const frameworks = ["ai", "langchain", "openai", "@anthropic-ai/sdk", ...["openai", "anthropic"]
      .flatMap((name) => [`@ai-sdk/${name}`, `@langchain/${name}`])].map((name) => `declare module "${name}"\n`).join("")
    assert.strictEqual(complaintsOf({ ...programs, "frameworks.d.ts": frameworks }, []), "")
  })

  it("is the provider of an empty variable too, because no value is read", async () => {
    const { stdout } = await init(["--json", "--dry-run"], { variables: { ANTHROPIC_API_KEY: "", GROQ_API_KEY: secret } })
    const said = JSON.parse(stdout) as Json
    assert.deepStrictEqual(said["providers"], [{ provider: "anthropic", because: "ANTHROPIC_API_KEY" }])
  })

  it("gives way to flags, which name models by id or alias", async () => {
    const { code, stdout } = await init([
      "--json", "--dry-run", "--model", "openai/gpt-5-mini,claude-sonnet-4-5", "--model", "gpt-5", "--default-model", "gpt-5"
    ], { variables: openai })
    const said = JSON.parse(stdout) as Json
    assert.deepStrictEqual([code, said["models"], said["default_model_id"]], [0, ["gpt-5-mini", "claude-sonnet-4-5", "gpt-5"], "gpt-5"])
  })
})

describe("one line, and an exit code,", () => {
  const page = createServer((_, response) => void response.end("<html>"))
  const silent = createServer(() => {})
  const urlOf = (server: typeof page): string => {
    const address = server.address()
    return `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`
  }
  beforeAll(async () => {
    for (const server of [page, silent]) await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  })
  afterAll(() => {
    for (const server of [page, silent]) {
      server.closeAllConnections()
      server.close()
    }
  })

  it("say what is wrong, without a value of the environment", async () => {
    const cases: ReadonlyArray<readonly [number, string, ReadonlyArray<string>, Settings]> = [
      [1, "ECONNREFUSED", [], { url: "http://127.0.0.1:2" }],
      [1, "not as Sextant does", [], { url: urlOf(page) }],
      [1, "(timeout)", [], { url: urlOf(silent) }],
      [3, "401", [], { key: "sxt_acme_k1_wrong-key-of-someone" }],
      [2, "SEXTANT_KEY is not set", [], { key: "" }],
      [2, "is not an http URL", ["--url", "nowhere"], {}],
      [2, "no provider is found", [], {}],
      [2, "no provider neverheard; it has", ["--provider", "neverheard"], {}],
      [2, "no model gpt-neverheard", ["--model", "gpt-neverheard"], {}],
      [2, "is none of", ["--model", "gpt-5", "--default-model", "gpt-5-mini"], {}],
      [2, "runs none of gpt-5", ["--model", "gpt-5", "--sdk", "anthropic"], {}],
      [2, "--sdk is one of", ["--sdk", "cobol"], {}],
      [2, "--unheard", ["--unheard"], {}],
      [2, "more", ["more"], {}]
    ]
    for (const [expected, text, args, settings] of cases) {
      const { code, stderr, stdout } = await init(args, settings)
      assert.deepStrictEqual([code, stdout], [expected, ""], stderr)
      assert.include(stderr, text)
      assert.strictEqual(stderr.trimEnd().split("\n").length, 1, stderr)
      assert.notInclude(stderr, "wrong-key-of-someone")
    }
  })

  it("say that a manifest is broken, and go on without it", async () => {
    const { code, stderr } = await init(["--dry-run"], { variables: openai, folder: programFolder("broken", "{") })
    assert.strictEqual(code, 0)
    assert.include(stderr, "package.json")
  })

  it("come with help, for the program and for the command", async () => {
    const [all, one, none] = await Promise.all([
      runProgram(built.program, ["--help"]), init(["--help"], { node: process.execPath }), runProgram(built.program, [])
    ])
    assert.deepStrictEqual([all?.code, one?.code, none?.code], [0, 0, 2])
    assert.include(all?.stdout, "mcp")
    assert.include(one?.stdout, "--dry-run")
    const text = readFileSync(join(root, "packages/client/README.md"), "utf8")
    const flags = [...(one?.stdout ?? "").matchAll(/^ {2}(--[a-z-]+)/gm)].map(([, flag = ""]) => flag)
    assert.isAbove(flags.length, 8)
    assert.deepStrictEqual(flags.filter((flag) => !text.includes(`\`${flag}`)), [])
  })
})

describe("a person at a terminal", () => {
  /** Runs the command at a pseudo-terminal; after each text that appears its answer is typed. */
  const talk = async (key: string, answers: ReadonlyArray<readonly [string, string]>) => {
    const child = spawn("script", ["-qec", `${process.execPath} ${built.program} init`, "/dev/null"], {
      cwd: programFolder("person", "{}"),
      env: { PATH: process.env["PATH"], TERM: "dumb", SEXTANT_URL: service.baseUrl, SEXTANT_KEY: key, ...openai }
    })
    let seen = ""
    let from = 0
    const left = [...answers]
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      seen += chunk
      for (let next = left[0]; next !== undefined && seen.includes(next[0], from); next = left[0]) {
        from = seen.indexOf(next[0], from) + next[0].length
        left.shift()
        child.stdin.write(next[1])
      }
    })
    const code = await new Promise<number | null>((resolve) => child.once("close", resolve))
    return { code, seen, left: left.length }
  }

  it("answers four questions, and what is answered is set", async () => {
    const key = await adminKey("person")
    const { code, left, seen } = await talk(key, [
      ["Providers [openai]: ", "openai, anthropic\r"], ["Models [", "gpt-5, claude-sonnet-4-5\r"],
      ["Default model", "gpt-5\r"], ["candidates? [Y/n]: ", "\r"]
    ])
    assert.deepStrictEqual([code, left], [0, 0], seen)
    assert.deepStrictEqual((await accountModels(key))["default_candidates"], ["gpt-5", "claude-sonnet-4-5"])
    const again = await talk(key, [["Providers [", "\r"], ["Models [", "\r"], ["Default model", "\r"], ["Replace these? [y/N]: ", "\r"]])
    assert.deepStrictEqual([again.code, again.left], [0, 0], again.seen)
    assert.deepStrictEqual((await accountModels(key))["default_candidates"], ["gpt-5", "claude-sonnet-4-5"])
  })

  it("may leave, and then nothing is written", async () => {
    const key = await adminKey("left")
    for (const leaving of ["\u0004", "\u0003"]) {
      const { code, seen } = await talk(key, [["Providers [openai]: ", "\r"], ["Models [", leaving]])
      assert.strictEqual(code, 1, seen)
      assert.include(seen, "nothing is written")
    }
    assert.isNull((await accountModels(key))["default_candidates"])
  })
})

it("an id of the service moves no cursor and ends no text in the lines", () => {
  const [model] = catalog
  if (model === undefined) return assert.fail("the catalog is empty")
  const id = "a\"]\u001b[2J\u009b2J\u2028\n`${process.exit()}"
  const { lines } = codeOf("core", [{ ...model, model_id: id }], id, "http://127.0.0.1:8080", "sextant-client")
  const text = lines.join("\n")
  assert.notMatch(text, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028]/)
  const [, list = ""] = /models: (\[.*\]), defaultModelId/.exec(text) ?? []
  assert.deepStrictEqual(JSON.parse(list), [id])
})

describe("the proposal", () => {
  it("has at most three models a provider, each dearer and more capable than the one before", () => {
    const names = [...new Set(catalog.map(({ provider }) => provider))]
    assert.isAbove(names.length, 10)
    for (const name of names) {
      const found = proposed(catalog, name)
      assert.isAtLeast(found.length, 1, name)
      assert.isAtMost(found.length, 3, name)
      for (const [i, model] of found.slice(1).entries()) {
        const before = found[i]
        assert.isAbove(model.capability_priors?.overall ?? 0, before?.capability_priors?.overall ?? 1)
        assert.isAbove(
          model.input_cost_per_mtok + model.output_cost_per_mtok,
          (before?.input_cost_per_mtok ?? Infinity) + (before?.output_cost_per_mtok ?? Infinity)
        )
      }
      assert.include(found, proposedDefault(found))
    }
  })

  it("is empty for a provider that the catalog does not have", () => {
    assert.deepStrictEqual(proposed(catalog, "groq"), [])
    assert.isUndefined(proposedDefault([]))
  })
})
