import { Effect } from "effect"
import { Api } from "../../src/api/Api.ts"
import { MemoryApi } from "../../src/api/memory/MemoryApi.ts"
import { type Answered, Connection } from "./connection.ts"
import { endpointsOf } from "./endpoints.ts"
import { type Corpus, type Input, inputOf } from "./inputs.ts"
import { makeOracle } from "./oracle.ts"
import { fuzzKey, portOf, serviceOn, type Storage } from "./service.ts"

export interface Campaign {
  readonly seed: number
  readonly from: number
  readonly inputs: number
  readonly storage: Storage
}

export interface Finding {
  readonly index: number
  readonly what: string
  readonly problem: string
  /** The beginning of what was sent. */
  readonly sent: string
}

export interface Outcome {
  readonly inputs: number
  readonly seconds: number
  readonly statuses: Readonly<Record<string, number>>
  readonly findings: ReadonlyArray<Finding>
  /** Warnings and errors that the service logged, which no input of a healthy service may cause. */
  readonly logged: ReadonlyArray<string>
}

/** Reports of many connections in a row, each over a database on this machine, make a decision's write give up. */
const connectionsTo = (storage: Storage): number => storage === "local" ? 24 : 6
/** Above the 15 s that the server itself gives a request to arrive, and far above what any other needs. */
const deadlineMs = 30_000
const findingsMax = 20

const headers = { authorization: `Bearer ${fuzzKey}`, "content-type": "application/json" }

const post = async (port: number, path: string, body: unknown): Promise<Record<string, unknown>> => {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method: "POST", headers, body: JSON.stringify(body) })
  const text = await answer.text()
  if (answer.status !== 200) throw new Error(`a normal request was answered ${answer.status}: ${text}`)
  return JSON.parse(text) as Record<string, unknown>
}

const ask = { task: { task: "Fix this failing unit test" }, namespace: "fuzz" }

/** A lane's own questions to its memory, when the memory alone is served. */
const health = { lane: "sextant:fuzz", stale_threshold_days: 30 }
const apiOf = (storage: Storage) => storage === "memory" ? MemoryApi : Api

/** The endpoints of each API and seed, whose samples take a second to draw. */
const drawn = new Map<string, ReturnType<typeof endpointsOf>>()

const endpointsFor = ({ seed, storage }: Campaign) => {
  const key = `${seed} ${storage === "memory"}`
  const endpoints = drawn.get(key) ?? endpointsOf(apiOf(storage), seed)
  drawn.set(key, endpoints)
  return endpoints
}

/** Recommendations to give feedback on, and the catalog's names. */
const corpusOf = async (port: number, campaign: Campaign): Promise<Corpus> => {
  const { seed, storage } = campaign
  const endpoints = endpointsFor(campaign)
  if (storage === "memory") return { seed, endpoints, key: fuzzKey, recommendationIds: ["r"], modelIds: ["alpha"] }
  const recommendationIds: Array<string> = []
  const modelIds = new Set<string>()
  for (let i = 0; i < 40; i++) {
    const said = await post(port, "/v1/recommend", { ...ask, namespace: ["fuzz", "shop", null][i % 3] })
    recommendationIds.push(String(said["recommendation_id"]))
    for (const { model_id } of said["ranked"] as ReadonlyArray<{ readonly model_id: string }>) modelIds.add(model_id)
  }
  return { seed, endpoints, key: fuzzKey, recommendationIds, modelIds: [...modelIds] }
}

/** Asks and reports as a customer would, after all that came before. */
const stillWorks = async (port: number, storage: Storage): Promise<void> => {
  if (storage === "memory") return void await post(port, "/memory/v1/health", health)
  const { recommendation_id, recommended_model } = await post(port, "/v1/recommend", ask)
  const { accepted } = await post(port, "/v1/feedback", {
    recommendation_id,
    chosen_model_id: (recommended_model as { readonly model_id: string }).model_id,
    outcome: "success"
  })
  if (accepted !== true) throw new Error("normal feedback was not accepted")
}

const nameOf = ({ endpoint, method, what }: Input): string => `${method} ${endpoint?.path ?? ""} ${what}`

const shown = ({ bytes }: Input): string => bytes.subarray(0, 2_000).toString("latin1")

const retriesMax = 20

/**
 * Whether a machine short of processor time let this one wait too long for its turn: it is asked to come again,
 * as documented. Feedback is not to be refused for that, and so is a finding at once. An answer to HEAD has no body.
 */
const isToComeAgain = ({ bytes, method }: Input, answer: Answered): boolean => {
  if (answer === null || answer.status !== 503 || answer.headers.get("retry-after") === null) return false
  // The request line begins with the method and the target.
  const isFeedback = bytes.subarray(0, 32).includes("/v1/feedback")
  return !isFeedback && (method === "HEAD" || answer.body.includes("The service is overloaded"))
}

const attack = async (port: number, campaign: Campaign, logged: ReadonlyArray<string>) => {
  const { from, inputs } = campaign
  const corpus = await corpusOf(port, campaign)
  const oracle = makeOracle(apiOf(campaign.storage))
  const findings: Array<Finding> = []
  const statuses: Record<string, number> = {}
  let next = from
  const worker = async () => {
    const connection = new Connection(port, deadlineMs)
    let previous = "nothing"
    while (next < from + inputs && findings.length < findingsMax) {
      const input = inputOf(corpus, next++)
      const found = (problem: string) =>
        findings.push({ index: input.index, what: nameOf(input), problem: `${problem}; before it: ${previous}`, sent: shown(input) })
      const before = logged.length
      try {
        const send = () => connection.send(input.bytes, input.method, input.what.startsWith("bytes"))
        let answer = await send()
        for (let n = 0; n < retriesMax && isToComeAgain(input, answer); n++) {
          await new Promise((resolve) => setTimeout(resolve, 1_000))
          answer = await send()
        }
        const status = String(answer?.status ?? "closed")
        statuses[status] = (statuses[status] ?? 0) + 1
        const problem = oracle(input, answer)
        if (problem !== null) found(problem)
        else if (logged.length > before) found(`around it the service logged: ${logged.at(-1)}`)
      } catch (cause) {
        found(String(cause))
      }
      previous = `${input.index} ${nameOf(input)}`
    }
    connection.close()
  }
  const began = performance.now()
  await Promise.all(Array.from({ length: connectionsTo(campaign.storage) }, worker))
  const seconds = (performance.now() - began) / 1_000
  await stillWorks(port, campaign.storage)
  return { findings, statuses, seconds, inputs: next - from }
}

/** Sends the inputs of a seed from an index on to a service of its own, and yields what was wrong. */
export const run = (campaign: Campaign): Effect.Effect<Outcome, unknown> => {
  const logged: Array<string> = []
  return Effect.gen(function*() {
    const port = yield* portOf
    const outcome = yield* Effect.tryPromise(() => attack(port, campaign, logged))
    return { ...outcome, logged }
  }).pipe(Effect.provide(serviceOn(campaign.storage, (line) => logged.push(line))))
}
