import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as ModelVariant from "../../../src/domain/model/ModelVariant.ts"
import { Effort } from "../../../src/domain/model/Effort.ts"
import { nameOf } from "../../../src/domain/text/Text.ts"

const strange = [
  "", "#", "##", "#low", "gpt-5", "gpt-5#", "gpt-5#Größe", "gpt-5#low high", "gpt-5#low\u0000", "gpt-5#\uD800",
  "accounts/fireworks/models/glm-4p5#accounts/me/deployments/vtfi4ll1", `gpt-5#${"x".repeat(33)}`,
  "#".repeat(256), "gpt-5#effort=", "gpt-5#-low", "gpt-5#\u202elow"
]

describe("A variant", () => {
  it.prop("is kept under an id from which model and level are read again", {
    modelId: Schema.String.check(Schema.isMinLength(1)),
    level: Schema.Literals(["none", "low", "x-high", "16k", "max_2.5"])
  }, ({ level, modelId }) => {
    const id = ModelVariant.variantIdOf({ modelId, effort: level })
    assert.deepStrictEqual(ModelVariant.variantOf(id), { modelId, effort: level })
    assert.deepStrictEqual(ModelVariant.readVariant(ModelVariant.variantName(id)), { modelId, effort: level })
    assert.deepStrictEqual(ModelVariant.nameOfKept(id), { modelId, effort: level })
  })

  it("is read from what a caller writes in any case, the last separator counting", () => {
    assert.deepStrictEqual(ModelVariant.readVariant("gpt-5#HIGH"), { modelId: "gpt-5", effort: "high" })
    assert.deepStrictEqual(ModelVariant.readVariant("a#b#low"), { modelId: "a#b", effort: "low" })
  })

  it("is none of these texts", () => {
    for (const text of strange) {
      assert.isNull(ModelVariant.readVariant(text), text)
      assert.deepStrictEqual(ModelVariant.namedOf(text), { modelId: text })
    }
  })

  it("is not what an account has named with the separator of requests", () => {
    assert.deepStrictEqual(ModelVariant.namedOf("gpt-5#low"), { modelId: "gpt-5#low" })
    assert.strictEqual(nameOf(ModelVariant.variantIdOf({ modelId: "gpt-5", effort: "low" })), "gpt-5#low")
  })
})

it("A level's name is one lower-case word of at most 32 characters", () => {
  const is = Schema.is(Effort)
  for (const name of ["low", "x-high", "16k", "a".repeat(32)]) assert.isTrue(is(name), name)
  for (const name of ["", "LOW", "low#high", "a b", "a".repeat(33), "größe", "lo\u0000w", "-low"]) {
    assert.isFalse(is(name), name)
  }
})
