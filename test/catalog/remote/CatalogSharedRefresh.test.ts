import { NodeServices } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, type FileSystem, Layer, type Path, Random, type Scope } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"
import { TestClock } from "effect/testing"
import { Catalog } from "../../../src/catalog/Catalog.ts"
import { encode } from "../../../src/catalog/file/LastGood.ts"
import * as CatalogSharedRefresh from "../../../src/catalog/remote/CatalogSharedRefresh.ts"
import { SharedPrices, SharedPricesUnavailable, type TurnResult } from "../../../src/catalog/SharedPrices.ts"
import { sharedPricesSettings } from "../../../src/catalog/SharedPricesSettings.ts"
import * as Reason from "../../../src/resilience/FailureReason.ts"
import { card, idsOf, manyRows, modelsDevBody, temporaryDirectory } from "../fixtures.ts"

/** The row that copies share, with the test's clock as its database's. */
const row = () => {
  const state = { content: null as string | null, revision: 0, dueMs: 0, turn: null as string | null, leasedMs: 0 }
  const fault = { isOut: false, loses: false }
  let turns = 0
  const settles: Array<TurnResult> = []
  const answered = <A>(answer: (nowMs: number) => A) =>
    Effect.flatMap(TestClock.testClockWith((clock) => clock.currentTimeMillis), (nowMs) =>
      fault.isOut ? Effect.fail(new SharedPricesUnavailable({ reason: new Reason.Unreachable({ cause: "out" }) })) : Effect.succeed(answer(nowMs)))
  const shared = SharedPrices.of({
    look: (seen) =>
      answered((nowMs) => {
        if (state.dueMs <= nowMs && state.leasedMs <= nowMs) {
          state.turn = `turn-${turns++}`
          state.leasedMs = nowMs + sharedPricesSettings.leaseMs
          return { turn: state.turn, news: null }
        }
        const isNews = state.revision !== seen && state.dueMs > nowMs && state.content !== null
        return { turn: null, news: isNews ? { revision: state.revision, text: state.content ?? "" } : null }
      }),
    settle: (turn, settled) =>
      answered((nowMs) => {
        if (turn !== state.turn || fault.loses) return null
        settles.push(settled)
        if (settled.text !== null) {
          state.content = settled.text
          state.revision++
        }
        Object.assign(state, { turn: null, leasedMs: 0, dueMs: nowMs + settled.dueInMs })
        return state.revision
      })
  })
  return { shared, state, fault, settles }
}

type Row = ReturnType<typeof row>

/** Price sources that count how often they are asked, and what each says at the moment. */
const sources = () => {
  const said = { body: JSON.stringify(modelsDevBody(idsOf(10))), asked: 0, isMute: false }
  const client = HttpClient.make((request) => {
    if (!request.url.includes("models.dev")) {
      return Effect.succeed(HttpClientResponse.fromWeb(request, new Response("down", { status: 500 })))
    }
    said.asked++
    return said.isMute
      ? Effect.never
      : Effect.sync(() => HttpClientResponse.fromWeb(request, new Response(said.body)))
  })
  return { said, client }
}

/** One copy, with a data directory of its own. */
const copy = (shared: Row, client: HttpClient.HttpClient, lookMs = 5_000): Effect.Effect<
  Catalog["Service"], unknown, FileSystem.FileSystem | Path.Path | Scope.Scope
> =>
  Effect.gen(function*() {
    const dataDirectory = yield* temporaryDirectory
    const context = yield* Layer.build(Layer.fresh(CatalogSharedRefresh.layer(
      { dataDirectory, rows: manyRows(10) }, { ...sharedPricesSettings, lookMs }
    )).pipe(
      Layer.provide(Layer.succeed(SharedPrices, shared.shared)),
      Layer.provide(Layer.succeed(HttpClient.HttpClient, client))
    ))
    return Context.get(context, Catalog)
  })

const isAtFiles = (): boolean => process.getActiveResourcesInfo().some((name) => name.startsWith("FSReq"))

