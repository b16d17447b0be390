import { Effect } from "effect"
import { HttpApi } from "effect/http-api"
import { Api } from "../../src/api/Api.ts"
import { generator } from "../../src/stats/Generator.ts"
import { sendRequest, type Seen } from "./service.ts"

type Body = Readonly<Record<string, unknown>>

/** A request with every string field that an endpoint takes, so that each can carry a foreign id. */
export interface Probe {
  readonly method: string
  readonly path: string
  readonly query?: Readonly<Record<string, string>>
  readonly body?: Body
}

const task = { task: "Fix the failing test", task_type: "code", tags: ["ci"] }

export const probes: ReadonlyArray<Probe> = [
  {
    method: "POST", path: "/v1/recommend",
    body: { task, namespace: "umbrellas", user_id: "bob", baseline_model_id: "gpt-4o", incumbent_model_id: "gpt-4o", constraints: { excluded_models: ["none"] } }
  },
  {
    method: "POST", path: "/v1/recommend/workflow",
    body: { steps: [{ step_id: "one", task, depends_on: ["two"], constraints: { excluded_models: ["none"] } }], namespace: "umbrellas", user_id: "bob" }
  },
  {
    method: "POST", path: "/v1/feedback",
    body: {
      recommendation_id: "01890a5d-ac96-774b-bcce-b302099a8057", chosen_model_id: "gpt-4o-mini", outcome: "success", chosen_effort: "low",
      signals: { steps: 3, output_tokens: 40, tool_errors: 0, ended: "finished" },
      notes: "fine", step_outcomes: [{ step_id: "one", outcome: "success", rationale: "good" }], idempotency_key: "mine"
    }
  },
  { method: "POST", path: "/v1/diagnose", body: { error_text: "TimeoutError: it took too long", error_type: "timeout", namespace: "umbrellas", user_id: "bob" } },
  { method: "GET", path: "/v1/models", query: { provider: "openai" } },
  { method: "GET", path: "/v1/health/models" },
  { method: "GET", path: "/v1/strategies", query: { namespace: "umbrellas", lesson_types: "success" } },
  { method: "GET", path: "/v1/memory/health", query: { namespace: "umbrellas" } },
  { method: "GET", path: "/v1/savings", query: { namespace: "umbrellas", user_id: "bob", tag: "mine", group_by: "tag" } },
  { method: "GET", path: "/v1/calibration", query: { namespace: "umbrellas" } },
  { method: "GET", path: "/v1/policy-value", query: { namespace: "umbrellas" } },
  { method: "GET", path: "/v1/dashboard", query: { namespace: "umbrellas" } },
  { method: "GET", path: "/v1/calls", query: { namespace: "umbrellas", outcome: "none" } },
  { method: "GET", path: "/v1/advice", query: { namespace: "umbrellas" } },
  { method: "GET", path: "/v1/retirement", query: { model_id: "gpt-5", namespace: "umbrellas" } },
  { method: "GET", path: "/v1/decision", query: { recommendation_id: "01890a5d-ac96-774b-bcce-b302099a8057" } },
  { method: "GET", path: "/v1/observed-calls" },
  { method: "GET", path: "/v1/account/models" },
  { method: "GET", path: "/v1/account/budget" },
  { method: "GET", path: "/v1/account/guarantee", query: { namespace: "umbrellas" } },
  {
    method: "PUT", path: "/v1/account/models",
    body: {
      default_candidates: ["gpt-5"], default_providers: ["openai"],
      models: [{ model_id: "gpt-5", base_model: "gpt-5", provider: "openai", display_name: "mine", aliases: ["ours"] }]
    }
  },
  { method: "GET", path: "/v1/capabilities" },
  { method: "GET", path: "/v1/health" }
]

/** Every endpoint of the API as `METHOD path`, so that a new one without a probe is noticed. */
export const endpoints = (): ReadonlyArray<string> => {
  const all: Array<string> = []
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint }) => {
      all.push(`${endpoint.method} ${endpoint.path}`)
    }
  })
  return all
}

/** Closed sets of words: an id there is refused as such. */
const closed: ReadonlySet<string> = new Set(["task_type", "outcome", "group_by"])

const leavesOf = (value: unknown, path: ReadonlyArray<string> = []): ReadonlyArray<ReadonlyArray<string>> =>
  typeof value === "string"
    ? closed.has(path.at(-1) ?? "") ? [] : [path]
    : value === null || typeof value !== "object"
    ? []
    : Object.entries(value).flatMap(([name, inner]) => leavesOf(inner, [...path, name]))

const placed = (value: unknown, [name, ...rest]: ReadonlyArray<string>, id: string): unknown => {
  if (name === undefined) return id
  if (Array.isArray(value)) return value.map((item, i) => String(i) === name ? placed(item, rest, id) : item)
  const holder = value as Record<string, unknown>
  return { ...holder, [name]: placed(holder[name], rest, id) }
}

const targetOf = ({ path, query }: Probe): string =>
  query === undefined ? path : `${path}?${new URLSearchParams(query).toString()}`

/** What is said in these is a matter of words, which are compared as such: they name nothing. */
const prose: ReadonlySet<string> = new Set(["task", "notes", "rationale", "error_text", "comment"])

interface Cell {
  readonly name: string
  readonly isProse: boolean
  readonly with: (id: string) => Probe
}

