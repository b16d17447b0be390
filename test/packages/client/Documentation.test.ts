// The page of the client: its programs compile against the client, and it names what the client has.
import { assert, describe, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const root = join(import.meta.dirname, "../../..")
const textOf = (path: string): string => readFileSync(join(root, path), "utf8")
const page = textOf("docs/client.md")

/** What the programs of the page take for granted: the reader's key, prompt and calls of a provider. */
const preamble = `import { measuredIterable, type Usage } from "sextant-client"
declare const apiKey: string
declare const prompt: string
declare const generate: (model: string, prompt: string) => Promise<{ readonly usage: Usage }>
declare const passesTheTests: (answer: { readonly usage: Usage }) => Promise<boolean>
declare const stream: (model: string, prompt: string) => Promise<AsyncIterable<{ readonly text?: string; readonly usage?: Usage }>>
`

describe("the page of the client", () => {
  it("begins with six lines, which compile, and so do its other programs of the client itself", () => {
    // Behind the options follow the adapters, whose programs need a framework.
    const [six = "", ...others] = [...page.slice(0, page.indexOf("\n## Options")).matchAll(/^```ts\n([\s\S]*?)^```/gm)].map(([, code = ""]) => code)
    assert.isAtMost(six.split("\n").filter((line) => line !== "").length, 6)
    const directory = mkdtempSync(join(tmpdir(), "sextant-client-page-"))
    try {
      writeFileSync(join(directory, "page.ts"), [preamble, six, ...others].join("\n"))
      writeFileSync(join(directory, "tsconfig.json"), JSON.stringify({
        extends: join(root, "packages/client/tsconfig.json"),
        compilerOptions: {
          rootDir: "/", noEmit: true, declaration: false, isolatedDeclarations: false, module: "esnext",
          moduleResolution: "bundler", paths: { "sextant-client": [join(root, "packages/client/src/index.ts")] }
        },
        include: ["page.ts"]
      }))
      execFileSync(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", directory], { stdio: "pipe" })
    } finally {
      rmSync(directory, { recursive: true, force: true })
    }
  })

  it("explains every reason for the default, and every option", () => {
    const options = textOf("packages/client/src/Options.ts")
    const reasons = [...options.matchAll(/^ {2}\| "(\w+)"/gm)].map(([, word = ""]) => word)
    const names = [...options.slice(options.indexOf("interface SextantOptions"), options.indexOf("const refuse"))
      .matchAll(/^ {2}readonly (\w+)/gm)].map(([, word = ""]) => word)
    assert.isAbove(reasons.length, 8)
    assert.isAbove(names.length, 14)
    assert.deepStrictEqual(reasons.filter((word) => !page.includes(`| \`${word}\` |`)), [])
    assert.deepStrictEqual(names.filter((word) => !page.includes(`\`${word}`)), [])
  })

  it("and the pages beside it name the import of every adapter", () => {
    const { exports } = JSON.parse(textOf("packages/client/package.json")) as { readonly exports: Readonly<Record<string, unknown>> }
    const adapters = Object.keys(exports).map((name) => name.slice(2)).filter((name) => name !== "" && name !== "package.json")
    const pages = readdirSync(join(root, "docs")).filter((name) => name.endsWith(".md"))
      .map((name) => textOf(`docs/${name}`)).join("\n")
    assert.deepStrictEqual(adapters.filter((name) => !pages.includes(`sextant-client/${name}`)), [])
  })
})

describe("the workflow of CI", () => {
  const workflow = textOf(".github/workflows/ci.yml")

  it("runs what .ci/run runs, and may read the repository alone", () => {
    assert.match(workflow, /^ +- run: \.ci\/run$/m)
    assert.match(workflow, /^permissions:\n {2}contents: read$/m)
    const scripts = Object.keys((JSON.parse(textOf("package.json")) as { readonly scripts: object }).scripts)
    const named = [...workflow.matchAll(/npm run ([\w:]+)/g)].map(([, name = ""]) => name)
    assert.isAbove(named.length, 1)
    assert.deepStrictEqual(named.filter((name) => !scripts.includes(name)), [])
  })
})
