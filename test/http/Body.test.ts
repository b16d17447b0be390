import { assert, it } from "@effect/vitest"
import { Schema } from "effect"
import { bodyBytesMax, makeBodyRoom } from "../../src/http/body/Body.ts"

it("a small body has room beside large ones that leave none for another large one", () => {
  const room = makeBodyRoom(10 * bodyBytesMax, 0.2)
  const large = 0.9 * bodyBytesMax
  while (room.take(large, "recommend"));
  assert.isFalse(room.take(large, "recommend"))
  assert.isTrue(room.take(1_000, "recommend"))
  assert.isTrue(room.take(bodyBytesMax, "feedback"))
})

it("room for bodies is reserved and given back as requested, and admits any single body", () => {
  const room = makeBodyRoom(10, 0)
  const take = (bytes: number) => room.take(bytes, "feedback")
  assert.deepStrictEqual([take(6), take(5), take(4), take(1)], [true, false, true, false])
  room.giveBack(6)
  assert.deepStrictEqual([take(7), take(6)], [false, true])
  room.giveBack(10)
  assert.deepStrictEqual([take(11), take(0), take(1)], [true, false, false])
})

it.prop("there is no state in which a body of feedback is refused and another body is admitted", {
  takes: Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: bodyBytesMax }))),
  feedback: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: bodyBytesMax })),
  other: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: bodyBytesMax }))
}, ({ feedback, other, takes }) => {
  for (const purpose of ["read", "recommend"] as const) {
    const room = makeBodyRoom(3 * bodyBytesMax, 0.2)
    for (const bytes of takes) room.take(bytes, "feedback")
    const isFeedbackTaken = room.take(feedback, "feedback")
    if (isFeedbackTaken) room.giveBack(feedback)
    if (room.take(other, purpose)) assert.isTrue(isFeedbackTaken)
  }
})
