import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { conflictsWith } from "../../../../src/engine/recommend/prediction/Environment.ts"

describe("a past outcome's environment", () => {
  const conflicts = conflictsWith(["lang:python@3.12", "repo:billing"])

  it("conflicts when it names another version of a tool that the request names one of", () => {
    assert.isTrue(conflicts(["lang:python@3.8"]))
    assert.isTrue(conflicts(["lang:python@v4", "repo:billing"]))
  })

  it("does not when the version is the same, the tools differ or one side names no version", () => {
    for (const tags of [["lang:python@3.12"], ["lang:rust@1.80"], ["lang:python"], []]) assert.isFalse(conflicts(tags))
    assert.isFalse(conflictsWith(["lang:python"])(["lang:python@3.8"]))
  })

  it("does not when the request runs on both versions", () => {
    assert.isFalse(conflictsWith(["lang:python@3.8", "lang:python@3.12"])(["lang:python@3.8"]))
  })

  it("takes only what begins like a number for a version", () => {
    assert.isFalse(conflictsWith(["owner:ada@example.org"])(["owner:ada@example.com"]))
    assert.isFalse(conflictsWith(["@2"])(["@3"]))
  })
})

const Tag = Schema.Literals(["a", "a@1", "a@2", "b@1", "@x"])

it.prop("never conflicts with itself, nor where the request has no tags", { tags: Schema.Array(Tag) }, ({ tags }) => {
  assert.isFalse(conflictsWith(tags)(tags))
  assert.isFalse(conflictsWith([])(tags))
})
