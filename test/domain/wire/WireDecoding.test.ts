import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Effect, Option, Schema } from "effect"
import { FeedbackRequest } from "../../../src/domain/feedback/Feedback.ts"
import { RecommendRequest } from "../../../src/domain/Recommendation.ts"
import { wire } from "../../../src/domain/wire/Wire.ts"
import { wireDecoder } from "../../../src/domain/wire/WireDecoding.ts"
import { drawOf } from "../../fuzz/draw.ts"
import { mutated } from "../../fuzz/mutations.ts"

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Requests of a schema and mutations of them, decoded both ways; yields how many the decoder accepted. */
const acceptedOf = Effect.fnUntraced(function*<S extends Schema.Codec<unknown, unknown>>(schema: S) {
  const values = yield* Arbitrary.sampleEffect(Arbitrary.schema(schema), { count: 60, seed: 11 })
  const encode = Schema.encodeSync(schema)
  const decode = Schema.decodeUnknownOption(schema)
  const decodeOurs = wireDecoder(schema)
  let accepted = 0
  values.forEach((value, index) => {
    const sent = encode(value)
    const texts = Array.from({ length: 20 }, (_, at) => mutated(sent, drawOf(index, at)).text)
    for (const body of [JSON.parse(JSON.stringify(sent)), ...texts.map(parsed)]) {
      const ours = decodeOurs(body)
      if (ours === undefined) continue
      accepted++
      const theirs = Option.getOrThrow(decode(body))
      assert.deepStrictEqual(ours, theirs)
      assert.strictEqual(JSON.stringify(ours), JSON.stringify(theirs))
    }
  })
  return accepted
})

describe("the decoder of requests", () => {
  it.effect("accepts nothing that the schema refuses, and decodes to the same value", () =>
    Effect.gen(function*() {
      assert.isAbove(yield* acceptedOf(RecommendRequest), 60)
      assert.isAbove(yield* acceptedOf(FeedbackRequest), 60)
    }))

  it("accepts plain requests, so that the schema is not asked", () => {
    const ofRecommend = wireDecoder(RecommendRequest)
    const full = {
      task: { task: "Sum a list", task_type: "code", tags: ["lang:python"] }, cost_quality_tradeoff: 5,
      constraints: { max_cost_per_call: 0.05, candidate_models: ["a", "b"] }, user_id: null, explain: false
    }
    for (const body of [{ task: { task: "Sum a list" } }, full]) {
      assert.deepStrictEqual(ofRecommend(body), Schema.decodeUnknownSync(RecommendRequest)(body))
    }
    const feedback = { recommendation_id: "r", chosen_model_id: "m", outcome: "success", step_outcomes: [] }
    assert.deepStrictEqual(
      wireDecoder(FeedbackRequest)(feedback),
      Schema.decodeUnknownSync(FeedbackRequest)(feedback)
    )
  })

  it("declines what is missing, of another type, or fails a check", () => {
    const decode = wireDecoder(wire({ aName: Schema.String.check(Schema.isMinLength(2)), count: Schema.Int }))
    assert.deepStrictEqual(decode({ a_name: "ab", count: 1, other: true }), { aName: "ab", count: 1 })
    for (const body of [null, [], "x", {}, { a_name: "a", count: 1 }, { a_name: "ab", count: 1.5 }, { a_name: "ab" }]) {
      assert.isUndefined(decode(body))
    }
  })
})
