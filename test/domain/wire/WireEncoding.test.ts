import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Effect, Schema } from "effect"
import { FeedbackRequest, FeedbackResponse } from "../../../src/domain/feedback/Feedback.ts"
import { RecommendResponse } from "../../../src/domain/Recommendation.ts"
import { wire } from "../../../src/domain/wire/Wire.ts"
import { wireEncoder } from "../../../src/domain/wire/WireEncoding.ts"
import { WorkflowResponse } from "../../../src/domain/Workflow.ts"

const isSame = Effect.fnUntraced(function*<S extends Schema.Codec<unknown, unknown>>(schema: S) {
  const values = yield* Arbitrary.sampleEffect(Arbitrary.schema(schema), { count: 40, seed: 7 })
  const encode = Schema.encodeSync(schema)
  const encodeOurs = wireEncoder(schema)
  for (const value of values) {
    assert.strictEqual(JSON.stringify(encodeOurs(value)), JSON.stringify(encode(value)))
  }
  return values.length
})

describe("the wire encoder", () => {
  it.effect("writes answers and reports as their schemas do, character by character", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* isSame(FeedbackRequest), 40)
      assert.strictEqual(yield* isSame(FeedbackResponse), 40)
      assert.strictEqual(yield* isSame(RecommendResponse), 40)
      assert.strictEqual(yield* isSame(WorkflowResponse), 40)
    }))

  it("renames inside arrays, nulls and structs and leaves the keys of records alone", () => {
    const Inner = wire({ innerName: Schema.String })
    const Outer = wire({
      oneInner: Schema.NullOr(Inner),
      manyInner: Schema.Array(Inner),
      byName: Schema.Record(Schema.String, Schema.Finite)
    })
    assert.deepStrictEqual(
      wireEncoder(Outer)({ oneInner: null, manyInner: [{ innerName: "a" }], byName: { keptAsItIs: 1 } }),
      { one_inner: null, many_inner: [{ inner_name: "a" }], by_name: { keptAsItIs: 1 } }
    )
  })

  it("leaves out what an optional key does not hold", () => {
    const Inner = wire({ innerName: Schema.String })
    const encode = wireEncoder(wire({ mayInner: Schema.optionalKey(Schema.Array(Inner)) }))
    assert.strictEqual(JSON.stringify(encode({})), "{}")
    assert.strictEqual(JSON.stringify(encode({ mayInner: [{ innerName: "b" }] })), '{"may_inner":[{"inner_name":"b"}]}')
  })

  it("encodes what has another form of its own by its schema", () => {
    const At = wire({ atTime: Schema.toCodecJson(Schema.Date) })
    assert.deepStrictEqual<unknown>(wireEncoder(At)({ atTime: new Date(0) }), { at_time: "1970-01-01T00:00:00.000Z" })
    const Plain = wire({ plainStruct: Schema.Struct({ notRenamed: Schema.String }) })
    assert.deepStrictEqual(wireEncoder(Plain)({ plainStruct: { notRenamed: "a" } }), { plain_struct: { notRenamed: "a" } })
    const ByName = Schema.Record(Schema.String, wire({ aName: Schema.String }))
    assert.deepStrictEqual(wireEncoder(ByName)({ keptAsItIs: { aName: "b" } }), { keptAsItIs: { a_name: "b" } })
  })
})
