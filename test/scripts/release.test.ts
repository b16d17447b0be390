// A dry release without what it needs; whole, it takes minutes and the registries: `npm run release -- --dry-run`.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { symlinkSync } from "node:fs"
import { join } from "node:path"
import { runToEnd } from "../support/Service.ts"
import { temporaryFolder } from "../support/temporaryFolder.ts"

const script = join(import.meta.dirname, "../../scripts/release.ts")

describe("a dry release", () => {
  it.live("fails, and says so, where there is no Python", () =>
    Effect.gen(function*() {
      const programs = temporaryFolder()
      symlinkSync(process.execPath, join(programs, "node"))
      for (const name of ["npm", "git", "sh"]) {
        symlinkSync(execFileSync("which", [name], { encoding: "utf8" }).trim(), join(programs, name))
      }
      const { code, stderr } = yield* runToEnd(process.execPath, [script, "--dry-run", "--only", "python"], { PATH: programs })
      assert.strictEqual(code, 1)
      assert.match(stderr, /^python: twine could not be had: it needs Python 3 with venv, and PyPI \(.*python3 ENOENT\)$/m)
    }), 120_000)

  it.live("refuses a check that it does not know, and a release without all checks", () =>
    Effect.gen(function*() {
      for (const args of [["--dry-run", "--only", "npm,signature"], ["--only", "names"]]) {
        const { code, stderr } = yield* runToEnd(process.execPath, [script, ...args], {})
        assert.strictEqual(code, 1)
        assert.include(stderr, "--only takes names, npm, python, sbom, image, and needs --dry-run")
      }
    }), 60_000)
})