/** Every place of every endpoint that an id fits into. */
export const cells: ReadonlyArray<Cell> = probes.flatMap((probe) => [
  ...leavesOf(probe.body).map((leaf): Cell => ({
    name: `${probe.method} ${probe.path} ${leaf.join(".")}`,
    isProse: prose.has(leaf.at(-1) ?? ""),
    with: (id) => ({ ...probe, body: placed(probe.body, leaf, id) as Body })
  })),
  ...Object.keys(probe.query ?? {}).filter((name) => !closed.has(name)).map((name): Cell => ({
    name: `${probe.method} ${probe.path} ?${name}`,
    isProse: false,
    with: (id) => ({ ...probe, query: { ...probe.query, [name]: id } })
  }))
])

export const send = (seen: Seen, account: string, probe: Probe) =>
  sendRequest(seen, account, probe.method, targetOf(probe), probe.body)

/** Ids by the name of what they are of. */
export type Ids = ReadonlyMap<string, string>

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g

/** An id of the same shape that nobody has: of a UUIDv7 the time stays, and with it the partition. */
export const randomLike = (id: string): string => {
  const uniform = generator(id.length + [...id].reduce((sum, letter) => sum + letter.charCodeAt(0), 0))
  const digit = () => Math.floor(uniform() * 16).toString(16)
  const isUuid = new RegExp(`^${uuid.source}$`).test(id)
  return isUuid
    ? id.slice(0, 15) + [...id.slice(15)].map((letter, i) => letter === "-" || i === 4 ? letter : digit()).join("")
    : [...id].map((letter) => /[a-z]/.test(letter) ? String.fromCharCode(97 + Math.floor(uniform() * 26)) : letter).join("")
}

/** An answer with what differs between any two requests taken out. */
export const masked = (text: string, id: string): string =>
  text.replaceAll(id, "ID").replaceAll(JSON.stringify(id).slice(1, -1), "ID").replace(uuid, "UUID")
    .replace(/"latency_ms":[0-9.e-]+/g, `"latency_ms":0`)
    .replace(/"\d{4}-\d\d-\d\dT[^"]*"/g, `"TIME"`)
    // Of a catalog with a model of that id in it.
    .replace(/("resolved_models":.*"catalog_version":)"[0-9a-f]{12}"/, `$1"VERSION"`)
    // How often a lane was asked the same lately.
    .replace(/,"memory_drift:(repeated|stagnant)"|"memory_drift:(repeated|stagnant)",?/g, "")
    // Outcomes age between two requests.
    .replace(/-?\d+\.\d{5,}(e-?\d+)?/g, (number) => String(Number(Number(number).toFixed(4))))

const jsonOf = (text: string): Record<string, unknown> => JSON.parse(text) as Record<string, unknown>

export interface Life {
  readonly namespace: string
  readonly userId: string
  /** In every task, note and rationale of the account. */
  readonly word: string
}

const feedbackOf = (answer: Record<string, unknown>, i: number, word: string) => ({
  recommendation_id: answer["recommendation_id"],
  chosen_model_id: (answer["recommended_model"] as { readonly model_id: string }).model_id,
  outcome: i % 3 === 0 ? "failure" : "success",
  evidence_source: "gate",
  quality_score: i % 3 === 0 ? 0 : 1,
  actual_cost_usd: 0.001,
  notes: `TimeoutError: the call of ${word} took too long, ${i}`,
  step_outcomes: [{ step_id: "step", outcome: "failure", rationale: `bad ${word}`, directive_hint: "retry" }],
  idempotency_key: `ticket-${word.length}-${i}`
})

/** One account's life: lanes, outcomes, lessons, reports. Yields the ids that came of it. */
export const live = (seen: Seen, account: string, { namespace, userId, word }: Life) =>
  Effect.gen(function*() {
    const ids = new Map<string, string>([["namespace", namespace], ["user", userId], ["idempotency key", `ticket-${word.length}-1`]])
    const note = (name: string, value: unknown) => {
      if (typeof value === "string") ids.set(name, value)
    }
    for (let i = 0; i < 60; i++) {
      const asked = { task: { task: `Fix the failing ${word} test number ${i % 7}`, task_type: "code" }, namespace, user_id: userId }
      const answer = jsonOf((yield* sendRequest(seen, account, "POST", "/v1/recommend", asked)).text)
      const told = jsonOf((yield* sendRequest(seen, account, "POST", "/v1/feedback", feedbackOf(answer, i, word))).text)
      note("recommendation", answer["recommendation_id"])
      note("record", told["record_id"])
      note("entry", (told["reinforced_entry_ids"] as ReadonlyArray<string>)[0])
    }
    const { text: open } = yield* sendRequest(seen, account, "POST", "/v1/recommend", { task: { task: `Still open ${word}` }, namespace })
    note("open recommendation", jsonOf(open)["recommendation_id"])
    const steps = [{ step_id: "one", task: { task: `Plan ${word}` } }]
    note("workflow", jsonOf((yield* sendRequest(seen, account, "POST", "/v1/recommend/workflow", { steps, namespace })).text)["workflow_recommendation_id"])
    const diagnosis = jsonOf((yield* sendRequest(seen, account, "POST", "/v1/diagnose", { error_text: "TimeoutError: the call took too long", namespace })).text)
    note("lesson", (diagnosis["failure_lessons"] as ReadonlyArray<{ readonly lesson_id: string }>)[0]?.lesson_id)
    const rules = jsonOf((yield* sendRequest(seen, account, "GET", `/v1/strategies?namespace=${namespace}`)).text)
    note("strategy", (rules["strategies"] as ReadonlyArray<{ readonly strategy_id: string }>)[0]?.strategy_id)
    return ids as Ids
  })
