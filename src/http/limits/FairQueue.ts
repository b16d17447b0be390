/** Turns at running, shared fairly among accounts by the work of each. */

/** A place at running, or in the line for it. */
export interface Turn {
  readonly account: string
  /** Whether it goes before the account's other turns. */
  readonly isFirst: boolean
  /** How much work it is, in recommendations. */
  readonly units: number
}

interface Waiting {
  readonly turn: Turn
  readonly start: () => void
  readonly sinceMs: number
}

interface Account {
  /** Where the account's next request stands in line: the work it has had, on the clock of all. */
  position: number
  /** Those that wait, in the order in which they came; `first` goes before `others`. */
  readonly first: Set<Waiting>
  readonly others: Set<Waiting>
  running: number
}

export interface FairQueue {
  /** Calls `start` when the turn has come, perhaps at once. */
  readonly enter: (turn: Turn, start: () => void) => void
  /** Gives up the turn, or the place in line; nothing for one that has neither. */
  readonly leave: (turn: Turn) => void
  /** Starts what may run. */
  readonly advance: () => void
  readonly isWaiting: () => boolean
  /** How long the account's turn that has waited longest has waited, ms; 0 when none waits. */
  readonly oldestWaitMs: (account: string) => number
}

/**
 * Start-time fair queueing (Goyal, Vin and Cheng 1996) with equal weights: the account whose work lies
 * furthest back goes first. An account that comes new begins where the line is, so that idle time saves
 * nothing up. `turnsAtOnce` may change with the load; an account with nothing running always has one turn.
 */
export const makeFairQueue = ({ nowMs, turnsAtOnce }: {
  readonly turnsAtOnce: () => number
  readonly nowMs: () => number
}): FairQueue => {
  /** Without an entry an account neither waits nor runs. */
  const accounts = new Map<string, Account>()
  const waitingOf = new Map<Turn, Waiting>()
  const runningTurns = new Set<Turn>()
  /** The position of the last turn that was given. */
  let line = 0

  const accountOf = (name: string): Account => {
    const account = accounts.get(name)
      ?? { position: line, first: new Set(), others: new Set(), running: 0 }
    accounts.set(name, account)
    return account
  }
  const lineOf = (account: Account, { isFirst }: Turn) => isFirst ? account.first : account.others
  const waitingIn = ({ first, others }: Account): number => first.size + others.size
  const nextIn = ({ first, others }: Account): Waiting | undefined => {
    for (const next of first.size > 0 ? first : others) return next
    return undefined
  }

  /** When the one that has waited longest came, ms; a set keeps the order in which they came. */
  const oldestIn = (line: ReadonlySet<Waiting>): number => {
    for (const { sinceMs } of line) return sinceMs
    return Infinity
  }

  /** The waiting account that is next, among those with nothing running when `isFull`. */
  const nextAccount = (isFull: boolean): Account | undefined => {
    let next: Account | undefined
    for (const account of accounts.values()) {
      if (waitingIn(account) === 0 || (isFull && account.running > 0)) continue
      if (next === undefined || account.position < next.position) next = account
    }
    return next
  }

  const begin = (account: Account, turn: Turn): void => {
    line = Math.max(line, account.position)
    account.position += turn.units
    account.running++
    runningTurns.add(turn)
  }

  const advance = (): void => {
    while (waitingOf.size > 0) {
      const next = nextAccount(runningTurns.size >= turnsAtOnce())
      const waiting = next === undefined ? undefined : nextIn(next)
      if (next === undefined || waiting === undefined) return
      lineOf(next, waiting.turn).delete(waiting)
      waitingOf.delete(waiting.turn)
      begin(next, waiting.turn)
      waiting.start()
    }
  }

  return {
    enter: (turn, start) => {
      const waiting = { turn, start, sinceMs: nowMs() }
      const account = accountOf(turn.account)
      if (waitingIn(account) === 0) account.position = Math.max(account.position, line)
      waitingOf.set(turn, waiting)
      lineOf(account, turn).add(waiting)
      advance()
    },
    leave: (turn) => {
      const account = accounts.get(turn.account)
      if (account === undefined) return
      const waiting = waitingOf.get(turn)
      if (waiting !== undefined) {
        waitingOf.delete(turn)
        lineOf(account, turn).delete(waiting)
      }
      if (runningTurns.delete(turn)) account.running--
      if (account.running === 0 && waitingIn(account) === 0) accounts.delete(turn.account)
      advance()
    },
    advance,
    isWaiting: () => waitingOf.size > 0,
    oldestWaitMs: (name) => {
      const account = accounts.get(name)
      if (account === undefined) return 0
      const sinceMs = Math.min(oldestIn(account.first), oldestIn(account.others))
      return Number.isFinite(sinceMs) ? nowMs() - sinceMs : 0
    }
  }
}
