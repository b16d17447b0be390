/* Decides which requests are admitted, and when they run. */
import { Context } from "effect"
import { makeFairQueue, type Turn } from "./FairQueue.ts"
import { limitSettings } from "./LimitSettings.ts"

/** The purpose of a request. Under load, reads are refused first and feedback last. */
export type Purpose = "read" | "recommend" | "feedback"

/** A request has the purpose `read` if its route matches no pattern of `purposes`. */
const purposes: ReadonlyArray<readonly [path: RegExp, purpose: Purpose]> = [
  [/^\/v1\/recommend|^\/memory\/v1\/recall/, "recommend"],
  [/^\/v1\/feedback|^\/memory\/v1\/(teach|reinforce|steps|lessons)/, "feedback"]
]

export const purposeOf = (route: string): Purpose =>
  purposes.find(([path]) => path.test(route))?.[1] ?? "read"

export interface Load {
  /** Used heap and buffers, as a share of the heap's limit. */
  readonly heapShare: number
  /** Share of a processor core that the thread of the requests used in the last sample. */
  readonly processorShare: number
  /** Mean delay of timers in the event loop in the last sample, ms. */
  readonly loopDelayMs: number
  /** Share of the last sample in which the event loop was not idle. */
  readonly loopShare: number
}

export type AdmissionRefusal =
  /** The accounts together have too much work in flight, or the account's oldest request waits too long. */
  | "overload"
  /** The account has too much work in flight. */
  | "account"
  | null

/** Stands for an admitted request, or for one step of an admitted workflow, until it ends. */
export interface Ticket extends Turn {
  readonly purpose: Purpose
}

export interface Admission {
  /** Returns whether there is memory for one more request of this purpose. */
  readonly hasMemory: (purpose: Purpose) => boolean
  /** Returns why a request would be refused now; null if it would be admitted. Changes nothing. */
  readonly refusalOf: (account: string, purpose: Purpose) => AdmissionRefusal
  readonly enter: (
    account: string,
    purpose: Purpose,
    units: number
  ) => Ticket | Exclude<AdmissionRefusal, null>
  readonly queue: (ticket: Ticket, start: () => void) => void
  /** Adds units to an admitted request, or refuses the request if there is no room for more work. */
  readonly addUnits: (ticket: Ticket, moreUnits: number) => AdmissionRefusal
  /** Counts a cold load, such as reading a lane that is not cached, until the returned function is called. */
  readonly beginColdLoad: (ticket: Ticket) => () => void
  readonly pause: (ticket: Ticket) => void
  /** Makes the ticket of one step of a workflow, which has one unit and waits in the queue by itself. */
  readonly partOf: (ticket: Ticket) => Ticket
  /** Ends a request or a step of a workflow, even if it never had its turn. */
  readonly leave: (ticket: Ticket) => void
  /** Adjusts the number of turns to the load, and starts the requests that may run. */
  readonly reconsider: () => void
}

export class Admissions extends Context.Service<Admissions, Admission>()("sextant/http/limits/Admission") {}

type AdmissionSettings =
  & {
    readonly [
      Name in
        | "accountMin" | "accountShare" | "coldLoadUnits" | "inFlightMax" | "saturatedFrom"
        | "saturatedFromMs" | "turnsAtFirst" | "turnsAtOnce"
    ]: number
  }
  & { readonly [Name in "fullFrom" | "heapFullFrom" | "waitMsMax"]: Readonly<Record<Purpose, number>> }

/** The next more important purpose. A request is refused if a more important one would be refused. */
const nextImportant: Readonly<Record<Purpose, Purpose | null>> = {
  read: "recommend", recommend: "feedback", feedback: null
}

/** One account's work in flight, in units: for feedback, and for all other requests. */
interface AccountUnits {
  feedback: number
  other: number
}

const kindOf = (purpose: Purpose): keyof AccountUnits => purpose === "feedback" ? "feedback" : "other"

