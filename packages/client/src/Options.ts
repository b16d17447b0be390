/* The options of a client. They are checked once, so that a mistake fails at the start and not at a call. */
import type { BudgetExhausted } from "./Budget.ts"
import type { DroppedReport } from "./Reports.ts"
import { type Fetch, timerMaxMs } from "./Transport.ts"
import type { Usage } from "./Usage.ts"

export type DefaultReason =
  | "aborted"
  | "timeout"
  | "unreachable"
  /** The service answered with a status other than 2xx. */
  | "refused"
  /** The answer is too long, is no JSON, or lacks fields that the client needs. */
  | "invalid_answer"
  /** The service named a model that the caller did not list. */
  | "unknown_model"
  /** The task or an option could not be read or written as JSON. */
  | "invalid_request"
  /** The client does not ask, because the service failed several times or asked it to wait. */
  | "paused"
  /** The account's budget is used up. */
  | "budget_exhausted"
  /** The client is in shadow mode: the service is asked, and the default model runs. */
  | "shadow"

type Stand<Id extends string> = Id | null | undefined | void | PromiseLike<Id | null | undefined | void>

export interface SextantOptions<Id extends string> {
  /** The URL of the service; a trailing `/v1` is removed. */
  readonly baseUrl: string
  /** The account's API key; a missing key throws. */
  readonly apiKey: string | undefined
  /** Ids of the models that may run, at least one. */
  readonly models: ReadonlyArray<Id>
  /** The model that runs when the service gives no answer; one of `models`. */
  readonly defaultModelId: NoInfer<Id>
  /** Replacements for retired models that the program still names: `{ old: "new" }`. */
  readonly aliases?: Readonly<Record<string, Id>> | undefined
  /** Maximum time that `choose` waits for the service, in ms > 0; 400 by default. */
  readonly deadlineMs?: number | undefined
  /** Time for which questions exclude a model after its call met an outage, in ms > 0; 30,000 by default. */
  readonly coolDownMs?: number | undefined
  /** Time without questions after the service failed three times in a row, in ms > 0; 5,000 by default. */
  readonly pauseMs?: number | undefined
  /** Whether the client is in shadow mode: it asks the service but always runs the default model. */
  readonly shadow?: boolean | undefined
  /** Name of a part of the account that learns separately. */
  readonly namespace?: string | undefined
  /** Preference from 0, the cheapest acceptable model, to 10, the best model at any cost; 5 by default. */
  readonly costQualityTradeoff?: number | undefined
  /** Returns the cost of a call in US dollars, which is reported if the call's usage has no cost. */
  readonly priceOf?: ((modelId: string, usage: Usage) => number | null | undefined) | undefined
  readonly fetch?: Fetch | undefined
  /** Called when the default model runs because the service named no usable model. */
  readonly onDefault?: ((reason: DefaultReason, detail: string) => void) | undefined
  /**
   * Whether warnings go to the console, once per reason and process; true by default. If `onDefault` is
   * given, it is called instead of a warning that the default model runs.
   */
  readonly warn?: boolean | undefined
  /**
   * Names the model to run when the budget is used up, or nothing for the default model. If
   * `onBudgetExhausted` throws, `choose` rejects with its error. Without `onBudgetExhausted`, `choose`
   * rejects with a {@link BudgetExhausted}. In shadow mode `onBudgetExhausted` is not called.
   */
  readonly onBudgetExhausted?: ((problem: BudgetExhausted) => Stand<NoInfer<Id>>) | undefined
  readonly onDropped?: ((dropped: DroppedReport) => void) | undefined
  /** Maximum number of reports that wait or are being sent, > 0; 1,000 by default. */
  readonly queueMax?: number | undefined
}

const refuse = (problem: string): never => {
  throw new TypeError(`createSextant: ${problem}`)
}

/** Returns an option's value or default; throws if the number is not above 0 or is too large for a timer. */
const positive = (
  options: SextantOptions<string>,
  name: "deadlineMs" | "coolDownMs" | "pauseMs" | "queueMax",
  orElse: number
): number => {
  const value = options[name] ?? orElse
  return value > 0 && value <= timerMaxMs ? value : refuse(`${name} is no number > 0`)
}

const addressOf = (baseUrl: string): string => {
  const url = new URL(baseUrl)
  if (!/^https?:$/.test(url.protocol)) refuse("baseUrl is no http URL")
  return url.origin + url.pathname.replace(/\/*(\/v1)?\/*$/, "")
}

export interface CheckedOptions<Id extends string> extends SextantOptions<Id> {
  readonly apiKey: string
  readonly deadlineMs: number
  readonly coolDownMs: number
  readonly pauseMs: number
  readonly queueMax: number
  readonly renamed: (modelId: Id) => Id
}

/** Throws a `TypeError` if the URL, the key, the models or a limit is wrong. */
export const checked = <Id extends string>(options: SextantOptions<Id>): CheckedOptions<Id> => {
  const { aliases, apiKey, baseUrl, defaultModelId, models } = options
  const renamed = (id: Id): Id => aliases?.[id] ?? id
  // A key with a line break would fail in each request, and the error of `fetch` would show the key.
  if (!apiKey) {
    return refuse("apiKey is missing: set SEXTANT_KEY, from the service's first start")
  }
  if (!/^[!-~]+$/.test(apiKey)) return refuse("apiKey is no key")
  if (!Array.isArray(models) || !models.includes(defaultModelId)) refuse("defaultModelId is no model")
  return {
    ...options,
    apiKey,
    renamed,
    models: models.map(renamed),
    defaultModelId: renamed(defaultModelId),
    baseUrl: addressOf(baseUrl),
    deadlineMs: positive(options, "deadlineMs", 400),
    coolDownMs: positive(options, "coolDownMs", 30_000),
    pauseMs: positive(options, "pauseMs", 5_000),
    queueMax: positive(options, "queueMax", 1_000)
  }
}
