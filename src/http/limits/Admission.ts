/*
 * Decides which requests are admitted and when they run: limits of work, a fair queue, an order of refusals.
 */
import { Context } from "effect"
import { makeFairQueue, type Turn } from "./FairQueue.ts"
import { limitSettings } from "./LimitSettings.ts"

/** The purpose of a request: under load reads are refused first, and feedback last. */
export type Purpose = "read" | "recommend" | "feedback"

/** Paths by purpose, of the service and of `sextant memory`; every other path is a read. */
const purposes: ReadonlyArray<readonly [path: RegExp, purpose: Purpose]> = [
  [/^\/v1\/recommend|^\/memory\/v1\/recall/, "recommend"],
  [/^\/v1\/feedback|^\/memory\/v1\/(teach|reinforce|steps|lessons)/, "feedback"]
]

export const purposeOf = (url: string): Purpose => purposes.find(([path]) => path.test(url))?.[1] ?? "read"

/** The load of the process. */
export interface Load {
  /** Share of the heap's limit that is used, buffers included, in [0, 1]. */
  readonly heapShare: number
  /** Share of a core that the process used in the last sample, >= 0. */
  readonly processorShare: number
  /** Mean delay of timers in the event loop in the last sample, ms. */
  readonly loopDelayMs: number
  /**
   * Share of the last sample in which the event loop was not idle, in [0, 1], by the wall clock. It is also
   * high for a process that other processes starve, which has no time for more work either.
   */
  readonly loopShare: number
}

/** Why a request is refused; null when it is admitted. */
export type AdmissionRefusal =
  /** The service has too much work, or too little memory. */
  | "overload"
  /** The account has too much work in flight. */
  | "account"
  | null

/** A request that was admitted and has not ended: its body is read, it waits, it runs, or its parts run. */
export interface Ticket extends Turn {
  readonly purpose: Purpose
}

export interface Admission {
  /** Whether there is memory for one more request of this purpose, of any account. */
  readonly hasMemory: (purpose: Purpose) => boolean
  /** Whether a request would be refused now, and why; changes nothing. */
  readonly refusalOf: (account: string, purpose: Purpose) => AdmissionRefusal
  /** Admits a request, or yields why it is refused. */
  readonly enter: (
    account: string,
    purpose: Purpose,
    units: number
  ) => Ticket | Exclude<AdmissionRefusal, null>
  /** Calls `start` when it is the turn of an admitted request, which may be at once. */
  readonly queue: (ticket: Ticket, start: () => void) => void
  /** Adds units to an admitted request that turned out to be more work; refuses it if there is no room. */
  readonly addUnits: (ticket: Ticket, moreUnits: number) => AdmissionRefusal
  /** Counts an uncached load of a running request; yields the function that ends the load. */
  readonly beginColdLoad: (ticket: Ticket) => () => void
  /** Ends the turn of a request whose parts run with turns of their own. */
  readonly pause: (ticket: Ticket) => void
  /** A part of an admitted request, of one unit, which is queued by itself. */
  readonly partOf: (ticket: Ticket) => Ticket
  /** Ends a request, or a part of one, whether it had its turn or not. */
  readonly leave: (ticket: Ticket) => void
  /** Adjusts the number of turns to the load, and starts requests that may run; called with every sample. */
  readonly reconsider: () => void
}

/** The one admission of the process, which every route shares. */
export class Admissions extends Context.Service<Admissions, Admission>()("sextant/http/limits/Admission") {}

/** The part of {@link limitSettings} that admission reads. */
type AdmissionSettings =
  & {
    readonly [
      Name in
        | "accountMin" | "accountShare" | "coldLoadUnits" | "inFlightMax" | "saturatedFrom"
        | "saturatedFromMs" | "turnsAtFirst" | "turnsAtOnce"
    ]: number
  }
  & { readonly [Name in "fullFrom" | "heapFullFrom" | "waitMsMax"]: Readonly<Record<Purpose, number>> }

/** The next purpose that is refused later: whatever refuses feedback refuses every other purpose, too. */
const nextImportant: Readonly<Record<Purpose, Purpose | null>> = {
  read: "recommend", recommend: "feedback", feedback: null
}

/** Units of work that an account has in flight; its feedback is counted separately. */
interface AccountUnits {
  feedback: number
  other: number
}

const kindOf = (purpose: Purpose): keyof AccountUnits => purpose === "feedback" ? "feedback" : "other"

/** Counts the units of work in flight: of all tickets, of each account, and of each ticket. */
const makeUnitsInFlight = () => {
  /** An account without work in flight has no entry, nor has a ticket that has left. */
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
    /** Units of an account: of its feedback, or of all its other purposes. */
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

/** Whether more work at once would only make every request slower. */
const isSaturatedBy = (
  { loopDelayMs, loopShare, processorShare }: Load,
  settings: AdmissionSettings
): boolean =>
  Math.max(processorShare, loopShare) >= settings.saturatedFrom || loopDelayMs >= settings.saturatedFromMs

/**
 * Bounds the units of work of all requests together, and of each account. Some requests run at once: few
 * while the process is saturated, and more with each sample while it is not. The others wait: the account
 * that had the least work goes first, and within an account its feedback. A purpose is refused when it
 * exceeds a limit of its own, or when the next more important purpose is refused; so feedback is refused last
 * in every state.
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
  /** Turns at once while the process is not saturated; doubled when the process has time for more. */
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
      // The request's own units must not refuse it.
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
