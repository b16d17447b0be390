import { assert, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { TestClock } from "effect/testing"
import { Write } from "../../src/memory/OutboxRows.ts"

const body = { lane: "sextant:default", reinforcement_id: null, entry_ids: ["e1"], quality: 0.8 }

it.effect("a reinforcement that waits since before actors were told is nobody's, of now", () =>
  Effect.gen(function*() {
    const now = new Date("2026-11-21T12:00:00.000Z")
    yield* TestClock.setTime(now.getTime())
    const decode = Schema.decodeUnknownEffect(Write)
    const old = yield* decode({ kind: "reinforce", body })
    assert.deepInclude(old.body, { userId: null, occurredAt: now })
    const told = yield* decode({
      kind: "reinforce", body: { ...body, user_id: "ann", occurred_at: "2026-11-20T12:00:00.000Z" }
    })
    assert.deepInclude(told.body, { userId: "ann", occurredAt: new Date("2026-11-20T12:00:00.000Z") })
    const again = yield* decode(yield* Schema.encodeEffect(Write)(told))
    assert.deepStrictEqual(again, told)
  }))
