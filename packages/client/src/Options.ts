/* The options of a client. They are checked once, so that a mistake fails at the start and not at a call. */
import type { BudgetExhausted } from "./Budget.ts"
import type { DroppedReport } from "./Reports.ts"
import { type Fetch, timerMaxMs } from "./Transport.ts"
import type { Usage } from "./Usage.ts"

export type DefaultReason =
  /** The caller's signal was aborted before the answer. */
  | "aborted"
  /** No answer came within the deadline. */
  | "timeout"
  | "unreachable"
  /** The service answered with a status other than 2xx. */
  | "refused"
  /** The answer does not have the form of this API. */
  | "invalid_answer"
  /** The service named a model outside the caller's list. */
  | "unknown_model"
  /** The task or an option could not be read or sent. */
  | "invalid_request"
  /** The service failed several times or asked to wait, so the client does not ask it for a moment. */
  | "paused"
  /** The account's budget is used up, and `onBudgetExhausted` named the model to run. */
  | "budget_exhausted"
  /** The client is in shadow: it asks the service and always runs the default. */
  | "shadow"

/** A substitute model, or a promise of one. */
type Stand<Id extends string> = Id | null | undefined | void | PromiseLike<Id | null | undefined | void>

export interface SextantOptions<Id extends string> {
  /** The URL of the service, without `/v1`. */
  readonly baseUrl: string
  /** A key of the account. A missing key is refused at run time, so an environment variable fits the type. */
  readonly apiKey: string | undefined
  /** Ids of the models that may run, at least one, in the spelling of the caller's code. */
  readonly models: ReadonlyArray<Id>
  /** The model that runs without an answer of the service; one of `models`. */
  readonly defaultModelId: NoInfer<Id>
  /** Replacements for retired models that the program still names: `{ old: "new" }`. */
  readonly aliases?: Readonly<Record<string, Id>> | undefined
  /** How long `choose` waits for the service, in ms > 0; 400 by default. */
  readonly deadlineMs?: number | undefined
  /** How long a model is left out after an outage of its provider, in ms > 0; 30,000 by default. */
  readonly coolDownMs?: number | undefined
  /** Length of the pause after three failures in a row, in ms > 0; 5,000 by default. */
  readonly pauseMs?: number | undefined
  /** Whether the client asks and records, and always runs the default. */
  readonly shadow?: boolean | undefined
  /** A part of the account with a memory of its own. */
  readonly namespace?: string | undefined
  /** From 0, the cheapest acceptable model, to 10, the best at any cost; 5 by default. */
  readonly costQualityTradeoff?: number | undefined
  /** The bill of a call in US dollars, for callers who know it better than the list prices. */
  readonly priceOf?: ((modelId: string, usage: Usage) => number | null | undefined) | undefined
  readonly fetch?: Fetch | undefined
  /** Called when the default runs because the service gave no model; not in shadow. */
  readonly onDefault?: ((reason: DefaultReason, detail: string) => void) | undefined
  /**
   * Whether warnings go to the console, once per reason; true by default. With `onDefault` no default is
   * warned of.
   */
  readonly warn?: boolean | undefined
  /**
   * Names the model to run when the account's budget is used up; not called in shadow. The function returns a
   * model of `models`, or nothing for the default. `choose` throws its error, or without this function a
   * {@link BudgetExhausted}.
   */
  readonly onBudgetExhausted?: ((problem: BudgetExhausted) => Stand<NoInfer<Id>>) | undefined
  readonly onDropped?: ((dropped: DroppedReport) => void) | undefined
  /** Largest number of waiting reports, count >= 1; 1,000 by default. */
  readonly queueMax?: number | undefined
}

const refuse = (problem: string): never => {
  throw new TypeError(`createSextant: ${problem}`)
}

/** An option as a number > 0 that fits a timer, or its default. */
const positive = (
  options: SextantOptions<string>,
  name: "deadlineMs" | "coolDownMs" | "pauseMs" | "queueMax",
  orElse: number
): number => {
  const value = options[name] ?? orElse
  return value > 0 && value <= timerMaxMs ? value : refuse(`${name} is no number > 0`)
}

/** The base address of all paths. Throws if the URL is not http or https. */
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
  /** The model that runs in place of a named one. */
  readonly renamed: (modelId: Id) => Id
}

/** Checks the options. Throws a `TypeError` that names the wrong one. */
export const checked = <Id extends string>(options: SextantOptions<Id>): CheckedOptions<Id> => {
  const { aliases, apiKey, baseUrl, defaultModelId, models } = options
  const renamed = (id: Id): Id => aliases?.[id] ?? id
  // A key with a line break, read from a file, would fail in each request and appear in the error.
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
