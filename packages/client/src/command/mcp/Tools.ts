/* The tools of the MCP server. After a failure, the answer tells the agent how to go on. */
import { setTimeout as wait } from "node:timers/promises"
import { isAnswer } from "../../Ask.ts"
import { textOf } from "../../ForeignValues.ts"
import type { Fields } from "../../agents/Json.ts"
import type { RecommendResponse } from "../../Wire.ts"
import { type Answer, type Connection, notSextant, request, ServiceFailure } from "../Service.ts"
import { attemptOf, type Tasks } from "./Attempts.ts"
import { explanationOf, type Remembered, summaryOf } from "./Explain.ts"
import type { Tool, ToolResult } from "./Server.ts"
import { constraintFields, inputSchemas, taskFields, type ToolName } from "./ToolSchemas.ts"

/** Maximum number of times that a report is sent; small because the agent waits. */
const attemptsMax = 3
const unavailable: ReadonlyArray<number | null> = [null, 502, 503, 504]
const backoffMs = 200

const answered = (answer: Answer): ToolResult =>
  ({ content: [{ type: "text", text: JSON.stringify(answer) }], structuredContent: answer })

const failed = (text: string): ToolResult => ({ content: [{ type: "text", text }], isError: true })

/** The advice to the agent when the budget is used up and no model may run. */
const stop = "The budget is used up: run no model for this task, and say so to whom you work for."

/** Returns one line about an unknown or missing argument; null if there is none. */
const argumentProblem = (name: ToolName, given: Fields): string | null => {
  const { properties, required } = inputSchemas[name]
  const unknown = Object.keys(given).find((field) => !Object.hasOwn(properties, field))
  if (unknown !== undefined) {
    const known = Object.keys(properties).join(", ")
    return `${name} takes no ${JSON.stringify(unknown.slice(0, 64))}; it takes ${known}`
  }
  const missing = required.find((field) => given[field] === undefined)
  return missing === undefined ? null : `${name} needs ${missing}`
}

const pick = (given: Fields, names: ReadonlyArray<string>): Fields =>
  Object.fromEntries(Object.entries(given).filter(([name]) => names.includes(name)))

const recommendRequestOf = (given: Fields): Fields => {
  const nested = [...taskFields, ...constraintFields]
  return {
    ...pick(given, Object.keys(given).filter((name) => !nested.includes(name))),
    task: pick(given, taskFields),
    constraints: pick(given, constraintFields),
    explain: true
  }
}

/** Sends a report up to three times with one idempotency key, so that the service counts it once. */
const report = async (connection: Connection, given: Fields, signal: AbortSignal): Promise<Answer> => {
  const body = { idempotency_key: crypto.randomUUID(), ...given }
  for (let attempt = 1;; attempt++) {
    try {
      return await request(connection, "POST", "/v1/feedback", { body, signal })
    } catch (error) {
      const isUnavailable = error instanceof ServiceFailure && unavailable.includes(error.status)
      if (!isUnavailable || attempt === attemptsMax) throw error
      // The timer of `wait` keeps the process alive after the input has ended, so the report is still sent.
      await wait(backoffMs * 2 ** (attempt - 1), undefined, { signal })
    }
  }
}

const queryOf = (given: Fields): string => {
  // Arguments that are not texts are sent as JSON, so that the service's error can name them.
  const texts = Object.entries(given).map(([name, value]) =>
    [name, typeof value === "string" ? value : JSON.stringify(value)]
  )
  return texts.length === 0 ? "" : `?${new URLSearchParams(texts)}`
}

export interface Session {
  readonly remembered: Remembered
  readonly tasks: Tasks
}

/** In a tool, `otherwise` is the advice to the agent after a failure. */
interface Work {
  readonly title: string
  readonly description: string
  readonly annotations: Fields
  readonly otherwise: string
  readonly run: (connection: Connection, given: Fields, signal: AbortSignal) => Promise<ToolResult>
}

const reads = { readOnlyHint: true, idempotentHint: true, openWorldHint: false }
const writes = { readOnlyHint: false, destructiveHint: false, openWorldHint: false }

const recommended = async (
  connection: Connection,
  { remembered, tasks }: Session,
  body: Fields,
  signal: AbortSignal
): Promise<RecommendResponse> => {
  const answer = await request(connection, "POST", "/v1/recommend", { body, signal })
  if (!isAnswer(answer)) throw notSextant(connection)
  remembered.keep(answer)
  tasks.keep(answer.recommendation_id, body)
  return answer
}

