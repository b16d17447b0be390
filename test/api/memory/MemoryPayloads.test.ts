import { assert, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { randomUUID } from "node:crypto"
import { OutboxWrite } from "../../../src/memory/outbox/OutboxRows.ts"

const body = {
  lane: "sextant:default", reinforcement_id: randomUUID(), revision: 0, entry_ids: ["e1"], quality: 0.8,
  user_id: "ann", occurred_at: "2026-11-20T12:00:00.000Z"
}

it.effect("a reinforcement that waits is read as it was written", () =>
  Effect.gen(function*() {
    const decode = Schema.decodeUnknownEffect(OutboxWrite)
    const told = yield* decode({ kind: "reinforce", body })
    assert.deepInclude(told.body, { userId: "ann", occurredAt: new Date("2026-11-20T12:00:00.000Z") })
    assert.deepStrictEqual(yield* decode(yield* Schema.encodeEffect(OutboxWrite)(told)), told)
  }))

it.effect("a lane or a moment that a store would choke on is refused before it gets there", () =>
  Effect.gen(function*() {
    const decode = Schema.decodeUnknownEffect(OutboxWrite)
    const moments = ["-150874-12-13T02:07:39.863Z", "+200000-01-01T00:00:00.000Z", "1969-12-31T23:59:59.999Z"]
    for (const wrong of [{ lane: "a\u0000" }, { lane: "\ud800" }, ...moments.map((occurred_at) => ({ occurred_at }))]) {
      const error = yield* Effect.flip(decode({ kind: "reinforce", body: { ...body, ...wrong } }))
      assert.include(String(error), Object.keys(wrong)[0] === "lane" ? "NUL" : "between")
    }
  }))
