// What the client's package promises of itself: it is small, and has no dependency.
import { assert, describe, it } from "@effect/vitest"
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { measureEntries } from "../../../scripts/checks/client.ts"

const root = join(import.meta.dirname, "../../..")

describe("the client's package", () => {
  it("adds no more to a bundle than its limits", async () => {
    for (const { bytes, bytesMax, name } of await measureEntries()) assert.isAtMost(bytes, bytesMax, name)
  })

  it("and the server are never run by the name of a stranger's package", () => {
    const files = globSync(["*.md", "clients/**/*.{md,py}", "deploy/**/*.{md,yaml}", "docs/**/*.md", "src/**/*.{ts,md}", "packages/*/{README.md,src/**/*.ts}", "examples/**/*.{md,js,ts,mjs}"], {
      cwd: root, exclude: (name) => name.includes("node_modules")
    })
    assert.isAbove(files.length, 200)
    // `npx sextant` would install and run what others have published under that name.
    const printed = files.filter((file) => /npx (-\S+ )*sextant(?![-\w])/.test(readFileSync(join(root, file), "utf8")))
    assert.deepStrictEqual(printed, [])
  })

  it("has no dependency", () => {
    const manifest = JSON.parse(readFileSync(new URL("../../../packages/client/package.json", import.meta.url), "utf8"))
    assert.notProperty(manifest, "dependencies")
  })
})
