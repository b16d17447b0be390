// The README of the client: it begins with a short program, and it names what the client has.
import { assert, describe, it } from "@effect/vitest"
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"

const root = join(import.meta.dirname, "../../..")
const textOf = (path: string): string => readFileSync(join(root, path), "utf8")
const page = textOf("packages/client/README.md")

describe("the page of the client", () => {
  it("begins with a program of six lines", () => {
    const [, six = ""] = /^```ts\n([\s\S]*?)^```/m.exec(page) ?? []
    assert.isAtMost(six.split("\n").filter((line) => line !== "").length, 6)
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
    const pages = globSync(["docs/using/*.md", "packages/client/README.md"], { cwd: root }).map(textOf).join("\n")
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
