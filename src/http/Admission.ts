import { Context } from "effect"
import { limitSettings } from "./LimitSettings.ts"

/** What a request is for: under load reads are turned away first, and feedback last. */
export type Purpose = "read" | "recommend" | "feedback"

/** A memory that serves others has them too: it recalls for recommendations, and is told of feedback. */
const purposes: ReadonlyArray<readonly [path: RegExp, purpose: Purpose]> = [
  [/^\/v1\/recommend|^\/memory\/v1\/recall/, "recommend"],
  [/^\/v1\/feedback|^\/memory\/v1\/(teach|reinforce|steps|lessons)/, "feedback"]
]

export const purposeOf = (url: string): Purpose => purposes.find(([path]) => path.test(url))?.[1] ?? "read"

/** How the process is doing. */
export interface Load {
  /** Share of the heap's limit that is used, buffers included, in [0, 1]. */
  readonly heapShare: number
  /** Share of the last moment in which the event loop was busy, in [0, 1]. */
  readonly loopShare: number
}

/** Why a request is turned away; null when it is not. */
export type Refusal =
  /** The service has too much to do, or too little memory. */
  | "overload"
  /** The account has too much under way. */
  | "account"
  | null

export interface Admission {
  /** Turns away what would exhaust the memory, whoever asks. */
  readonly hasMemory: (purpose: Purpose) => boolean
  /** Counts a request in, unless it is turned away; whoever is let in calls {@link Admission.leave}. */
  readonly enter: (account: string, purpose: Purpose) => Refusal
  readonly leave: (account: string, purpose: Purpose) => void
}

/** The process's one admission, which every route shares. */
export class Admissions extends Context.Service<Admissions, Admission>()("sextant/http/Admissions") {}

/** The part of {@link limitSettings} that this reads, in the same units. */
type Settings =
  & {
    readonly [Name in "accountMin" | "accountShare" | "inFlightMax" | "saturatedFrom" | "sharedOut"]: number
  }
  & { readonly [Name in "fullFrom" | "heapFullFrom"]: Readonly<Record<Purpose, number>> }

/**
 * Who may have a request answered now. All requests together are bounded, and each account's; while the event
 * loop is saturated and several accounts ask, each has an equal share of what keeps it busy, so that one
 * which asks ten times as much waits for itself. An account's feedback is counted apart from its other
 * requests.
 */
export const makeAdmission = (load: () => Load, settings: Settings = limitSettings): Admission => {
  const { accountMin, accountShare, fullFrom, heapFullFrom, inFlightMax, saturatedFrom, sharedOut } = settings
  /** By account and whether it is feedback; without an entry there is none. */
  const inFlight = { other: new Map<string, number>(), feedback: new Map<string, number>() }
  let total = 0

  const countsOf = (purpose: Purpose) => purpose === "feedback" ? inFlight.feedback : inFlight.other

  const accountMax = (counts: ReadonlyMap<string, number>, account: string): number => {
    const most = Math.max(accountMin, Math.floor(inFlightMax * accountShare))
    const accounts = counts.size + (counts.has(account) ? 0 : 1)
    if (accounts < 2 || load().loopShare < saturatedFrom) return most
    return Math.min(most, Math.max(accountMin, Math.floor(sharedOut / accounts)))
  }

  return {
    hasMemory: (purpose) => load().heapShare < heapFullFrom[purpose],
    enter: (account, purpose) => {
      if (total >= inFlightMax * fullFrom[purpose]) return "overload"
      const counts = countsOf(purpose)
      const own = counts.get(account) ?? 0
      if (own >= accountMax(counts, account)) return "account"
      counts.set(account, own + 1)
      total++
      return null
    },
    leave: (account, purpose) => {
      const counts = countsOf(purpose)
      const own = counts.get(account) ?? 0
      if (own > 1) counts.set(account, own - 1)
      else counts.delete(account)
      total--
    }
  }
}