const workOf = (session: Session): Readonly<Record<ToolName, Work>> => ({
  recommend_model: {
    title: "Recommend a model",
    description: "Which language model should run this task? Call recommend_model before a sub-task, run the "
      + "recommended model, then call report_outcome with the recommendation_id.",
    annotations: { ...writes, idempotentHint: false },
    otherwise: "Run your default model; there is nothing to report for this task.",
    run: async (connection, given, signal) =>
      answered(summaryOf(await recommended(connection, session, recommendRequestOf(given), signal)))
  },
  report_outcome: {
    title: "Report an outcome",
    description: "How did the task go? Use evidence_source `gate` only for tests or checks that really ran "
      + "and that the agent neither wrote nor chose. Use evidence_source `self_check` for the agent's "
      + "own checks, and `none` if nothing was checked. If a provider or a tool failed, set error_cause to "
      + "`infra`.",
    annotations: { ...writes, idempotentHint: true },
    otherwise: "The outcome is not recorded. Go on with your work.",
    run: async (connection, given, signal) => {
      const answer = await report(connection, given, signal)
      return answer["accepted"] === true ? answered(answer) : { ...answered(answer), isError: true }
    }
  },
  next_attempt: {
    title: "Next attempt",
    description: "A result failed its check: which model should try the same task next, or is a further "
      + "attempt not worth it? Call next_attempt after report_outcome, with the recommendation_id of the "
      + "failed result. Each answer has a new recommendation_id. An outage is no failed check.",
    annotations: { ...writes, idempotentHint: false },
    otherwise: "Run your default model if it has not tried yet, else stop and say that the task failed.",
    run: async (connection, given, signal) => {
      const body = session.tasks.after(given)
      return body === null
        ? failed("No recommendation of this session has this id: call recommend_model with the task.")
        : answered(attemptOf(await recommended(connection, session, body, signal)))
    }
  },
  explain: {
    title: "Explain a decision",
    description: "Why was this model recommended? Shows the candidates, their predicted success and cost, "
      + "and the past outcomes behind them. Of the account's last 50 decisions that are not of this "
      + "session, only a summary is shown.",
    annotations: reads,
    otherwise: "The decision cannot be explained now.",
    run: async (connection, { recommendation_id: id }, signal) => {
      const kept = session.remembered.find(String(id))
      if (kept !== null) return answered(kept)
      const dashboard = await request(connection, "GET", "/v1/dashboard?days=365", { signal })
      const found = explanationOf(dashboard, String(id))
      const unknown = "No decision of this session or among the last 50 has this id."
      return found === null ? failed(unknown) : answered(found)
    }
  },
  savings: {
    title: "Savings",
    description: "What did the recommendations save, estimated and as billed, against the most expensive "
      + "candidate and against the declared baseline? In US dollars.",
    annotations: reads,
    otherwise: "The savings cannot be read now.",
    run: async (connection, given, signal) =>
      answered(await request(connection, "GET", `/v1/savings${queryOf(given)}`, { signal }))
  },
  diagnose: {
    title: "Diagnose an error",
    description: "Which earlier failures were like this error, and what was learned from them?",
    annotations: reads,
    otherwise: "No lesson can be read now.",
    run: async (connection, given, signal) =>
      answered(await request(connection, "POST", "/v1/diagnose", { body: given, signal }))
  }
})

/** Makes all tools. If `connection` is a text, it says why the service cannot be reached. */
export const createTools = (connection: Connection | string, session: Session): ReadonlyArray<Tool> =>
  Object.entries(workOf(session)).map(([key, { annotations, description, otherwise, run, title }]) => {
    const name = key as ToolName
    return {
      name, title, description, annotations: { title, ...annotations }, inputSchema: inputSchemas[name],
      call: async (given, signal) => {
        if (typeof connection === "string") return failed(`${connection}. ${otherwise}`)
        const problem = argumentProblem(name, given)
        if (problem !== null) return failed(problem)
        try {
          return await run(connection, given, signal)
        } catch (error) {
          signal.throwIfAborted()
          const isExhausted = error instanceof ServiceFailure && error.type === "budget_exhausted"
          return failed(`Sextant: ${textOf(error)}. ${isExhausted ? stop : otherwise}`)
        }
      }
    }
  })
