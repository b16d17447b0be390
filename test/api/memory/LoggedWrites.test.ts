import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import { decodeWrite, encodeWrites } from "../../../src/api/memory/LoggedWrites.ts"
import { AccountId } from "../../../src/domain/Scope.ts"

const accountId = AccountId.make("acme")

const body = {
  lane: "sextant:default", reinforcement_id: randomUUID(), revision: 0, entry_ids: ["e1"], quality: 0.8,
  user_id: "ann", occurred_at: "2026-11-20T12:00:00.000Z"
}

it.effect("a reinforcement that waits is read as it was written", () =>
  Effect.gen(function*() {
    const told = yield* decodeWrite(accountId, { kind: "reinforce", body })
    assert.deepInclude(told.body, { accountId, userId: "ann", occurredAt: new Date("2026-11-20T12:00:00.000Z") })
    const [kept] = encodeWrites([told]) ?? []
    assert.deepStrictEqual(kept, { kind: "reinforce", body })
    assert.deepStrictEqual(yield* decodeWrite(accountId, JSON.parse(JSON.stringify(kept))), told)
  }))

it("a report without writes keeps nothing", () => assert.isNull(encodeWrites([])))

it.effect("a lane or a moment that a store would choke on is refused before it gets there", () =>
  Effect.gen(function*() {
    const moments = ["-150874-12-13T02:07:39.863Z", "+200000-01-01T00:00:00.000Z", "1969-12-31T23:59:59.999Z"]
    for (const wrong of [{ lane: "a\u0000" }, { lane: "\ud800" }, ...moments.map((occurred_at) => ({ occurred_at }))]) {
      const error = yield* Effect.flip(decodeWrite(accountId, { kind: "reinforce", body: { ...body, ...wrong } }))
      assert.include(String(error), Object.keys(wrong)[0] === "lane" ? "NUL" : "between")
    }
  }))
