import { assert, describe, it } from "@effect/vitest"
import { Array as Arr, type Duration, Effect, Fiber, Layer, Logger } from "effect"
import { TestClock } from "effect/testing"
import type { Decision } from "../../../src/domain/Decision.ts"
import { parse } from "../../../src/domain/RecommendationId.ts"
import { bufferSettings } from "../../../src/ledger/buffer/BufferSettings.ts"
import * as LedgerBuffered from "../../../src/ledger/buffer/LedgerBuffered.ts"
import { BudgetExhausted, Ledger, LedgerUnavailable } from "../../../src/ledger/Ledger.ts"
import * as Reason from "../../../src/resilience/FailureReason.ts"
import * as LedgerLocal from "../../local/LedgerLocal.ts"
import { decisionIn, decisionOf, newAccount } from "../LedgerContract.ts"

type Write = Effect.Effect<void, LedgerUnavailable>

/** A ledger whose writes the test decides, and the backlog over it. */
const world = <A, E>(
  use: (store: {
    /** What happens instead of the next writes; null lets them through. */
    trouble: ((decisions: ReadonlyArray<Decision>) => Write | null) | null
    /** What becomes of checked writes. */
    verdict: () => Effect.Effect<void, BudgetExhausted | LedgerUnavailable>
    readonly attempts: Array<ReadonlyArray<Decision>>
    /** What the ledger has. */
    readonly written: () => ReadonlyArray<Decision>
  }) => Effect.Effect<A, E, Ledger>,
  atEnd: (written: ReadonlyArray<Decision>, logged: ReadonlyArray<unknown>) => void = () => {}
) => {
  const written: Array<Decision> = []
  const logged: Array<unknown> = []
  const store: Parameters<typeof use>[0] = { trouble: null, verdict: () => Effect.void, attempts: [], written: () => written }
  const base = Layer.effect(Ledger, Effect.map(Ledger, (ledger) =>
    Ledger.of({
      ...ledger,
      recordWithin: () => Effect.suspend(() => store.verdict()),
      record: (decisions) =>
        Effect.suspend(() => {
          store.attempts.push(decisions)
          return store.trouble?.(decisions) ?? Effect.tap(ledger.record(decisions), () =>
            Effect.sync(() => written.push(...decisions.filter((decision) => !written.includes(decision)))))
        })
    }))).pipe(Layer.provide(Layer.fresh(LedgerLocal.layer)))
  return use(store).pipe(
    Effect.provide(LedgerBuffered.layer.pipe(Layer.provide(base)), { local: true }),
    Effect.provide(Logger.layer([Logger.make(({ message }) => logged.push(message))])),
    Effect.andThen(Effect.sync(() => atEnd(written, logged)))
  )
}

const outage = new LedgerUnavailable({ reason: new Reason.Unreachable({ cause: "out" }) })
const refusal = new LedgerUnavailable({ reason: new Reason.Rejected({ cause: "no such value" }) })
const exhausted = new BudgetExhausted({ usd: 1, period: "day", endsAtMs: 0 })
const out = () => Effect.fail(outage)
const { attemptMs, decisionsMax, retryMsMax, writeMs } = bufferSettings

/** Time goes by, and what it set going has its turns. */
const pass = (duration: Duration.Input) =>
  Effect.andThen(TestClock.adjust(duration), Effect.repeat(Effect.yieldNow, { times: 100 }))

