/* The reports that the page shows, as the service sends them, and the requests that read them. */
import { dayMs, dayOf } from "../../../src/domain/Days.ts"
import type { AccountBudgetResponse } from "../../../src/domain/account/Budget.ts"
import type { AdviceResponse } from "../../../src/domain/reports/Advice.ts"
import type {
  CallsResponse, ClusterModel, DashboardResponse, RecentDecision
} from "../../../src/domain/reports/Dashboard.ts"
import type { DecisionResponse } from "../../../src/domain/reports/DecisionReport.ts"
import type { AccountGuaranteeResponse } from "../../../src/domain/account/Guarantee.ts"
import type { ModelsHealthResponse } from "../../../src/domain/model/ModelsHealth.ts"
import type { PolicyEstimate, PolicyValueResponse } from "../../../src/domain/reports/PolicyValue.ts"
import type {
  CalibrationReport, CalibrationResponse, ReliabilityBin, SavingsResponse
} from "../../../src/domain/reports/Report.ts"

/* Answers in wire format. A parser would be larger than the page. */
type Savings = typeof SavingsResponse.Encoded
export type TaskFigures = NonNullable<Savings["tasks"]>
export type Calibration = typeof CalibrationResponse.Encoded
export type Slice = typeof CalibrationReport.Encoded
export type Bin = typeof ReliabilityBin.Encoded
type PolicyValue = typeof PolicyValueResponse.Encoded
export type PolicyRow = typeof PolicyEstimate.Encoded
export type Dashboard = typeof DashboardResponse.Encoded
export type ClusterRow = typeof ClusterModel.Encoded
export type Recent = typeof RecentDecision.Encoded
type Calls = typeof CallsResponse.Encoded
export type KeptDecision = NonNullable<(typeof DecisionResponse.Encoded)["decision"]>
export type KeptCandidate = KeptDecision["candidates"][number]
type Advice = typeof AdviceResponse.Encoded
type Budget = typeof AccountBudgetResponse.Encoded
export type Guarantees = typeof AccountGuaranteeResponse.Encoded
type Health = typeof ModelsHealthResponse.Encoded

/** The reports that the page shows. */
export interface Answers {
  readonly savings: Savings
  /** Savings in the selected grouping; null if they cannot be read. */
  readonly grouped: Savings | null
  /** Savings in an equally long time before the window; null if unreadable or in a `sextant report` file. */
  readonly previous: Savings | null
  /** The command line that runs `sextant` on the server, for example through npm in a checkout. */
  readonly command: string
  /** The selected window and filters; null in a file of `sextant report`. */
  readonly asked: ReportWindow | null
  readonly calibration: Calibration
  readonly policyValue: PolicyValue
  readonly dashboard: Dashboard
  /** The calls of a search; if null, the section of calls lists the newest calls. */
  readonly calls: Calls | null
  readonly advice: Advice | null
  /** The budget of the whole account in its current period; null if it cannot be read. */
  readonly budget: Budget | null
  /** The guarantees, which do not depend on the window; null if they cannot be read. */
  readonly guarantees: Guarantees | null
  /** The present health of the models; null if it cannot be read, or in a file of `sextant report`. */
  readonly health: Health | null
}

export class RequestFailed extends Error {
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

export interface ReportWindow {
  /** The selected namespace; empty for all namespaces of the account. */
  readonly namespace: string
  readonly days: string
  /** First and last date, `2026-11-01/2026-11-14`; empty if the window is the latest `days` days. */
  readonly dates: string
  readonly model: string
  readonly tag: string
  readonly user: string
  readonly by: Grouping
  readonly outcome: string
  /** Id of a call, to list only calls before it; empty to list the newest calls. */
  readonly before: string
}

export type Grouping = Extract<NonNullable<Savings["group_by"]>, "lane" | "tag" | "user_id">

const datesBefore = ({ dates, days }: ReportWindow): string => {
  const [from = "", to = ""] = dates.split("/")
  const length = dates === "" ? Math.ceil(Number(days)) : (Date.parse(to) - Date.parse(from)) / dayMs + 1
  const first = dates === "" ? Date.now() - Number(days) * dayMs : Date.parse(from)
  return `${dayOf(first - length * dayMs)}/${dayOf(first - dayMs)}`
}

const get = async <Answer>(path: string, query: URLSearchParams, key: string, signal: AbortSignal) => {
  const headers = { authorization: `Bearer ${key}` }
  const response = await fetch(`v1/${path}?${query}`, { signal, headers })
  const body: unknown = await response.json()
  if (response.ok) return body as Answer
  const detail = typeof body === "object" && body !== null && "detail" in body ? String(body.detail) : ""
  throw new RequestFailed(response.status, detail === "" ? `The service answered ${response.status}` : detail)
}

/** Reads an optional answer; null if the service answers 503, so that the page is shown without it. */
const besides = async <Answer>(
  path: string,
  query: URLSearchParams,
  key: string,
  signal: AbortSignal
): Promise<Answer | null> => {
  try {
    return await get<Answer>(path, query, key, signal)
  } catch (cause) {
    if (cause instanceof RequestFailed && cause.status === 503) return null
    throw cause
  }
}

/**
 * Reads all reports. Rejects with {@link RequestFailed} for an error status, except the 503 of an optional
 * report.
 */
export const answersOf = async (
  asked: ReportWindow,
  key: string,
  command: string,
  isSearched: boolean,
  signal: AbortSignal
): Promise<Answers> => {
  const { before, by, dates, days, model, namespace, outcome, tag, user: user_id } = asked
  const query = (more: Readonly<Record<string, string>> = {}) => {
    const given = { days, namespace, dates, model, tag, user_id, ...more }
    return new URLSearchParams(Object.entries(given).filter(([, value]) => value !== ""))
  }
  const place = new URLSearchParams(namespace === "" ? {} : { namespace })
  const [
    savings, grouped, previous, calibration, policyValue, dashboard, calls, advice, budget, guarantees, health
  ] = await Promise.all([
    get<Savings>("savings", query({ group_by: "lane" }), key, signal),
    by === "lane" ? null : besides<Savings>("savings", query({ group_by: by }), key, signal),
    besides<Savings>("savings", query({ dates: datesBefore(asked) }), key, signal),
    get<Calibration>("calibration", query(), key, signal),
    get<PolicyValue>("policy-value", query(), key, signal),
    get<Dashboard>("dashboard", query(), key, signal),
    isSearched ? besides<Calls>("calls", query({ outcome, before }), key, signal) : null,
    besides<Advice>("advice", query(), key, signal),
    besides<Budget>("account/budget", new URLSearchParams(), key, signal),
    besides<Guarantees>("account/guarantee", place, key, signal),
    besides<Health>("health/models", new URLSearchParams(), key, signal)
  ])
  return {
    savings, grouped: by === "lane" ? savings : grouped, previous, command, asked, calibration, policyValue,
    dashboard, calls, advice, budget, guarantees, health
  }
}

/** Reads one decision; null if the account has none with this id. Rejects with {@link RequestFailed}. */
export const decisionOf = async (
  recommendationId: string,
  key: string,
  signal: AbortSignal
): Promise<KeptDecision | null> => {
  const query = new URLSearchParams({ recommendation_id: recommendationId })
  const { decision } = await get<typeof DecisionResponse.Encoded>("decision", query, key, signal)
  return decision
}
