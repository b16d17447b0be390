import { assert, it } from "@effect/vitest"
import { Schema } from "effect"
import * as RecommendationId from "../../src/domain/RecommendationId.ts"

const EpochMs = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2 ** 48 - 1 }))

it("the example of RFC 9562 carries its time", () => {
  const id = RecommendationId.parse("017F22E2-79B0-7CC3-98C4-DC0C0C07398F") ?? assert.fail()
  assert.strictEqual(RecommendationId.timeOf(id).toISOString(), "2022-02-22T19:22:22.000Z")
  assert.strictEqual(id, "017f22e2-79b0-7cc3-98c4-dc0c0c07398f")
})

it("an id is spelled from its parts, with version and variant over the random bytes", () => {
  const random = Uint8Array.from([0xff, 0xc3, 0xff, 0xc4, 0xdc, 0x0c, 0x0c, 0x07, 0x39, 0x8f])
  const id = RecommendationId.fromParts(0x017f22e279b0, random)
  assert.strictEqual(id, "017f22e2-79b0-7fc3-bfc4-dc0c0c07398f")
})

it.prop("the time of an id is the time that it was made from", { epochMs: EpochMs }, ({ epochMs }) => {
  assert.strictEqual(RecommendationId.timeOf(RecommendationId.make(epochMs)).getTime(), epochMs)
})

it.prop("no text but a UUIDv7 is an id", { text: Schema.String }, ({ text }) => {
  assert.isNull(RecommendationId.parse(text))
})

it("a random UUID, of version 4, is no id", () => {
  assert.isNull(RecommendationId.parse("9b2de5a1-6ad4-4c1b-9d0e-0a9cf2f7a111"))
})

it.prop("an id that is made is read as itself, in capitals or not", { epochMs: EpochMs }, ({ epochMs }) => {
  const id = RecommendationId.make(epochMs)
  assert.strictEqual(RecommendationId.parse(id), id)
  assert.strictEqual(RecommendationId.parse(id.toUpperCase()), id)
})

it("an id of a year after 9999 has a time that PostgreSQL reads", () => {
  const id = RecommendationId.parse("ed5ecfde-2e46-7fa4-b3ea-bb58abbc36fb") ?? assert.fail()
  assert.match(RecommendationId.createdAtOf(id), /^10\d{3}-/)
  assert.strictEqual(RecommendationId.createdAtOf(RecommendationId.make(0)), "1970-01-01T00:00:00.000Z")
})
