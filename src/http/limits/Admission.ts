/** Who may have a request answered, and when: a fair queue of accounts, and the order of refusals. */
import { Context } from "effect"
import { makeFairQueue, type Turn } from "./FairQueue.ts"
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
  /** Share of the processor time available to the process that it used in the last moment, >= 0. */
  readonly processorShare: number
  /** How much later than due the event loop ran its timers in the last moment, mean, ms. */
  readonly loopDelayMs: number
  /**
   * Share of the last moment in which the event loop was not idle, in [0, 1], by the wall clock: high for a
   * process that its neighbours starve, too, which has no time for more at once either.
   */
  readonly loopShare: number
}

/** Why a request is turned away; null when it is not. */
export type Refusal =
  /** The service has too much to do, or too little memory. */
  | "overload"
  /** The account has too much under way. */
  | "account"
  | null

/** A request that was let in. It is still read, waits, runs, or waits for parts of itself that run. */
export interface Ticket extends Turn {
  readonly purpose: Purpose
}

export interface Admission {
  /** Whether there is memory for one more request of this purpose, of any account. */
  readonly hasMemory: (purpose: Purpose) => boolean
  /** What a request would be answered now; changes nothing. */
  readonly refusalOf: (account: string, purpose: Purpose) => Refusal
  /** Lets a request in unless it is refused. */
  readonly enter: (account: string, purpose: Purpose, units: number) => Ticket | Exclude<Refusal, null>
  /** Calls `start` when it is the turn of a request that was let in, perhaps at once. */
  readonly queue: (ticket: Ticket, start: () => void) => void
  /** Says that a request is more work than it looked; it is refused where all before it fill the room. */
  readonly weigh: (ticket: Ticket, moreUnits: number) => Refusal
  /** A request gives up its turn, because parts of it run that have turns of their own. */
  readonly pause: (ticket: Ticket) => void
  /** A part of a request that was let in, one unit, to be queued by itself. */
  readonly partOf: (ticket: Ticket) => Ticket
  /** A request, or a part of one, has ended, whether it ever had its turn or not. */
  readonly leave: (ticket: Ticket) => void
  /** Looks at the load anew, and starts what waits and may run now; called with every sample. */
  readonly reconsider: () => void
}

/** The process's one admission, which every route shares. */
export class Admissions extends Context.Service<Admissions, Admission>()("sextant/http/limits/Admission") {}

/** The part of {@link limitSettings} that this reads, in the same units. */
export type AdmissionSettings =
  & {
    readonly [
      Name in
        | "accountMin" | "accountShare" | "inFlightMax" | "saturatedFrom" | "saturatedFromMs"
        | "turnsAtFirst"
        | "turnsAtOnce"
    ]: number
  }
  & { readonly [Name in "fullFrom" | "heapFullFrom" | "waitMsMax"]: Readonly<Record<Purpose, number>> }

/** What is refused once a purpose is: every state that refuses feedback refuses all else. */
const moreImportant: Readonly<Record<Purpose, Purpose | null>> = {
  read: "recommend", recommend: "feedback", feedback: null
}

/** Units of an account in the house. */
interface Share {
  feedback: number
  other: number
}

/**
 * All requests together are bounded in units of work, and each account's. So many run at once, few while the
 * process is saturated and more and more while it is not, and the others wait: the account that has had the
 * least work goes first, and of an account's requests its feedback. A purpose is refused when a limit of its
 * own is passed or the next more important purpose is refused, so that feedback is refused last in every
 * state.
 */
export const makeAdmission = (
  load: () => Load,
  settings: AdmissionSettings = limitSettings,
  nowMs: () => number = () => performance.now()
): Admission => {
  const { accountMin, accountShare, fullFrom, heapFullFrom, inFlightMax, waitMsMax } = settings
  const accountMax = Math.max(accountMin, Math.floor(inFlightMax * accountShare))
  /** Without an entry an account has nothing in the house. */
  const shares = new Map<string, Share>()
  let total = 0

  const isSaturated = (): boolean => {
    const { loopDelayMs, loopShare, processorShare } = load()
    return Math.max(processorShare, loopShare) >= settings.saturatedFrom
      || loopDelayMs >= settings.saturatedFromMs
  }
  /** Turns at once while the process is not saturated: more whenever it proves to have time for more. */
  let turnsMax = settings.turnsAtFirst
  const queue = makeFairQueue({
    turnsAtOnce: () => isSaturated() ? settings.turnsAtOnce : turnsMax, nowMs
  })

  const passes = (account: string, purpose: Purpose): Refusal => {
    if (total >= inFlightMax * fullFrom[purpose]) return "overload"
    if (queue.oldestWaitMs(account) >= waitMsMax[purpose]) return "overload"
    const own = shares.get(account)
    if (own === undefined) return null
    return (purpose === "feedback" ? own.feedback : own.other) >= accountMax ? "account" : null
  }
  const refusalOf = (account: string, purpose: Purpose): Refusal => {
    const next = moreImportant[purpose]
    return passes(account, purpose) ?? (next === null ? null : refusalOf(account, next))
  }

  const add = ({ account, purpose }: Ticket, units: number): void => {
    const own = shares.get(account) ?? { feedback: 0, other: 0 }
    own[purpose === "feedback" ? "feedback" : "other"] += units
    total += units
    if (own.feedback + own.other > 0) shares.set(account, own)
    else shares.delete(account)
  }

  /** Tickets by what they hold; one that has left has no entry. */
  const held = new Map<Ticket, number>()

  return {
    hasMemory: (purpose) => load().heapShare < heapFullFrom[purpose],
    refusalOf,
    enter: (account, purpose, units) => {
      const refusal = refusalOf(account, purpose)
      if (refusal !== null) return refusal
      const ticket = { account, purpose, units, isFirst: purpose === "feedback" }
      held.set(ticket, units)
      add(ticket, units)
      return ticket
    },
    queue: (ticket, start) => queue.enter(ticket, start),
    weigh: (ticket, moreUnits) => {
      const units = held.get(ticket)
      if (units === undefined) return null
      add(ticket, -units)
      const refusal = refusalOf(ticket.account, ticket.purpose)
      const weight = refusal === null ? units + moreUnits : units
      held.set(ticket, weight)
      add(ticket, weight)
      return refusal
    },
    pause: (ticket) => queue.leave(ticket),
    partOf: (ticket) => ({ ...ticket, units: 1 }),
    leave: (ticket) => {
      const units = held.get(ticket)
      held.delete(ticket)
      if (units !== undefined) add(ticket, -units)
      queue.leave(ticket)
    },
    reconsider: () => {
      const isMoreWanted = queue.isWaiting() && !isSaturated()
      turnsMax = isMoreWanted ? Math.min(inFlightMax, 2 * turnsMax) : settings.turnsAtFirst
      queue.advance()
    }
  }
}
