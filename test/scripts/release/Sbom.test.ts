import { assert, describe, it } from "@effect/vitest"
import { named, type Sbom, sbomProblems } from "../../../scripts/release/Sbom.ts"

const lock = {
  name: "sextant-server",
  packages: {
    "": { version: "0.1.0" }, "node_modules/a": { version: "1.0.0" }, "node_modules/a/node_modules/@s/b": { version: "2.0.0" },
    "node_modules/dev": { version: "3.0.0", dev: true }, "node_modules/own": { link: true }
  }
}
const hashes = [{}]
const whole: Sbom = {
  metadata: { component: { name: "a-folder" } },
  components: [{ purl: "pkg:npm/a@1.0.0", hashes }, { purl: "pkg:npm/%40s/b@2.0.0", hashes }]
}

describe("the list of the server's parts", () => {
  it("is whole with every package of run time, its version and a hash", () => {
    assert.deepStrictEqual(sbomProblems(whole, lock), [])
  })

  it("is refused without one of them, of another version, or without its hash", () => {
    const [a, b] = whole.components
    for (const wrong of [[], [{ purl: "pkg:npm/%40s/b@2.0.1", hashes }], [{ ...b, purl: "pkg:npm/%40s/b@2.0.0", hashes: [] }]]) {
      const problems = sbomProblems({ ...whole, components: [...(a === undefined ? [] : [a]), ...wrong] }, lock)
      assert.deepStrictEqual(problems, ["sbom: pkg:npm/@s/b@2.0.0 is missing, or has no hash"])
    }
  })

  it("has the package's name, whatever the folder is called", () => {
    assert.strictEqual(named(whole, lock).metadata.component.name, "sextant-server")
  })
})