describe("a ledger with a buffer", () => {
  it.effect("writes at once while the ledger is there", () =>
    world((store) =>
      Effect.gen(function*() {
        const decision = decisionOf(newAccount())
        yield* (yield* Ledger).record([decision])
        assert.deepStrictEqual(store.written(), [decision])
      })))

  it.effect("keeps no decision that the budget refuses, and writes an answered one unchecked", () =>
    world((store) =>
      Effect.gen(function*() {
        const ledger = yield* Ledger
        const check = { billsPerEstimate: 1, keptUsd: 0 }
        const [refused, answered] = [decisionOf(newAccount()), decisionOf(newAccount())]
        store.verdict = () => Effect.fail(exhausted)
        assert.strictEqual(yield* Effect.flip(ledger.recordWithin([refused], check)), exhausted)
        yield* pass("1 minute")
        assert.deepStrictEqual(store.attempts, [])
        store.verdict = out
        assert.strictEqual(yield* Effect.flip(ledger.recordWithin([answered], check)), outage)
        yield* pass("1 minute")
        assert.deepStrictEqual(store.written(), [answered])
      })))

  it.effect("reports a failed write, keeps its decision, and writes it once the ledger is back", () =>
    world((store) =>
      Effect.gen(function*() {
        const ledger = yield* Ledger
        const decision = decisionOf(newAccount())
        store.trouble = out
        assert.strictEqual(yield* Effect.flip(ledger.record([decision])), outage)
        yield* pass("1 minute")
        assert.deepStrictEqual(store.written(), [])
        store.trouble = null
        yield* pass(retryMsMax)
        assert.deepStrictEqual(store.written(), [decision])
        assert.deepStrictEqual(yield* decisionIn(ledger, decision.accountId, decision.recommendationId), decision)
      })))

  it.effect("lets only the drain try an unreachable ledger: callers buffer decisions without waiting", () =>
    world((store) =>
      Effect.gen(function*() {
        const ledger = yield* Ledger
        store.trouble = () => Effect.never
        const first = yield* Effect.forkChild(Effect.flip(ledger.record([decisionOf(newAccount())])), {
          startImmediately: true
        })
        yield* pass(writeMs)
        yield* Fiber.join(first)
        yield* pass(attemptMs)
        const asked = store.attempts.length
        for (let i = 0; i < 20; i++) yield* Effect.flip(ledger.record([decisionOf(newAccount())]))
        assert.isAtMost(store.attempts.length, asked + 1)
        store.trouble = null
        yield* pass(attemptMs + retryMsMax)
        assert.lengthOf(store.written(), 21)
        yield* ledger.record([decisionOf(newAccount())])
        assert.lengthOf(store.written(), 22)
      })))

  for (const [what, fault] of [
    ["fails", Effect.fail(new LedgerUnavailable({ reason: new Reason.Unclassified({ cause: "a page is damaged" }) }))],
    ["dies on", Effect.die("a fault")]
  ] as const) {
    it.effect(`writes what waits beside a decision that the ledger ${what}, which it keeps and retries`, () =>
      world((store) =>
        Effect.gen(function*() {
          const ledger = yield* Ledger
          const accountId = newAccount()
          const bad = decisionOf(accountId)
          const others = [...Array.from({ length: 80 }, () => decisionOf(accountId)), decisionOf(newAccount())]
          store.trouble = out
          for (const each of [bad, ...others]) yield* Effect.exit(ledger.record([each]))
          store.trouble = (decisions) => decisions.includes(bad) ? fault : null
          yield* pass("20 seconds")
          assert.sameMembers([...store.written()], others)
          store.trouble = null
          yield* pass("2 seconds")
          assert.include(store.written(), bad)
        })))
  }

  it.effect("fails to find a waiting decision, and finds it as soon as the ledger has taken it", () =>
    world((store) =>
      Effect.gen(function*() {
        const ledger = yield* Ledger
        const decision = decisionOf(newAccount())
        store.trouble = out
        yield* Effect.flip(ledger.record([decision]))
        const { accountId, recommendationId } = decision
        assert.strictEqual(yield* Effect.flip(decisionIn(ledger, accountId, recommendationId)), outage)
        assert.isNull(yield* decisionIn(ledger, newAccount(), recommendationId))
        store.trouble = null
        assert.deepStrictEqual(yield* decisionIn(ledger, accountId, parse(recommendationId.toUpperCase()) ?? assert.fail()), decision)
        assert.deepStrictEqual(store.written(), [decision])
      })))

  it.effect("keeps no decision that the ledger refuses, alone or in a batch, and writes the others", () =>
    world((store) =>
      Effect.gen(function*() {
        const ledger = yield* Ledger
        const account = newAccount()
        const [good, bad] = [decisionOf(account), decisionOf(account)]
        store.trouble = (decisions) => decisions.includes(bad) ? Effect.fail(refusal) : null
        assert.strictEqual(yield* Effect.flip(ledger.record([bad])), refusal)
        store.trouble = out
        yield* Effect.flip(ledger.record([bad]))
        yield* Effect.flip(ledger.record([good]))
        store.trouble = (decisions) => decisions.includes(bad) ? Effect.fail(refusal) : null
        yield* pass(retryMsMax)
        assert.deepStrictEqual(store.written(), [good])
        const { length } = store.attempts
        yield* pass("1 minute")
        assert.lengthOf(store.attempts, length)
      })))

  it.effect("keeps what was given up, so that an answer sent without its write is known later", () =>
    world((store) =>
      Effect.gen(function*() {
        const ledger = yield* Ledger
        const decision = decisionOf(newAccount())
        store.trouble = () => Effect.never
        const writing = yield* Effect.forkChild(ledger.record([decision]), { startImmediately: true })
        yield* Fiber.interrupt(writing)
        store.trouble = null
        yield* pass(attemptMs + retryMsMax)
        assert.deepStrictEqual(store.written(), [decision])
      })))

  it.effect("keeps no more than its bound", () =>
    world((store) =>
      Effect.gen(function*() {
        const ledger = yield* Ledger
        const account = newAccount()
        store.trouble = out
        yield* Effect.flip(ledger.record(Arr.makeBy(decisionsMax + 5, () => decisionOf(account))))
        store.trouble = null
        yield* pass("1 minute")
        assert.lengthOf(store.written(), decisionsMax)
      })))

  it.effect("writes what waits when it is stopped", () => {
    const decision = decisionOf(newAccount())
    return world((store) =>
      Effect.gen(function*() {
        store.trouble = out
        yield* Effect.flip((yield* Ledger).record([decision]))
        store.trouble = null
      }), (written) => assert.deepStrictEqual(written, [decision]))
  })

  it.effect("says that it loses what waits when it is stopped while the ledger is out", () =>
    world((store) =>
      Effect.gen(function*() {
        store.trouble = out
        yield* Effect.flip((yield* Ledger).record([decisionOf(newAccount())]))
      }), (written, logged) => {
      assert.deepStrictEqual(written, [])
      assert.deepInclude(logged, ["Decisions are lost: the ledger is out"])
    }))
})
