import { Effect } from "effect"
import type { IncomingMessage, ServerResponse } from "node:http"
import { startHttpServer } from "../../support/HttpServer.ts"

/*
 * The hosted backend as its protocol is known, over a real socket: ingest is asynchronous and upserts, a
 * query ranks by words, counts may be lists, and nothing but its health answers without a good key.
 */

interface Item {
  readonly item_id: string
  readonly upsert_key: string
  readonly text: string
  readonly intent: string
  readonly metadata_json: string
  readonly env_tags?: ReadonlyArray<string>
}

interface Entry extends Item {
  readonly reference: string
  up: number
  down: number
}

interface Job {
  readonly run: Run
  readonly items: ReadonlyArray<Item>
  looksLeft: number
}

/** One lane of one account. */
interface Run {
  readonly entries: Map<string, Entry>
  readonly steps: Array<Body>
  readonly outcomes: Map<string, Body>
  reflections: number
}

export type Body = Readonly<Record<string, unknown>>

export interface Heard {
  readonly method: string
  readonly path: string
  readonly authorization: string
  readonly body: Body
}

/** What a test makes the backend answer instead; null lets it answer as it does. */
export type Trouble = (heard: Heard, response: ServerResponse) => boolean

export interface Fake {
  readonly url: URL
  readonly heard: Array<Heard>
  readonly state: { trouble: Trouble | null }
  readonly run: (account: string, lane?: string) => Run
}

export const answerWith = (
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {}
): true => {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body))
  return true
}

/** How the fake names an entry to those who recall it. */
export const referenceOf = (upsertKey: string): string => `ref-${upsertKey}`

const wordsOf = (text: string): ReadonlySet<string> => new Set(text.toLowerCase().match(/\w+/g))

/** Cosine of the two sets of words, in [0, 1]. */
const similarityOf = (left: string, right: string): number => {
  const [a, b] = [wordsOf(left), wordsOf(right)]
  const shared = [...a].filter((word) => b.has(word)).length
  return shared === 0 ? 0 : shared / Math.sqrt(a.size * b.size)
}

const confidenceOf = ({ down, up }: Entry): number => (9 + up) / (10 + up + down)

const bodyOf = (request: IncomingMessage): Promise<Body> =>
  new Promise((resolve) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.once("end", () => resolve(chunks.length === 0 ? {} : JSON.parse(Buffer.concat(chunks).toString()) as Body))
  })

const isComplete = ({ content_type, intent, item_id, text }: Body): boolean =>
  [content_type, intent, item_id, text].every((field) => typeof field === "string" && field !== "")

const query = (run: Run, body: Body): Body => {
  const types = body["entry_types"] as ReadonlyArray<string>
  const evidence = [...run.entries.values()]
    .filter(({ intent }) => types.includes(intent))
    // An actor's query sees the entries that were ingested as the actor's: none of ours are.
    .filter(() => body["user_id"] === undefined)
    .map((entry) => ({ entry, score: similarityOf(String(body["query"]), entry.text) }))
    .sort((left, right) => right.score - left.score)
    .slice(0, Number(body["limit"]))
    .map(({ entry, score }, index) => ({
      id: `e${index}`,
      reference_id: entry.reference,
      entry_type: entry.intent,
      content: entry.text,
      score,
      metadata_json: entry.metadata_json,
      is_stale: false,
      knowledge_confidence: confidenceOf(entry)
    }))
  return { final_answer: "", confidence: 0.5, evidence }
}

const vote = (run: Run, body: Body): Body | null => {
  if (body["reference_id"] === "" || !["success", "partial", "failure", "neutral"].includes(String(body["outcome"]))) {
    return null
  }
  const name = typeof body["idempotency_key"] === "string" ? body["idempotency_key"] : null
  const isRepeat = name !== null && run.outcomes.has(name)
  run.outcomes.set(name ?? `unnamed ${run.outcomes.size}`, body)
  const ids = body["entry_ids"] as ReadonlyArray<string>
  const voted = [...run.entries.values()].filter(({ reference }) => ids.includes(reference))
  for (const entry of isRepeat ? [] : voted) {
    if (Number(body["signal"]) > 0) entry.up++
    else entry.down++
  }
  const sum = voted.reduce((total, entry) => total + confidenceOf(entry), 0)
  return {
    success: true,
    reinforcement_count: voted.length,
    ...(voted.length === 0 ? {} : { updated_confidence: sum / voted.length })
  }
}

/** Lists where others would count. */
const health = (run: Run): Body => {
  const entries = [...run.entries.values()]
  const ofIntent = (intent: string) => entries.filter((entry) => entry.intent === intent)
  return {
    entry_counts: { fact: ofIntent("fact").length, lesson: ofIntent("lesson").map(({ item_id }) => item_id) },
    stale_entries: [],
    contradictions: [["a", "b"]],
    low_confidence_entries: entries.filter((entry) => confidenceOf(entry) < 0.5),
    promotion_candidates: 0,
    section_health: [{ name: "fact", count: ofIntent("fact"), average_confidence: 0.9 }, { count: 1 }, "none"]
  }
}

