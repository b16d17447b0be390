import { Cause, Effect, Exit, Fiber, Logger, Metric, Random, Scope } from "effect"
import { TestClock } from "effect/testing"
import { createHash } from "node:crypto"
import * as RecommendationId from "../../../src/domain/RecommendationId.ts"
import { idOf } from "../../support/builders.ts"
import { makeBackend } from "./backend.ts"
import { type Complain, checkRecommendation, checkWorkflow, type Exchange } from "./checker.ts"
import { type Diary, makeFaults } from "./faults.ts"
import { reportKeyOf, makeFeedbackLog } from "./feedback.ts"
import { type Mutation, sound } from "./mutations.ts"
import type { Topology } from "./ports.ts"
import { endProcess, type Process, type Question, startProcess } from "./process.ts"
import { checkLenient, checkMemoryCounts, checkProbe, checkSavings, checkStrict, readSavings } from "./reads.ts"
import { type Draw, drawOf, fiberCount, seededScheduler } from "./seeded.ts"
import { canaryOf, feedbackBody, type Namespace, namespaces, recommendBody, workflowBody } from "./workload.ts"

/*
 * One life of the whole service on a virtual clock: clients, faults, crashes and jumps of the clock, all drawn
 * from a seed. The same seed gives the same trace, whatever the machine does.
 */

export interface Outcome {
  readonly seed: number
  readonly trace: ReadonlyArray<string>
  /** SHA-256 of the trace. */
  readonly hash: string
  readonly violations: ReadonlyArray<string>
  readonly operations: number
  /** By port and kind. */
  readonly faults: ReadonlyMap<string, number>
}

const accounts = ["north", "south", "west"] as const
type Account = typeof accounts[number]
const keyOf = (account: Account): string => `sxt_${account}_k1_${account.repeat(8).slice(0, 32).padEnd(32, "x")}`
const badKeyOf = (account: Account): string => `${keyOf(account).slice(0, -4)}nope`

const startMs = Date.UTC(2026, 10, 20)
const dayMs = 86_400_000
/** Longer than any illness's last effect, and than the longest pauses of deliveries together. */
const settleMs = 45_000

/** Behind everything else that is ready. */
const idlePriority = 1_000

/** A recommendation that somebody was given. */
interface Given {
  readonly account: Account
  readonly namespace: Namespace
  readonly recommendationId: string
  readonly modelId: string
}

/** A feedback that its client still wants acknowledged. */
interface Pending {
  readonly account: Account
  readonly body: unknown
}

const topologyOf = (draw: Draw): Topology => ({
  isMemoryElsewhere: draw.chance(0.5),
  isReasonerConfigured: draw.chance(0.5),
  selectionPolicy: draw.chance(0.4) ? "epsilon_softmax" : "argmin"
})

const entropyOf = (draw: Draw) => () => Uint8Array.from({ length: 10 }, () => draw.below(256))

