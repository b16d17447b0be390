import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { environmentOf } from "../../../src/engine/recommend/Environment.ts"

describe("a past outcome's environment", () => {
  const at = environmentOf(["lang:python@3.12", "repo:billing"])

  it("is the same when it shares a tag", () => {
    assert.strictEqual(at(["repo:billing"]), "same")
    assert.strictEqual(at(["lang:python@3.12", "os:linux"]), "same")
  })

  it("conflicts when it names another version of a tool that the request names one of", () => {
    assert.strictEqual(at(["lang:python@3.8"]), "conflict")
    assert.strictEqual(at(["lang:python@3.8", "repo:billing"]), "conflict")
  })

  it("is another one when the tools differ or one side names no version", () => {
    assert.strictEqual(at(["lang:rust@1.80"]), "other")
    assert.strictEqual(at(["lang:python"]), "other")
    assert.strictEqual(at([]), "other")
    assert.strictEqual(environmentOf(["lang:python"])(["lang:python@3.8"]), "other")
  })

  it("does not conflict when the request runs on both versions", () => {
    assert.strictEqual(environmentOf(["lang:python@3.8", "lang:python@3.12"])(["lang:python@3.8"]), "same")
  })

  it("reads a scope that begins with @ and a tag that ends with it as names without a version", () => {
    assert.strictEqual(environmentOf(["@scope"])(["@scope"]), "same")
    assert.strictEqual(environmentOf(["lang:python@"])(["lang:python@"]), "same")
  })
})

const Tag = Schema.Literals(["a", "a@1", "a@2", "b@1", "@x"])

it.prop("is the same as itself, unless it holds one tool in versions that the request lacks", {
  tags: Schema.Array(Tag).check(Schema.isMinLength(1))
}, ({ tags }) => {
  assert.strictEqual(environmentOf(tags)(tags), "same")
})

it.prop("never conflicts where the request has no tags", { tags: Schema.Array(Tag) }, ({ tags }) => {
  assert.strictEqual(environmentOf([])(tags), "other")
})