/** Lets files and bodies be read, which the test's clock does not wait for, however busy the machine is. */
const settledDown = Effect.promise(async () => {
  for (let quiet = 0; quiet < 6; quiet = isAtFiles() ? 0 : quiet + 1) {
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
})

const pass = (duration: Parameters<typeof TestClock.adjust>[0]) =>
  Effect.andThen(TestClock.adjust(duration), settledDown)

const versionsOf = (copies: ReadonlyArray<Catalog["Service"]>) =>
  Effect.forEach(copies, ({ snapshot }) => Effect.map(snapshot, ({ version }) => version))

/** To when the sources are due, then two looks at small steps: nothing is read while the clock jumps past its limit. */
const passUntilDue = ({ state }: Row) =>
  Effect.gen(function*() {
    const now = yield* TestClock.testClockWith((clock) => clock.currentTimeMillis)
    yield* pass(Math.max(0, state.dueMs - now - 1))
    for (let n = 0; n < 26; n++) yield* pass("5 seconds")
  })

const world = (count: number, lookMs?: number) =>
  Effect.gen(function*() {
    const shared = row()
    const { client, said } = sources()
    const copies: Array<Catalog["Service"]> = []
    for (let n = 0; n < count; n++) copies.push(yield* copy(shared, client, lookMs))
    yield* settledDown
    return { ...shared, said, client, copies }
  })

const provided = <A, E>(effect: Effect.Effect<A, E, FileSystem.FileSystem | Path.Path | Scope.Scope>) =>
  Effect.andThen(TestClock.setTime(nowMs), effect).pipe(Random.withSeed("prices"), Effect.provide(NodeServices.layer))

/** After the day of the fixtures' bundle. */
const nowMs = Date.parse("2026-11-21T00:00:00Z")
const halfHour = "30 minutes"

describe("Copies that share prices", () => {
  it.effect("read the sources once, and have the same catalog after the next look", () =>
    provided(Effect.gen(function*() {
      const { copies, said } = yield* world(3)
      yield* pass("5 seconds")
      assert.strictEqual(said.asked, 1)
      const [version, ...others] = yield* versionsOf(copies)
      assert.notStrictEqual(version, manyRows(10).version)
      assert.deepStrictEqual(others, [version, version])
    })))

  it.effect("read the sources once per interval, and all take over the changes", () =>
    provided(Effect.gen(function*() {
      const { copies, said, ...shared } = yield* world(2, 60_000)
      yield* pass("1 minute")
      const before = yield* versionsOf(copies)
      said.body = JSON.stringify(modelsDevBody(idsOf(10), 2))
      yield* pass("5 hours")
      assert.strictEqual(said.asked, 1)
      yield* passUntilDue(shared)
      assert.strictEqual(said.asked, 2)
      const after = yield* versionsOf(copies)
      assert.notStrictEqual(after[0], before[0])
      assert.strictEqual(after[1], after[0])
      assert.strictEqual(before[1], before[0])
    })))

  it.effect("do not read the sources when one starts while the shared prices are not due", () =>
    provided(Effect.gen(function*() {
      const { client, copies, said, ...shared } = yield* world(1)
      const late = yield* copy(shared, client)
      yield* settledDown
      const [old, fresh] = yield* versionsOf([copies[0]!, late])
      assert.strictEqual(fresh, old)
      assert.strictEqual(said.asked, 1)
    })))

  it.effect("are not delayed by a copy that took its turn and died", () =>
    provided(Effect.gen(function*() {
      const shared = row()
      const { client, said } = sources()
      Object.assign(shared.state, { turn: "of the dead", leasedMs: nowMs + sharedPricesSettings.leaseMs })
      const alive = yield* copy(shared, client)
      yield* pass("15 seconds")
      assert.strictEqual(said.asked, 0)
      yield* pass("10 seconds")
      assert.strictEqual(said.asked, 1)
      assert.notStrictEqual((yield* alive.snapshot).version, manyRows(10).version)
    })))

  it.effect("have the others' prices after one lost its turn while it read", () =>
    provided(Effect.gen(function*() {
      const shared = row()
      shared.fault.loses = true
      const { client, said } = sources()
      const one = yield* copy(shared, client)
      yield* settledDown
      assert.strictEqual(said.asked, 1)
      const own = (yield* one.snapshot).version
      const others = manyRows(10).cards.map((each) =>
        ({ ...each, inputCostPerMtok: 3, costSource: "litellm", costFetchedAt: "2026-11-20T00:00:00.000Z" }))
      Object.assign(shared.state, { content: yield* encode(others), revision: 7, dueMs: 1e15, turn: null })
      yield* pass("5 seconds")
      assert.notStrictEqual((yield* one.snapshot).version, own)
      assert.strictEqual((yield* one.snapshot).models[0]?.inputCostPerMtok, 3)
    })))

  it.effect("read the sources again soon after they gave nothing, and keep their prices until then", () =>
    provided(Effect.gen(function*() {
      const { copies, said, ...shared } = yield* world(2, 60_000)
      yield* pass("1 minute")
      const [before] = yield* versionsOf(copies)
      said.body = "nothing"
      yield* passUntilDue(shared)
      assert.strictEqual(said.asked, 2)
      assert.strictEqual(shared.settles[1]?.text, null)
      assert.isBelow(shared.settles[1]?.dueInMs ?? Infinity, 70 * 60_000)
      yield* passUntilDue(shared)
      assert.strictEqual(said.asked, 3)
      assert.deepStrictEqual(yield* versionsOf(copies), [before, before])
    })))
})

describe("A copy whose database is unavailable", () => {
  it.effect("starts with the prices it has, reads the sources itself after a minute, and then as often as a single copy", () =>
    provided(Effect.gen(function*() {
      const shared = row()
      shared.fault.isOut = true
      const { client, said } = sources()
      const alone = yield* copy(shared, client, 30_000)
      yield* pass("59 seconds")
      assert.strictEqual(said.asked, 0)
      assert.lengthOf((yield* alone.snapshot).models, 10)
      yield* pass("1 second")
      assert.strictEqual(said.asked, 1)
      assert.notStrictEqual((yield* alone.snapshot).version, manyRows(10).version)
      yield* pass("5 hours")
      assert.strictEqual(said.asked, 1)
      for (let n = 0; n < 4; n++) yield* pass(halfHour)
      assert.strictEqual(said.asked, 2)
    })))

  it.effect("reads the sources itself past the interval when the database is lost, and joins the others afterwards", () =>
    provided(Effect.gen(function*() {
      const { copies, said, ...shared } = yield* world(2, 60_000)
      yield* pass("1 minute")
      shared.fault.isOut = true
      said.body = JSON.stringify(modelsDevBody(idsOf(10), 2))
      for (let n = 0; n < 13; n++) yield* pass(halfHour)
      assert.strictEqual(said.asked, 1)
      for (let n = 0; n < 3; n++) yield* pass(halfHour)
      // Each read for itself.
      assert.strictEqual(said.asked, 3)
      shared.fault.isOut = false
      for (let n = 0; n < 26; n++) yield* pass("5 seconds")
      assert.strictEqual(said.asked, 4)
      const [one, other] = yield* versionsOf(copies)
      assert.strictEqual(one, other)
      assert.strictEqual(shared.state.revision, 2)
    })))

  for (const [name, content] of [
    ["no JSON", "{"],
    ["a negative price", JSON.stringify({ models: [{ model_id: "m0", input_cost_per_mtok: -1 }] })],
    ["a price beyond all belief", JSON.stringify({ models: [{
      model_id: "m0", input_cost_per_mtok: 20_000, output_cost_per_mtok: 20_000, cache_read_cost_per_mtok: null,
      context_window: 1_000, max_output_tokens: null, cost_source: "litellm", cost_fetched_at: "2026-11-20T00:00:00Z"
    }] })],
    ["prices that do not fit together", JSON.stringify({ models: [{
      model_id: "m0", input_cost_per_mtok: 1, output_cost_per_mtok: 2, cache_read_cost_per_mtok: 5,
      context_window: 1_000, max_output_tokens: null, cost_source: "litellm", cost_fetched_at: "2026-11-20T00:00:00Z"
    }] })]
  ] as const) {
    it.effect(`takes over nothing from shared prices with ${name}, and reads the sources itself`, () =>
      provided(Effect.gen(function*() {
        const shared = row()
        Object.assign(shared.state, { content, revision: 3, dueMs: 1e15 })
        const { client, said } = sources()
        const wary = yield* copy(shared, client)
        yield* pass("30 seconds")
        assert.strictEqual((yield* wary.snapshot).version, manyRows(10).version)
        yield* pass("40 seconds")
        assert.strictEqual(said.asked, 1)
        assert.strictEqual((yield* wary.snapshot).costSource, "models.dev")
      })))
  }

  it.effect("takes over a price of a copy whose clock is ahead as if it were read now", () =>
    provided(Effect.gen(function*() {
      const shared = row()
      const ahead = manyRows(10).cards.map(({ modelId }) =>
        card(modelId, { inputCostPerMtok: 2, costSource: "litellm", costFetchedAt: "2027-11-20T00:00:00.000Z" }))
      Object.assign(shared.state, { content: yield* encode(ahead), revision: 3, dueMs: 1e15 })
      const { client } = sources()
      const { snapshot } = yield* copy(shared, client)
      yield* pass("1 second")
      assert.strictEqual((yield* snapshot).models[0]?.inputCostPerMtok, 2)
      assert.isAtMost((yield* snapshot).refreshedAt.getTime(), nowMs + 1_000)
    })))
})
