/* The options of a client, checked once: a mistake fails at the start and never at a call. */
import type { BudgetExhausted } from "./Budget.ts"
import type { DroppedReport } from "./Reports.ts"
import { type Fetch, timerMaxMs } from "./Transport.ts"
import type { Usage } from "./Usage.ts"

/** Why the default model runs. */
export type DefaultReason =
  /** The caller's signal was aborted before the answer. */
  | "aborted"
  /** No answer within the deadline. */
  | "timeout"
  /** The connection failed. */
  | "unreachable"
  /** The service answered with a status other than 2xx. */
  | "refused"
  /** The answer is not one of this API. */
  | "invalid_answer"
  /** The service named a model that is not in the caller's list. */
  | "unknown_model"
  /** The task or an option could not be read or sent. */
  | "invalid_request"
  /** The service failed several times or asked to wait, and is not asked for a moment. */
  | "paused"
  /** The account's budget is used up, and `onBudgetExhausted` said what to run. */
  | "budget_exhausted"
  /** The client is in shadow: the service was asked, and the default runs whatever it said. */
  | "shadow"

/** The model that stands in, now or later. */
type Stand<Id extends string> = Id | null | undefined | void | PromiseLike<Id | null | undefined | void>

export interface SextantOptions<Id extends string> {
  /** The URL of the service, without `/v1`. */
  readonly baseUrl: string
  /** A key of the account. One that is missing is refused at run time: an environment variable fits. */
  readonly apiKey: string | undefined
  /** Ids of the models that may run, as the caller's code spells them, at least one. */
  readonly models: ReadonlyArray<Id>
  /** The model that runs whenever the service cannot say; one of `models`. */
  readonly defaultModelId: NoInfer<Id>
  /** The model that runs wherever the program names the other one, which is retired: `{ old: "new" }`. */
  readonly aliases?: Readonly<Record<string, Id>> | undefined
  /** How long `choose` waits for the service, in ms > 0; 400 by default. */
  readonly deadlineMs?: number | undefined
  /** How long a model is left out after its provider was out, in ms > 0; 30,000 by default. */
  readonly coolDownMs?: number | undefined
  /** How long the service is not asked after three failures in a row, in ms > 0; 5,000 by default. */
  readonly pauseMs?: number | undefined
  /** Asks and records, and always runs the default. */
  readonly shadow?: boolean | undefined
  /** The part of the account that recalls and learns on its own. */
  readonly namespace?: string | undefined
  /** From 0, the cheapest acceptable model, to 10, the best at any cost; 5 by default. */
  readonly costQualityTradeoff?: number | undefined
  /** The bill of a call in US dollars, where the caller knows it better than list prices do. */
  readonly priceOf?: ((modelId: string, usage: Usage) => number | null | undefined) | undefined
  readonly fetch?: Fetch | undefined
  /** Called whenever the default runs because the service could not say; not in shadow. */
  readonly onDefault?: ((reason: DefaultReason, detail: string) => void) | undefined
  /** Whether the first time of each reason goes to the console, where `onDefault` is left out; by default. */
  readonly warn?: boolean | undefined
  /**
   * Says what runs when the account's budget is used up; not in shadow. It yields a model of `models`, or
   * nothing for the default. What it throws, `choose` throws; without it, the {@link BudgetExhausted}.
   */
  readonly onBudgetExhausted?: ((problem: BudgetExhausted) => Stand<NoInfer<Id>>) | undefined
  /** Called for every report that is lost. */
  readonly onDropped?: ((dropped: DroppedReport) => void) | undefined
  /** Most reports that wait, count >= 1; 1,000 by default. */
  readonly queueMax?: number | undefined
}

const refuse = (problem: string): never => {
  throw new TypeError(`createSextant: ${problem}`)
}

/** An option that is a number > 0 which a timer takes, or its default. */
const positive = (
  options: SextantOptions<string>,
  name: "deadlineMs" | "coolDownMs" | "pauseMs" | "queueMax",
  orElse: number
): number => {
  const value = options[name] ?? orElse
  return value > 0 && value <= timerMaxMs ? value : refuse(`${name} is no number > 0`)
}

/** The base address of all paths; fails if it is no http URL. */
const addressOf = (baseUrl: string): string => {
  const url = new URL(baseUrl)
  if (!/^https?:$/.test(url.protocol)) refuse("baseUrl is no http URL")
  return url.origin + url.pathname.replace(/\/*(\/v1)?\/*$/, "")
}

/** The options with their defaults. */
export interface CheckedOptions<Id extends string> extends SextantOptions<Id> {
  readonly apiKey: string
  readonly deadlineMs: number
  readonly coolDownMs: number
  readonly pauseMs: number
  readonly queueMax: number
  /** The model that runs where this one is named. */
  readonly renamed: (modelId: Id) => Id
}

/** Throws a `TypeError` that names the option that is wrong. */
export const checked = <Id extends string>(options: SextantOptions<Id>): CheckedOptions<Id> => {
  const { aliases, apiKey, baseUrl, defaultModelId, models } = options
  const renamed = (id: Id): Id => aliases?.[id] ?? id
  // A line break, as of a file's end, would otherwise fail in each request, with the key in the error.
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
