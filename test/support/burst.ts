// A burst of recommendations under a budget, whose bills are reported only after it, and what it has cost.
import { Effect, Schedule } from "effect"
import { defaults } from "../../src/engine/Settings.ts"
import { generator, normal } from "../../src/stats/Generator.ts"
import { dataDirectory } from "./Databases.ts"
import { sendRequest, type Service, sextant, startService, umbrellaKey } from "./Service.ts"

/** A parsed answer. A test names the fields that it reads. */
export type Json = Record<string, any>
export type Caller = Pick<Service, "baseUrl" | "key">

/** An answer with its status; one that the overloaded service refuses is asked for again. */
export const send = (service: Caller, path: string, body?: object) =>
  sendRequest(service, path, body).pipe(
    Effect.repeat({ until: ({ status }) => status !== 503, schedule: Schedule.spaced("200 millis"), times: 100 }),
    Effect.map(({ status, text }) => ({ status, body: JSON.parse(text) as Json }))
  )

/** The budget as it is answered. */
export const budgetOf = (service: Caller) => Effect.map(send(service, "/v1/account/budget"), ({ body }) => body)

/** Asks until the answer is right, since services see a change within seconds. */
export const eventually = <E>(ask: Effect.Effect<Json, E>, isRight: (answer: Json) => boolean) =>
  ask.pipe(Effect.repeat({ until: isRight, schedule: Schedule.spaced("200 millis") }), Effect.timeout("60 seconds"))

/** A service of several processes, and what its commands are given. */
export interface Bursting {
  readonly service: Service
  readonly environment: Readonly<Record<string, string>>
  readonly processes: number
}

interface Burst {
  /** The key of an account that has asked for nothing before. */
  readonly key: string
  readonly requests: number
  readonly isHard: boolean
  /** The budget over what the burst would cost without one. */
  readonly share: number
}

/** Requests that are sent at once, count. */
const connections = 64

/** A request of one of many sizes, which asks for the best model. */
const ask = (i: number) => ({
  task: {
    task: `Fix the failing unit test ${i}`, task_type: "code", difficulty: "hard",
    expected_input_tokens: 500 + 137 * i % 3_000, expected_output_tokens: 200 + 89 * i % 1_500
  },
  constraints: { candidate_models: ["gpt-5", "gpt-5-mini", "gpt-5-nano"] },
  cost_quality_tradeoff: 10
})

/** Mean estimated cost of the burst's requests for an account without a budget, US dollars. */
const meanUsd = Effect.fnUntraced(function*(service: Caller, requests: number) {
  const sample = 24
  let usd = 0
  for (let i = 0; i < sample; i++) {
    const { body } = yield* send({ ...service, key: umbrellaKey }, "/v1/recommend", ask(Math.floor(i * requests / sample)))
    usd += body["recommended_model"].est_cost_usd
  }
  return usd / sample
})

/** The period of a burst's budget: the day, or near midnight the month. */
const periodNow = () => Date.now() % 86_400_000 > 85_800_000 ? "month" : "day"

/** Starts a service for bursts of the accounts with these keys. */
export const startBursting = Effect.fnUntraced(function*(processes: number, keys: ReadonlyArray<string>) {
  const environment = { SEXTANT_DATA_DIR: yield* dataDirectory }
  const service = yield* startService({
    ...environment, SEXTANT_PROCESSES: String(processes), SEXTANT_BOOTSTRAP_KEYS: [umbrellaKey, ...keys].join(",")
  })
  const bursting: Bursting = { service, environment, processes }
  return bursting
})

/** Sends the burst. Bills are log-normal, with a deviation of 0.6 around estimates that are right on average. */
export const runBurst = Effect.fnUntraced(function*(
  { environment, processes, service: { baseUrl } }: Bursting,
  { isHard, key, requests, share }: Burst
) {
  const service: Caller = { baseUrl, key }
  const budgetUsd = Number((share * requests * (yield* meanUsd(service, requests))).toFixed(6))
  const account = /^sxt_([^_]+)_/.exec(key)?.[1] ?? ""
  const set = yield* sextant(
    ["account", "set", "--instance", account, "--budget", `${budgetUsd}/${periodNow()}`, ...isHard ? ["--hard"] : []],
    environment
  )
  if (set.code !== 0) return yield* Effect.die(new Error(set.stderr))
  // No process has asked for this account's settings before; one that has not read them in time goes on without.
  yield* Effect.forEach(Array.from({ length: 8 * processes }), () =>
    send(service, "/v1/recommend", {
      task: { task: "x", expected_input_tokens: 1, expected_output_tokens: 1 },
      constraints: { candidate_models: ["gpt-5-nano"] }
    }), { concurrency: "unbounded" }).pipe(Effect.repeat({ schedule: Schedule.spaced("2 seconds"), times: 3 }))
  const answers = yield* Effect.forEach(Array.from({ length: requests }, (_, i) => i), (i) =>
    send(service, "/v1/recommend", ask(i)), { concurrency: connections })
  const uniform = generator(7)
  const served = answers.flatMap(({ body, status }) => {
    if (status !== 200) return []
    const { est_cost_usd: estimateUsd, model_id: modelId } = body["recommended_model"]
    const isWritten = !body["warnings"].includes("memory_unavailable")
    const billUsd: number = estimateUsd * Math.exp(0.6 * normal(uniform) - 0.18)
    return [{ id: body["recommendation_id"], modelId, isWritten, billUsd, reservedUsd: defaults.costHighRatio * estimateUsd }]
  })
  const sumOf = (all: typeof served, of: (each: typeof served[number]) => number) =>
    all.reduce((sum, each) => sum + of(each), 0)
  return {
    service, served, budgetUsd,
    refused: answers.filter(({ body, status }) => status === 429 && body["type"] === "budget_exhausted").length,
    billed: sumOf(served, ({ billUsd }) => billUsd) / budgetUsd,
    /** Reserved cost over the budget, of decisions that were in the ledger before their answers. */
    reserved: sumOf(served.filter(({ isWritten }) => isWritten), ({ reservedUsd }) => reservedUsd) / budgetUsd
  }
})
