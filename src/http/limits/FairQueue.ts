/* A queue of turns that accounts share fairly by their work. */

/** The turn of a request, which waits or runs. */
export interface Turn {
  readonly account: string
  /** Whether it precedes the account's other turns. */
  readonly isFirst: boolean
  /** Its work, units: one is a recommendation. */
  readonly units: number
}

interface WaitingTurn {
  readonly turn: Turn
  readonly start: () => void
  readonly sinceMs: number
}

interface AccountQueue {
  /** The virtual time at which the account's next turn starts: it advances with the account's work. */
  position: number
  /** Turns that wait, in the order of their arrival; `first` precedes `others`. */
  readonly first: Set<WaitingTurn>
  readonly others: Set<WaitingTurn>
  running: number
  /** Loads of its turns in progress, units. */
  loading: number
}

export interface FairQueue {
  /** Calls `start` when the turn begins, which may be at once. */
  readonly enter: (turn: Turn, start: () => void) => void
  /**
   * Adds a load of so many units to a turn that runs, and yields what ends it, which may be after the turn.
   * Its account's next turn is later by as much. Does nothing for another turn.
   */
  readonly beginLoad: (turn: Turn, units: number) => () => void
  /** Ends a turn that runs or waits; does nothing for another one. */
  readonly leave: (turn: Turn) => void
  /** Starts the turns that may run. */
  readonly advance: () => void
  readonly isWaiting: () => boolean
  /** How long the oldest waiting turn of the account has waited, ms; 0 when none waits. */
  readonly oldestWaitMs: (account: string) => number
}

const queueOf = (account: AccountQueue, { isFirst }: Turn) => isFirst ? account.first : account.others

const waitingIn = ({ first, others }: AccountQueue): number => first.size + others.size

const nextIn = ({ first, others }: AccountQueue): WaitingTurn | undefined => {
  for (const next of first.size > 0 ? first : others) return next
  return undefined
}

/** When the oldest turn of a queue arrived, ms; a set iterates in the order of insertion. */
const oldestIn = (queue: ReadonlySet<WaitingTurn>): number => {
  for (const { sinceMs } of queue) return sinceMs
  return Infinity
}

/** When the oldest waiting turn of an account arrived, ms; null when none waits. */
const oldestOf = (account: AccountQueue | undefined): number | null => {
  if (account === undefined) return null
  const sinceMs = Math.min(oldestIn(account.first), oldestIn(account.others))
  return Number.isFinite(sinceMs) ? sinceMs : null
}

/**
 * The next turn and its account. It skips accounts that load and have `loadingMax` turns and units of loads,
 * and when `isFull` also accounts with a running turn.
 */
const nextTurn = (accounts: Iterable<AccountQueue>, isFull: boolean, loadingMax: number) => {
  let account: AccountQueue | undefined
  for (const each of accounts) {
    if (waitingIn(each) === 0 || (isFull && each.running > 0)) continue
    if (each.loading > 0 && each.loading + each.running >= loadingMax) continue
    if (account === undefined || each.position < account.position) account = each
  }
  const waiting = account === undefined ? undefined : nextIn(account)
  return account === undefined || waiting === undefined ? null : { account, waiting }
}

const newAccount = (position: number): AccountQueue =>
  ({ position, first: new Set(), others: new Set(), running: 0, loading: 0 })

/**
 * Start-time fair queueing (Goyal, Vin and Cheng 1996) with equal weights: the account with the earliest
 * virtual start time goes first. A new account starts at the current virtual time, so that idle time earns no
 * advantage. `turnsAtOnce` may change with the load. An account with no running turn may always start one,
 * unless its loads alone reach `loadingMax`. A unit of a load counts as a turn.
 */
export const makeFairQueue = ({ loadingMax, nowMs, turnsAtOnce }: {
  readonly turnsAtOnce: () => number
  /** Turns and units of loads of an account that loads, from which it starts no further turn. */
  readonly loadingMax: number
  readonly nowMs: () => number
}): FairQueue => {
  /** An account without waiting or running turns and without loads has no entry. */
  const accounts = new Map<string, AccountQueue>()
  const waitingOf = new Map<Turn, WaitingTurn>()
  const runningTurns = new Set<Turn>()
  /** Units of all loads. */
  let loadingUnits = 0
  /** The virtual start time of the last turn that started. */
  let virtualTime = 0

  const startTurn = (account: AccountQueue, turn: Turn): void => {
    virtualTime = Math.max(virtualTime, account.position)
    account.position += turn.units
    account.running++
    runningTurns.add(turn)
  }

  const advance = (): void => {
    while (waitingOf.size > 0) {
      const isFull = runningTurns.size + loadingUnits >= turnsAtOnce()
      const next = nextTurn(accounts.values(), isFull, loadingMax)
      if (next === null) return
      const { start, turn } = next.waiting
      queueOf(next.account, turn).delete(next.waiting)
      waitingOf.delete(turn)
      startTurn(next.account, turn)
      start()
    }
  }

  const forget = (name: string, account: AccountQueue): void => {
    if (account.running + account.loading + waitingIn(account) === 0) accounts.delete(name)
  }

  return {
    beginLoad: (turn, units) => {
      const account = accounts.get(turn.account)
      if (account === undefined || !runningTurns.has(turn)) return () => {}
      account.position += units
      account.loading += units
      loadingUnits += units
      return () => {
        account.loading -= units
        loadingUnits -= units
        forget(turn.account, account)
        advance()
      }
    },
    enter: (turn, start) => {
      const waiting = { turn, start, sinceMs: nowMs() }
      const account = accounts.get(turn.account) ?? newAccount(virtualTime)
      accounts.set(turn.account, account)
      if (waitingIn(account) === 0) account.position = Math.max(account.position, virtualTime)
      waitingOf.set(turn, waiting)
      queueOf(account, turn).add(waiting)
      advance()
    },
    leave: (turn) => {
      const account = accounts.get(turn.account)
      if (account === undefined) return
      const waiting = waitingOf.get(turn)
      if (waiting !== undefined) {
        waitingOf.delete(turn)
        queueOf(account, turn).delete(waiting)
      }
      if (runningTurns.delete(turn)) account.running--
      forget(turn.account, account)
      advance()
    },
    advance,
    isWaiting: () => waitingOf.size > 0,
    oldestWaitMs: (name) => {
      const sinceMs = oldestOf(accounts.get(name))
      return sinceMs === null ? 0 : nowMs() - sinceMs
    }
  }
}
