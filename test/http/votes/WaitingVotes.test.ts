import { assert, it } from "@effect/vitest"
import { Effect, Layer, Logger } from "effect"
import { TestClock } from "effect/testing"
import type { VoteRequest } from "../../../src/domain/Vote.ts"
import { ReaderVotes } from "../../../src/engine/ReaderVotes.ts"
import { limitSettings } from "../../../src/http/limits/LimitSettings.ts"
import { makeWaitingVotes } from "../../../src/http/votes/WaitingVotes.ts"
import { LedgerUnavailable } from "../../../src/ledger/Ledger.ts"
import * as Reason from "../../../src/resilience/FailureReason.ts"

const { votesAtOnce, votesPauseMs, votesStopMs, votesWaitingMax } = limitSettings
const outage = new LedgerUnavailable({ reason: new Reason.Unreachable({ cause: "out" }) })
const refusal = new LedgerUnavailable({ reason: new Reason.Rejected({ cause: "no such value" }) })
const up: VoteRequest = { thumb: "up", comment: null }
const down: VoteRequest = { thumb: "down", comment: null }

/** What was counted, and what happens to each vote instead; null lets it through. */
const makeWorld = () => {
  const counted: Array<string> = []
  const world = {
    counted,
    tries: 0,
    trouble: null as ((token: string) => Effect.Effect<void, LedgerUnavailable> | null) | null
  }
  const votes = Layer.succeed(ReaderVotes, {
    cast: (token: string, { thumb }: VoteRequest) =>
      Effect.suspend(() => {
        world.tries++
        return world.trouble?.(token) ?? Effect.sync(() => void counted.push(`${token} ${thumb}`))
      })
  })
  return { world, provided: Effect.provide(Layer.merge(votes, Logger.layer([])), { local: true }) }
}

/** Time goes by, and what it set going has its turns. */
const pass = (durationMs: number) =>
  Effect.andThen(TestClock.adjust(durationMs), Effect.repeat(Effect.yieldNow, { times: 100 }))

it.effect("votes that come while the ledger is out wait for as long as it is, and pause between their tries", () => {
  const { provided, world } = makeWorld()
  return Effect.scoped(Effect.gen(function*() {
    const add = yield* makeWaitingVotes
    world.trouble = () => Effect.fail(outage)
    for (const token of ["a", "b", "c"]) assert.isTrue(yield* add(token, up))
    for (let second = 0; second < 60; second++) yield* pass(votesPauseMs)
    assert.isAtMost(world.tries, 61 * votesAtOnce)
    assert.deepStrictEqual(world.counted, [])
    world.trouble = null
    for (let second = 0; second < 3; second++) yield* pass(votesPauseMs)
    assert.sameMembers(world.counted, ["a up", "b up", "c up"])
    yield* pass(60 * votesPauseMs)
    assert.lengthOf(world.counted, 3)
  })).pipe(provided)
})

it.effect("of the votes of a token that wait, the last one alone is counted", () => {
  const { provided, world } = makeWorld()
  return Effect.scoped(Effect.gen(function*() {
    const add = yield* makeWaitingVotes
    world.trouble = () => Effect.fail(outage)
    for (const vote of [up, down, up, down]) {
      yield* add("a", vote)
      yield* pass(votesPauseMs)
    }
    yield* add("b", up)
    world.trouble = null
    for (let second = 0; second < 5; second++) yield* pass(votesPauseMs)
    assert.sameMembers(world.counted, ["a down", "b up"])
  })).pipe(provided)
})

it.effect("a vote that the ledger refuses or that dies is dropped, and holds up no other", () => {
  const { provided, world } = makeWorld()
  return Effect.scoped(Effect.gen(function*() {
    const add = yield* makeWaitingVotes
    world.trouble = (token) => token === "bad" ? Effect.fail(refusal) : token === "worse" ? Effect.die("a fault") : null
    for (const token of ["bad", "worse", "bad", "worse", "good"]) yield* add(token, up)
    yield* pass(1)
    assert.deepStrictEqual(world.counted, ["good up"])
    const { tries } = world
    yield* pass(60 * votesPauseMs)
    assert.strictEqual(world.tries, tries)
  })).pipe(provided)
})

it.effect("no more votes wait than their bound, and those that do are counted when the process stops", () => {
  const { provided, world } = makeWorld()
  return Effect.gen(function*() {
    yield* Effect.scoped(Effect.gen(function*() {
      const add = yield* makeWaitingVotes
      world.trouble = () => Effect.never
      for (let i = 0; i < votesAtOnce; i++) yield* add(`under way ${i}`, up)
      yield* pass(1)
      for (let i = 0; i < votesWaitingMax - votesAtOnce; i++) assert.isTrue(yield* add(`waits ${i}`, up))
      yield* add("waits 0", down)
      yield* add("waits 1", down)
      assert.isFalse(yield* add("too many", up))
      world.trouble = null
    }))
    assert.include(world.counted, "waits 0 down")
    assert.notInclude(world.counted, "waits 0 up")
    assert.notInclude(world.counted, "too many up")
    assert.isAtLeast(world.counted.length, votesWaitingMax - votesAtOnce)
  }).pipe(provided)
})

it.effect("a process that stops while the ledger hangs waits for it for some seconds alone", () => {
  const { provided, world } = makeWorld()
  return Effect.gen(function*() {
    const stopping = yield* Effect.forkChild(Effect.scoped(Effect.gen(function*() {
      const add = yield* makeWaitingVotes
      world.trouble = () => Effect.never
      for (const token of ["a", "b", "c"]) yield* add(token, up)
    })))
    for (let tries = 0; tries < 3; tries++) yield* pass(votesStopMs)
    assert.isDefined(stopping.pollUnsafe())
    assert.deepStrictEqual(world.counted, [])
  }).pipe(provided)
})
