// What the client's package promises of itself: its types are those of the API, and it is small.
import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { clientTypes, clientTypesPath } from "../../../scripts/build-client-types.ts"
import { measureEntries } from "../../../scripts/checks/client.ts"

describe("the client's package", () => {
  it("has the types that the document of the API gives: else run npm run client:types", () => {
    assert.strictEqual(readFileSync(clientTypesPath, "utf8"), clientTypes())
  })

  it("adds no more to a bundle than its limits", async () => {
    for (const { bytes, bytesMax, name } of await measureEntries()) assert.isAtMost(bytes, bytesMax, name)
  })

  it("has no dependency", () => {
    const manifest = JSON.parse(readFileSync(new URL("../../../packages/client/package.json", import.meta.url), "utf8"))
    assert.notProperty(manifest, "dependencies")
  })
})