const run = Effect.fnUntraced(function*(seed: number, mutation: Mutation, live: () => number) {
  const [draw, timing, chance] = [drawOf(seed, 1), drawOf(seed, 2), drawOf(seed, 3)]
  const trace: Array<string> = []
  const violations: Array<string> = []
  const nowMs = Effect.clockWith((clock) => clock.currentTimeMillis)
  const clockMs = () => trace.length
  const note = (text: string) => Effect.map(nowMs, (ms) => void trace.push(`${(ms - startMs).toFixed(3)} ${text}`))
  const complain = (about: string): void => void (violations.length < 50 && violations.push(`${clockMs()} ${about}`))

  yield* TestClock.setTime(startMs)
  const fibersBefore = live()
  const world = yield* Scope.make()
  const topology = topologyOf(draw)
  const faults = yield* makeFaults(drawOf(seed, 4), world, (port, kind) => trace.push(`fault ${port} ${kind}`), 0.85)
  const backend = yield* Scope.provide(makeBackend(faults), world)
  for (const account of accounts) yield* backend.register(keyOf(account))
  const options = { backend, faults, topology, draw: chance, mutation }
  yield* note(`seed ${seed} ${JSON.stringify(topology)}`)

  let process: Process | null = yield* startProcess(options)
  let operations = 0
  const answered = new Map<string, string>()
  const given: Array<Given> = []
  const pending = new Map<string, Pending>()
  const log = makeFeedbackLog(backend, answered)
  const asked = { backend, isReasonerConfigured: topology.isReasonerConfigured }

  const crash = Effect.fnUntraced(function*(downMs: number) {
    const ended = process
    process = null
    yield* note(`crash for ${downMs.toFixed(1)}`)
    if (ended !== null) yield* endProcess(ended)
    yield* Effect.sleep(downMs)
    process = yield* startProcess(options)
    yield* note("started")
  })

  /** Asks; null when there was no answer: the service is down, or its client has gone away. */
  const ask = Effect.fnUntraced(function*(account: Account, question: Question, goneMs: number | null) {
    const diary: Diary = { id: ++operations, seen: [], faults: [] }
    const name = `#${diary.id} ${account} ${question.method} ${question.path}`
    if (question.path === "/v1/feedback") log.sent(diary, account, question.body)
    yield* note(`${name} ${JSON.stringify(question.body ?? null)}`)
    const serving = process
    if (serving === null) return null
    const beganMs = yield* nowMs
    const fiber = yield* Effect.forkIn(serving.ask(question, diary), serving.scope)
    if (goneMs !== null) yield* Effect.forkIn(Effect.delay(Fiber.interrupt(fiber), goneMs), world)
    const exit = yield* Fiber.await(fiber)
    const endedMs = yield* nowMs
    if (Exit.isFailure(exit)) {
      if (!Cause.hasInterruptsOnly(exit.cause)) complain(`${name} died: ${Cause.pretty(exit.cause).slice(0, 500)}`)
      yield* note(`${name} was given up`)
      return null
    }
    const answer = exit.value
    yield* note(`${name} -> ${answer.status} ${answer.text}`)
    const isKeyGood = question.key === keyOf(account)
    const exchange: Exchange = { account, isKeyGood, question, answer, diary, beganMs, endedMs }
    if (answer.status >= 500 && answer.status !== 503) complain(`${name} was answered ${answer.status}`)
    if (answer.status >= 400 && answer.type !== "application/problem+json") complain(`${name} ${answer.status} is no problem`)
    if (answer.status === 503 && answer.retryAfter === null) complain(`${name} 503 has no retry-after`)
    return exchange
  })

  /** Runs a check, whose own trouble (an answer that does not decode) is the answer's. */
  const checked = <A>(exchange: Exchange, check: (complain: Complain) => A): A | null => {
    const { diary, question } = exchange
    const say: Complain = (about) => complain(`#${diary.id} ${exchange.account} ${question.path} ${about}`)
    try {
      return check(say)
    } catch (cause) {
      say(`cannot be checked: ${String(cause).slice(0, 500)}`)
      return null
    }
  }

  const post = (account: Account, path: string, body: unknown, isBad = false): Question =>
    ({ method: "POST", path, key: isBad ? badKeyOf(account) : keyOf(account), body })
  const get = (account: Account, path: string): Question => ({ method: "GET", path, key: keyOf(account), body: null })

  const remember = (
    exchange: Exchange,
    account: Account,
    namespace: Namespace,
    responses: ReadonlyArray<NonNullable<ReturnType<typeof checkRecommendation>>>
  ) => {
    for (const { recommendationId, recommendedModel, warnings } of responses) {
      const record = exchange.diary.seen.find(({ port, what }) => port === "record" && what.includes(recommendationId))
      if (record?.end === "ok" || !warnings.includes("memory_unavailable")) answered.set(recommendationId, account)
      given.push({ account, namespace, recommendationId, modelId: recommendedModel.modelId })
    }
  }

  const recommend = Effect.fnUntraced(function*(account: Account, namespace: Namespace, goneMs: number | null) {
    const isBad = draw.chance(0.04)
    const exchange = yield* ask(account, post(account, "/v1/recommend", recommendBody(draw, namespace), isBad), goneMs)
    if (exchange === null) return null
    const response = checked(exchange, (say) => checkRecommendation(asked, exchange, say))
    if (response !== null) remember(exchange, account, namespace, [response])
    return response
  })

  const workflow = Effect.fnUntraced(function*(account: Account, namespace: Namespace) {
    const exchange = yield* ask(account, post(account, "/v1/recommend/workflow", workflowBody(draw, namespace)), null)
    if (exchange === null) return
    const response = checked(exchange, (say) => checkWorkflow(asked, exchange, say))
    if (response === null) return
    remember(exchange, account, namespace, response.steps.map(({ recommendation }) => recommendation))
  })

  /** Tells a feedback once; true when it need not be told again. */
  const tell = Effect.fnUntraced(function*(account: Account, body: unknown, goneMs: number | null) {
    const claim = reportKeyOf(account, body)
    if (!pending.has(claim)) pending.set(claim, { account, body })
    const exchange = yield* ask(account, post(account, "/v1/feedback", body), goneMs)
    if (exchange === null) return false
    const response = checked(exchange, (say) => log.check(exchange, say))
    if (response !== null) pending.delete(claim)
    return response !== null
  })

  /** As the official clients do: again on 503 and on a lost connection, three times in all. */
  const tellPatiently = Effect.fnUntraced(function*(account: Account, body: unknown) {
    for (let attempt = 0; attempt < 3; attempt++) {
      const goneMs = timing.chance(0.15) ? timing.between(0, 1_500) : null
      if (yield* tell(account, body, goneMs)) return
      yield* Effect.sleep(timing.between(100, 3_000))
    }
  })

  const sleepUpTo = (ms: number) => Effect.suspend(() => Effect.sleep(timing.between(0, ms)))

  /** Some feedback on something that was given, told once, twice, by the wrong account or with a used key. */
  const feedback = Effect.fnUntraced(function*() {
    const about = given.length === 0 ? null : draw.of(given)
    if (about === null) return
    const { account } = about
    const other = draw.of(accounts.filter((each) => each !== account))
    const kind = draw.uniform()
    const body = {
      ...feedbackBody(draw, about),
      ...(draw.chance(0.25) ? { idempotency_key: `key-${draw.below(6)}` } : {})
    }
    if (kind < 0.1) yield* tell(other, body, null)
    else if (kind < 0.15) yield* tell(account, { ...body, recommendation_id: "00000000-0000-7000-8000-000000000000" }, null)
    else if (kind < 0.3) {
      const again = draw.chance(0.3) ? { ...body, ...feedbackBody(draw, about) } : body
      yield* Effect.all([tellPatiently(account, body), Effect.andThen(sleepUpTo(50), tellPatiently(account, again))], {
        concurrency: "unbounded", discard: true
      })
    } else if (kind < 0.45) {
      yield* tellPatiently(account, body)
      yield* sleepUpTo(8_000)
      yield* tellPatiently(account, body)
    } else yield* tellPatiently(account, body)
  })

  const read = Effect.fnUntraced(function*(account: Account, namespace: Namespace) {
    const where = namespace === null ? "" : `namespace=${namespace}`
    switch (draw.below(6)) {
      case 0: {
        const body = { error_text: `${canaryOf(account, namespace)}: connection reset by peer`, namespace }
        const exchange = yield* ask(account, post(account, "/v1/diagnose", body, draw.chance(0.1)), null)
        if (exchange !== null) checked(exchange, (say) => checkLenient(exchange, "diagnose", say))
        return
      }
      case 1: {
        const exchange = yield* ask(account, get(account, `/v1/memory/health?${where}`), null)
        if (exchange !== null) checked(exchange, (say) => checkLenient(exchange, "health", say))
        return
      }
      case 2: {
        const exchange = yield* ask(account, get(account, "/v1/health"), null)
        if (exchange !== null) checked(exchange, (say) => checkProbe(exchange, say))
        return
      }
      default: {
        const path = draw.of([`/v1/savings?days=365&${where}`, `/v1/strategies?${where}`, "/v1/calibration", "/v1/policy-value"])
        const exchange = yield* ask(account, get(account, path), null)
        if (exchange !== null) checked(exchange, (say) => checkStrict(exchange, say))
      }
    }
  })

  const operation = Effect.fnUntraced(function*() {
    const [account, namespace] = [draw.of(accounts), draw.of(namespaces)]
    const kind = draw.uniform()
    if (kind < 0.4) {
      const response = yield* recommend(account, namespace, timing.chance(0.1) ? timing.between(0, 1_500) : null)
      if (response !== null && draw.chance(0.5)) {
        yield* sleepUpTo(4_000)
        yield* feedback()
      }
    } else if (kind < 0.47) yield* workflow(account, namespace)
    else if (kind < 0.8) yield* feedback()
    else yield* read(account, namespace)
  })

  /** Lets the clock run until all of it is done; what never ends is a violation. */
  const through = Effect.fnUntraced(function*(all: Effect.Effect<void>, what: string, mostMs: number) {
    const fiber = yield* Effect.forkChild(all)
    for (let passedMs = 0; passedMs <= mostMs; passedMs += 1_000) {
      // The clock moves only when nobody has anything left to do: this fiber comes last.
      yield* Effect.yieldNowWith(idlePriority)
      if (fiber.pollUnsafe() !== undefined) return yield* Fiber.join(fiber)
      yield* TestClock.adjust(1_000)
    }
    complain(`${what} did not end`)
    yield* Fiber.interrupt(fiber)
  })

  const burst = (count: number, withinMs: number) =>
    Effect.forEach(
      Array.from({ length: count }),
      () => Effect.andThen(sleepUpTo(withinMs), operation()),
      { concurrency: "unbounded", discard: true }
    )

  const crashes = (withinMs: number) =>
    Effect.forEach(
      Array.from({ length: timing.of([0, 0, 1]) }),
      () => Effect.andThen(sleepUpTo(withinMs), Effect.suspend(() => process === null ? Effect.void : crash(timing.between(1, 2_000)))),
      { discard: true }
    )

  const busy = (count: number, withinMs: number) =>
    Effect.all([burst(count, withinMs), crashes(withinMs)], { concurrency: "unbounded", discard: true })

  // Clients as they come, and the process as it goes.
  yield* through(busy(5 + draw.below(6), 12_000), "the first day", 120_000)

  // The clock jumps while the service is down; some come back with word of long ago, to the second.
  const late = given.length > 0 && draw.chance(0.7) ? draw.of(given) : null
  // The ticks of deliveries would fill a week.
  if (process !== null && (topology.isMemoryElsewhere || timing.chance(0.5))) {
    yield* endProcess(process)
    process = null
  }
  const atMs = yield* nowMs
  const bornMs = late === null ? 0 : RecommendationId.timeOf(idOf(late.recommendationId)).getTime()
  // Lanes that are behind are due by the database's clock: put back by an hour, they wait for as long.
  const backMs = topology.isMemoryElsewhere ? -4_000 : -3_600_000
  const jumpMs = late === null ? timing.of([-4_000, backMs, 80 * 3_600_000, 30 * dayMs]) : bornMs + 7 * dayMs - 3_000 - atMs
  yield* note(`jump ${jumpMs}`)
  yield* TestClock.setTime(atMs + jumpMs)
  if (process === null) process = yield* startProcess(options)
  const lateFeedback = late === null ? Effect.void : Effect.forEach(
    timing.of([[-1_000, 1_000], [0, 1], [-1, 0]]),
    (offMs) => {
      const body = { ...feedbackBody(draw, late), idempotency_key: `late${offMs}` }
      return Effect.andThen(Effect.sleep(3_000 + offMs), tellPatiently(late.account, body))
    },
    { concurrency: "unbounded", discard: true }
  )
  const comeback = Effect.all([lateFeedback, busy(3 + draw.below(4), 4_000)], { concurrency: "unbounded", discard: true })
  yield* through(comeback, "the comeback", 120_000)

  // The faults end: what was owed is done in a bounded time, and nothing is lost on the way.
  faults.end()
  if (process === null) process = yield* startProcess(options)
  yield* note("the faults end")
  const calm = Effect.fnUntraced(function*() {
    for (const account of topology.isMemoryElsewhere ? accounts : []) {
      // Somebody has to call before there is a key to deliver with.
      const exchange = yield* ask(account, get(account, "/v1/memory/health"), null)
      if (exchange !== null) checked(exchange, (say) => checkLenient(exchange, "health", say))
    }
    yield* Effect.sleep(settleMs)
    const owed = [...pending.values()]
    for (const { account, body } of owed) {
      if (!(yield* tell(account, body, null))) complain(`a feedback of ${account} cannot be told`)
    }
    if (owed.length > 0) yield* Effect.sleep(5_000)
    const expected = log.expected()
    for (const account of accounts) {
      const waiting = backend.waiting(account)
      if (waiting !== 0) complain(`${waiting} reports of ${account} still wait for the memory`)
      const namespace = draw.of(namespaces)
      const isFullRun = namespace === null
      const savings = yield* ask(account, get(account, `/v1/savings?days=365${isFullRun ? "" : `&namespace=${namespace}`}`), null)
      if (savings !== null) {
        checked(savings, (say) =>
          checkSavings(backend, expected, { account, namespace, isFullRun }, readSavings(savings.answer.json), say))
      }
      const health = yield* ask(account, get(account, `/v1/memory/health${isFullRun ? "" : `?namespace=${namespace}`}`), null)
      if (health !== null) {
        checked(health, (say) => {
          const counts = checkLenient(health, "health", say)
          if (counts !== null && "entryCounts" in counts) checkMemoryCounts(backend, { account, namespace }, counts, say)
          if (counts?.warnings.length !== 0) say("still says that memory is out")
        })
      }
    }
    const account = draw.of(accounts)
    // The first may be the breaker's probe, which it lets through.
    const response = yield* recommend(account, null, null)
    const lost = response?.warnings.filter((warning) =>
      ["recall_timeout", "memory_unavailable", "prices_stale", "reasoner_failed"].includes(warning)) ?? []
    if (lost.length > 0) complain(`${account} is still told ${lost.join(", ")}`)
    const probe = yield* ask("west", get("west", "/v1/health"), null)
    if (probe?.answer.text.includes("\"degraded\"") !== false) complain("the service is still degraded")
    log.checkCounts(complain)
  })
  yield* through(calm(), "the calm", 240_000)
  if (process !== null) yield* endProcess(process)
  yield* TestClock.adjust(90_000)
  yield* Scope.close(world, Exit.void)
  yield* TestClock.adjust(1)
  if (live() !== fibersBefore) complain(`${live() - fibersBefore} fibers have not ended`)

  const hash = createHash("sha256").update(trace.join("\n")).digest("hex")
  return { seed, trace, hash, violations, operations, faults: faults.counts } satisfies Outcome
})

