// Which sources are in the package: none that only tests use, and all that package.json names.
import { assert, describe, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { join, relative } from "node:path"

const root = join(import.meta.dirname, "../..")

/** The sources that the build compiles, by their path in the repository. */
const compiled: ReadonlySet<string> = new Set(
  execFileSync(
    process.execPath,
    [join(root, "node_modules/typescript/bin/tsc"), "-p", "tsconfig.build.json", "--listFilesOnly"],
    { cwd: root, encoding: "utf8" }
  ).split("\n").map((path) => relative(root, path)).filter((path) => /^(src|packages|test|scripts)\//.test(path))
)

describe("the package", () => {
  it("contains no source that only tests and benchmarks use", () => {
    assert.isAbove(compiled.size, 200)
    assert.isTrue(compiled.has("src/reports/PolicyWorker.ts"))
    assert.deepStrictEqual([...compiled].filter((path) => path.startsWith("test/") || path.startsWith("scripts/")), [])
  })

  it("contains every file that its exports and its program name", () => {
    const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
      readonly bin: Readonly<Record<string, string>>
      readonly exports: Readonly<Record<string, string | { readonly types: string; readonly default: string }>>
    }
    const named = [...Object.values(manifest.bin), ...Object.values(manifest.exports)]
      .flatMap((entry) => typeof entry === "string" ? [entry] : [entry.types, entry.default])
    for (const path of named) {
      const source = /^\.\/dist\/(.+?)(?:\.d\.ts|\.js)$/.exec(path)?.[1]
      assert.isTrue(source === undefined ? existsSync(join(root, path)) : compiled.has(`${source}.ts`), path)
    }
  })

  it("has scripts whose files exist", () => {
    const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
      readonly scripts: Readonly<Record<string, string>>
    }
    for (const [name, command] of Object.entries(scripts)) {
      for (const [path] of command.matchAll(/\b(?:src|scripts|test)\/\S+\.ts\b/g)) {
        assert.isTrue(existsSync(join(root, path)), `${name}: ${path}`)
      }
    }
  })
})