const makeUnitsInFlight = () => {
  const byAccount = new Map<string, AccountUnits>()
  const byTicket = new Map<Ticket, number>()
  let total = 0
  const add = ({ account, purpose }: Ticket, units: number): void => {
    const own = byAccount.get(account) ?? { feedback: 0, other: 0 }
    own[kindOf(purpose)] += units
    total += units
    if (own.feedback + own.other > 0) byAccount.set(account, own)
    else byAccount.delete(account)
  }
  return {
    total: () => total,
    ofAccount: (account: string, purpose: Purpose): number =>
      byAccount.get(account)?.[kindOf(purpose)] ?? 0,
    ofTicket: (ticket: Ticket): number | undefined => byTicket.get(ticket),
    set: (ticket: Ticket, units: number): void => {
      add(ticket, units - (byTicket.get(ticket) ?? 0))
      byTicket.set(ticket, units)
    },
    remove: (ticket: Ticket): void => {
      add(ticket, -(byTicket.get(ticket) ?? 0))
      byTicket.delete(ticket)
    }
  }
}

const isSaturatedBy = (
  { loopDelayMs, loopShare, processorShare }: Load,
  settings: AdmissionSettings
): boolean =>
  Math.max(processorShare, loopShare) >= settings.saturatedFrom || loopDelayMs >= settings.saturatedFromMs

/**
 * Limits the units of work in flight, of each account and of all accounts together. While the process is
 * saturated, only a few requests run at once; otherwise the number grows while requests wait. An account with
 * little recent work goes first, and its feedback before its other requests. Whenever feedback would be
 * refused, reads and recommendations are refused too.
 */
export const makeAdmission = (
  load: () => Load,
  settings: AdmissionSettings = limitSettings,
  nowMs: () => number = () => performance.now()
): Admission => {
  const { accountMin, accountShare, coldLoadUnits, fullFrom, heapFullFrom, inFlightMax, waitMsMax } = settings
  const accountMax = Math.max(accountMin, Math.floor(inFlightMax * accountShare))
  const inFlight = makeUnitsInFlight()

  const isSaturated = (): boolean => isSaturatedBy(load(), settings)
  /** At each sample, the number of turns doubles if requests wait and the process is not saturated. */
  let turnsMax = settings.turnsAtFirst
  const queue = makeFairQueue({
    turnsAtOnce: () => isSaturated() ? settings.turnsAtOnce : turnsMax,
    loadingMax: settings.turnsAtOnce,
    nowMs
  })

  const exceeds = (account: string, purpose: Purpose): AdmissionRefusal => {
    if (inFlight.total() >= inFlightMax * fullFrom[purpose]) return "overload"
    if (queue.oldestWaitMs(account) >= waitMsMax[purpose]) return "overload"
    return inFlight.ofAccount(account, purpose) >= accountMax ? "account" : null
  }
  const refusalOf = (account: string, purpose: Purpose): AdmissionRefusal => {
    const next = nextImportant[purpose]
    return exceeds(account, purpose) ?? (next === null ? null : refusalOf(account, next))
  }

  return {
    hasMemory: (purpose) => load().heapShare < heapFullFrom[purpose],
    refusalOf,
    enter: (account, purpose, units) => {
      const refusal = refusalOf(account, purpose)
      if (refusal !== null) return refusal
      const ticket = { account, purpose, units, isFirst: purpose === "feedback" }
      inFlight.set(ticket, units)
      return ticket
    },
    queue: (ticket, start) => queue.enter(ticket, start),
    addUnits: (ticket, moreUnits) => {
      const units = inFlight.ofTicket(ticket)
      if (units === undefined) return null
      // The request's own units do not count when its refusal is decided.
      inFlight.set(ticket, 0)
      const refusal = refusalOf(ticket.account, ticket.purpose)
      inFlight.set(ticket, refusal === null ? units + moreUnits : units)
      return refusal
    },
    beginColdLoad: (ticket) => queue.beginLoad(ticket, coldLoadUnits),
    pause: (ticket) => queue.leave(ticket),
    partOf: (ticket) => ({ ...ticket, units: 1 }),
    leave: (ticket) => {
      inFlight.remove(ticket)
      queue.leave(ticket)
    },
    reconsider: () => {
      const isMoreWanted = queue.isWaiting() && !isSaturated()
      turnsMax = isMoreWanted ? Math.min(inFlightMax, 2 * turnsMax) : settings.turnsAtFirst
      queue.advance()
    }
  }
}