/** Runs one seed. */
export const simulate = (seed: number, mutation: Mutation = sound): Promise<Outcome> => {
  const order = drawOf(seed, 5)
  const fibers = fiberCount()
  return Effect.runPromise(
    run(seed, mutation, fibers.live).pipe(
      Effect.provide(TestClock.layer({ warningDelay: "1 hour" })),
      Effect.provide(Logger.layer([])),
      Effect.provideService(RecommendationId.Entropy, entropyOf(drawOf(seed, 6))),
      Effect.provideService(Metric.FiberRuntimeMetrics, fibers),
      // Nobody looks at the spans, and they cost a third of a run.
      Effect.withTracerEnabled(false),
      Random.withSeed(seed)
    ),
    { scheduler: seededScheduler(order, order.of([0, 0.005, 0.03])) }
  )
}

/** The report of a failing seed; null for a seed that passes. */
export const failureOf = ({ hash, seed, trace, violations }: Outcome): string | null =>
  violations.length === 0 ? null : [
    `seed ${seed} fails (${hash}):`,
    ...violations.map((violation) => `  ${violation}`),
    ...trace.slice(-15).map((line) => `  | ${line.slice(0, 300)}`),
    `  npm run test:simulation -- --seeds 1 --from ${seed} --trace 1000`
  ].join("\n")
