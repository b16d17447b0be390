import { assert, describe, it, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { OpenApi } from "effect/http-api"
import { execFileSync } from "node:child_process"
import { globSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DocumentedApi } from "../../../src/http/docs/DocumentedApi.ts"
import { startPage } from "../../../src/http/docs/StartPage.ts"
import { dataDirectory, temporaryDirectory } from "../../support/Databases.ts"
import { runToEnd, type Service as Running, sextant, startService } from "../../support/Service.ts"

/*
 * The samples of the documentation, run as they are printed against the real service: each must end well, and
 * print an answer of its operation.
 */

interface CodeSample {
  readonly label: string
  readonly source: string
}

interface Operation {
  readonly operationId: string
  readonly parameters: ReadonlyArray<unknown>
  readonly responses: Readonly<Record<string, {
    readonly content: Readonly<Record<string, { readonly example: object }>>
  }>>
  readonly "x-codeSamples": ReadonlyArray<CodeSample>
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

const plain = OpenApi.fromApi(DocumentedApi) as unknown as Document

const operations = Object.entries(plain.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })))

/** What the runner of a language prints after each sample. */
const end = "@@ end of the sample"

interface Language {
  readonly extension: string
  /** The program that runs samples. Without it they are left out. */
  readonly program: string
  /** Arguments that run the files given after them, one after the other, and print {@link end} after each. */
  readonly runner: ReadonlyArray<string>
}

const languages: Readonly<Record<string, Language>> = {
  curl: {
    extension: "sh", program: "sh",
    runner: ["-c", `set -e; for file in "$@"; do sh "$file"; echo "${end}"; done`, "sh"]
  },
  TypeScript: {
    extension: "mts", program: process.execPath,
    runner: ["--input-type=module", "-e",
      `for (const file of process.argv.slice(1)) { await import(file); console.log("${end}") }`]
  },
  Python: {
    extension: "py", program: "python3",
    runner: ["-c", `import runpy, sys\nfor file in sys.argv[1:]:\n    runpy.run_path(file)\n    print("${end}")`]
  }
}

const canRun = (command: string): boolean => {
  try {
    execFileSync(command, ["--version"], { stdio: "ignore" })
    return true
  } catch {
    return false
  }
}

class Stage extends Context.Service<Stage, Running>()("test/http/CodeSamples/Stage") {
  static readonly layer = Layer.effect(Stage, Effect.gen(function*() {
    const SEXTANT_DATA_DIR = yield* dataDirectory
    const service = yield* startService({ SEXTANT_DATA_DIR })
    // The role of a bootstrap key does not set an account's models.
    const created = yield* sextant(["keys", "create", "--instance", "samples", "--role", "admin"], { SEXTANT_DATA_DIR })
    return { ...service, key: created.stdout.trim() }
  }))
}

/** Runs the samples in one process of their language, each from a file named after its operation. */
const run = ({ extension, program, runner }: Language, samples: Readonly<Record<string, string>>) =>
  Effect.gen(function*() {
    const { baseUrl, key } = yield* Stage
    const folder = yield* temporaryDirectory
    const files = Object.entries(samples).map(([name, source]) => {
      const path = join(folder, `${name}.${extension}`)
      writeFileSync(path, source)
      return path
    })
    return yield* runToEnd(program, [...runner, ...files], { SEXTANT_URL: baseUrl, SEXTANT_KEY: key })
  }).pipe(Effect.scoped)

describe("The documentation", () => {
  it("has a sample in three languages of every operation, with a query where there is one", () => {
    assert.isAbove(operations.length, 14)
    for (const { method, operation, path } of operations) {
      assert.deepStrictEqual(operation["x-codeSamples"].map(({ label }) => label), Object.keys(languages))
      for (const { source } of operation["x-codeSamples"]) {
        assert.include(source, path)
        assert.notInclude(source, "sxt_")
        if (operation.parameters.length > 0 && method === "get") assert.include(source, `${path}?`, operation.operationId)
      }
    }
  })
})

describe("A line that imports the client", () => {
  const root = join(import.meta.dirname, "../../..")
  const client = join(root, "packages/client")
  const { exports } = JSON.parse(readFileSync(join(client, "package.json"), "utf8")) as { readonly exports: object }
  const pages = globSync(["docs/**/*.md", "packages/client/README.md"], { cwd: root }).map((page) => readFileSync(join(root, page), "utf8"))
  const imports = pages.flatMap((page) =>
    [...page.matchAll(/import \{ ([^}]+) \} from "sextant-client(\/[\w-]+)?"/g)])

  it("names what the package exports, in every page", () => {
    const paths = [...new Set(imports.map(([, , path = ""]) => path))]
    assert.sameMembers(paths, ["", "/ai-sdk", "/gates", "/judge", "/langchain", "/openai", "/otel", "/verify"])
    for (const [line, names = "", path = ""] of imports) {
      // An adapter that this checkout does not have yet has no names to compare.
      if (!Object.hasOwn(exports, `.${path}`)) continue
      const source = readFileSync(join(client, "src", path, "index.ts"), "utf8")
      for (const name of names.split(", ")) {
        assert.match(source, new RegExp(`export (const|function|\\{[^}]*\\b)\\s*${name}\\b`), line)
      }
    }
  })
})

layer(Stage.layer, { excludeTestServices: true, timeout: "120 seconds" })("A sample", (it) => {
  it.effect.skipIf(!canRun("curl"))("in curl on the start page works as printed", () =>
    Effect.gen(function*() {
      const service = yield* Stage
      const text = startPage(service.baseUrl).replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))
      // A lost key of the first start is replaced in the account that the first start made.
      assert.include(text, "keys create --instance local</code>")
      const [, source = ""] = /<code>(curl [^]*?)<\/code>/.exec(text) ?? []
      const { code, stdout } = yield* run(languages["curl"]!, { start: source })
      assert.strictEqual(code, 0)
      assert.include(stdout, "recommendation_id")
      assert.notInclude(stdout, "unknown_models")
    }), 60_000)

  for (const [label, language] of Object.entries(languages)) {
    const test = canRun(label === "curl" ? label : language.program) ? it.effect : it.effect.skip
    test(`in ${label} works as printed, for every operation`, () =>
      Effect.gen(function*() {
        const { code, stderr, stdout } = yield* run(language, Object.fromEntries(operations.map(({ operation }) =>
          [operation.operationId, operation["x-codeSamples"].find((sample) => sample.label === label)!.source])))
        const printed = stdout.split(end)
        const last = `${printed.at(-1)?.slice(0, 300)} ${stderr}`
        assert.strictEqual(code, 0, last)
        assert.strictEqual(stderr, "", last)
        assert.lengthOf(printed, operations.length + 1)
        for (const [at, { operation }] of operations.entries()) {
          const answer = printed[at]!
          const name = `${operation.operationId}: ${answer.slice(0, 300)}`
          assert.notInclude(answer, "about:blank", name)
          const example = operation.responses["200"]?.content["application/json"]?.example ?? {}
          for (const field of Object.keys(example)) assert.include(answer, field, name)
        }
      }), 60_000)
  }
})
