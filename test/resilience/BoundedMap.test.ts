import { assert, describe, it } from "@effect/vitest"
import { BoundedMap } from "../../src/resilience/BoundedMap.ts"

describe("A map of bounded size", () => {
  it("forgets what was set longest ago, and counts setting a key again as new", () => {
    const map = new BoundedMap<string, number>(2)
    map.set("a", 1)
    map.set("b", 2)
    map.set("a", 3)
    map.set("c", 4)
    assert.deepStrictEqual(["a", "b", "c"].map((key) => map.get(key)), [3, undefined, 4])
  })
})
