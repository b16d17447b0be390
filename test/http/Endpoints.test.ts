import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { wire } from "../../src/domain/wire/Wire.ts"
import { wireDecoder } from "../../src/domain/wire/WireDecoding.ts"
import { definedIn, payloadOf, successOf } from "../../src/http/Endpoints.ts"

const Body = wire({ oneName: Schema.String, twoNames: Schema.String })

describe("the schemas of an endpoint", () => {
  it("are those of its definition, a check that was added to a body included", () => {
    const Checked = Body.check(Schema.makeFilter(({ oneName, twoNames }) => oneName !== twoNames || "they differ"))
    const group = HttpApiGroup.make("a").add(HttpApiEndpoint.post("b", "/b", { payload: Checked, success: Body }))
    const defined = definedIn(group, "b")
    assert.strictEqual(payloadOf<typeof Checked>(defined), Checked)
    assert.strictEqual(successOf<typeof Body>(defined), Body)
    // The hot way decodes by this schema.
    const decode = wireDecoder(payloadOf<typeof Checked>(defined))
    assert.deepStrictEqual(decode({ one_name: "x", two_names: "y" }), { oneName: "x", twoNames: "y" })
    assert.isUndefined(decode({ one_name: "x", two_names: "x" }))
  })

  it("end the start where a body or an answer has several, or none", () => {
    const group = HttpApiGroup.make("a").add(
      HttpApiEndpoint.post("several", "/s", { payload: [Body, Schema.String], success: [Body, Schema.String] }),
      HttpApiEndpoint.get("none", "/n")
    )
    assert.throws(() => payloadOf(definedIn(group, "several")), /several has not one schema/)
    assert.throws(() => successOf(definedIn(group, "several")), /several has not one schema/)
    assert.throws(() => payloadOf(definedIn(group, "none")), /none has not one schema/)
  })
})