const lessons = (run: Run): ReadonlyArray<Body> =>
  [...run.entries.values()].filter(({ intent }) => intent === "lesson").map((entry) => ({
    id: entry.item_id,
    content: entry.text,
    metadata_json: entry.metadata_json,
    importance: "high",
    knowledge_confidence: 0.6
  }))

const strategies = (run: Run): ReadonlyArray<Body> =>
  lessons(run).map(({ content, id }) => ({ strategy_id: `s-${String(id)}`, description: content, lesson_ids: [id] }))

/** The backend, gone with the scope; a job is done before the next request, or after so many more of anybody. */
export const fakeMubit = Effect.fnUntraced(function*(options: { readonly jobLooks?: number; readonly port?: number } = {}) {
  const runs = new Map<string, Run>()
  const jobs: Array<Job> = []
  const heard: Array<Heard> = []
  const state: Fake["state"] = { trouble: null }

  const run = (account: string, lane = "sextant:default"): Run => {
    const name = JSON.stringify([account, lane])
    const known = runs.get(name) ?? { entries: new Map(), steps: [], outcomes: new Map(), reflections: 0 }
    runs.set(name, known)
    return known
  }

  const work = (): void => {
    for (const job of jobs) {
      if (job.looksLeft-- !== 0) continue
      for (const item of job.items) {
        const known = job.run.entries.get(item.upsert_key)
        job.run.entries.set(item.upsert_key, {
          ...item, reference: referenceOf(item.upsert_key), up: known?.up ?? 0, down: known?.down ?? 0
        })
      }
    }
  }

  const jobAnswer = (index: number): Body => {
    const job = jobs[index]!
    const isDone = job.looksLeft < 0
    return {
      status: isDone ? "completed" : "queued",
      done: isDone,
      traces: isDone ? job.items.map(({ upsert_key }) => ({ writes: [{ record_id: `rec-${upsert_key}` }] })) : []
    }
  }

  const control = (verb: string, account: string, body: Body, response: ServerResponse): boolean => {
    if (typeof body["run_id"] !== "string") return answerWith(response, 400, { error: "run_id" })
    const lane = run(account, body["run_id"])
    switch (verb) {
      case "query":
        return answerWith(response, 200, query(lane, body))
      case "ingest": {
        const items = body["items"] as ReadonlyArray<Body>
        if (!items.every(isComplete)) return answerWith(response, 400, { error: "item" })
        jobs.push({ run: lane, items: items as ReadonlyArray<Body & Item>, looksLeft: options.jobLooks ?? 0 })
        return answerWith(response, 202, { accepted: true, job_id: `job ${jobs.length - 1}`, status: "queued" })
      }
      case "outcome": {
        const answer = vote(lane, body)
        return answerWith(response, answer === null ? 400 : 200, answer ?? { error: "outcome" })
      }
      case "step_outcome":
        lane.steps.push(body)
        return answerWith(response, 200, { success: true })
      case "reflect":
        lane.reflections++
        return answerWith(response, 200, { lessons: [] })
      case "strategies":
        return answerWith(response, 200, { strategies: [...strategies(lane), { strategy_id: "wordless" }] })
      case "diagnose":
        return answerWith(response, 200, { failure_lessons: [...lessons(lane), "none"], summary: "" })
      case "memory_health":
        return answerWith(response, 200, health(lane))
      default:
        return answerWith(response, 404, {})
    }
  }

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await bodyOf(request)
    const { pathname } = new URL(request.url ?? "/", "http://fake")
    const said: Heard = { method: request.method ?? "", path: request.url ?? "", authorization: request.headers.authorization ?? "", body }
    heard.push(said)
    if (state.trouble?.(said, response) === true) return
    if (pathname === "/v2/core/health") return void response.writeHead(200, { "content-type": "text/plain" }).end("OK")
    const [, account, keyId] = /^Bearer [a-z]+_([^_]+)_([^_]+)_/.exec(request.headers.authorization ?? "") ?? []
    if (account === undefined || keyId?.startsWith("bad") === true) {
      // The worst of backends quotes what it was sent.
      return void answerWith(response, 401, { error: request.headers.authorization })
    }
    work()
    const [, job] = /^\/v2\/control\/ingest\/jobs\/job%20(\d+)$/.exec(pathname) ?? []
    if (request.method === "GET" && job !== undefined) return void answerWith(response, 200, jobAnswer(Number(job)))
    if (request.method !== "POST") return void answerWith(response, 405, {})
    if (request.headers["content-type"] !== "application/json") return void answerWith(response, 415, {})
    control(pathname.replace("/v2/control/", ""), account, body, response)
  }

  const { port } = yield* startHttpServer((request, response) => void serve(request, response), options.port)
  const fake: Fake = { url: new URL(`http://127.0.0.1:${port}`), heard, state, run }
  return fake
})
