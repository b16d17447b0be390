/* A queue that gives each account a fair share of the work. */

export interface Turn {
  readonly account: string
  /** True if the turn goes before the account's other turns. */
  readonly isFirst: boolean
  /** Work of the request, units. */
  readonly units: number
}

interface WaitingTurn {
  readonly turn: Turn
  readonly start: () => void
  readonly sinceMs: number
}

interface AccountQueue {
  /** Virtual time of the account's next turn, to which each turn or load adds its units. */
  position: number
  readonly first: Set<WaitingTurn>
  readonly others: Set<WaitingTurn>
  running: number
  /** Units of the loads in progress that the account's turns began. */
  loading: number
}

export interface FairQueue {
  /** Calls `start` when the turn begins, which may be at once. */
  readonly enter: (turn: Turn, start: () => void) => void
  /** Charges a turn's account for loading a cache; the returned function counts the load as ended. */
  readonly beginLoad: (turn: Turn, units: number) => () => void
  /** Ends a turn that waits or runs; does nothing for a turn that has ended. */
  readonly leave: (turn: Turn) => void
  readonly advance: () => void
  readonly isWaiting: () => boolean
  /** Time that the account's oldest waiting turn has waited, ms; 0 if no turn waits. */
  readonly oldestWaitMs: (account: string) => number
}

const queueOf = (account: AccountQueue, { isFirst }: Turn) => isFirst ? account.first : account.others

const waitingIn = ({ first, others }: AccountQueue): number => first.size + others.size

const nextIn = ({ first, others }: AccountQueue): WaitingTurn | undefined => {
  for (const next of first.size > 0 ? first : others) return next
  return undefined
}

/** A set iterates in the order of insertion. */
const oldestIn = (queue: ReadonlySet<WaitingTurn>): number => {
  for (const { sinceMs } of queue) return sinceMs
  return Infinity
}

const oldestOf = (account: AccountQueue | undefined): number | null => {
  if (account === undefined) return null
  const sinceMs = Math.min(oldestIn(account.first), oldestIn(account.others))
  return Number.isFinite(sinceMs) ? sinceMs : null
}

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
 * virtual start time goes first. An account that was idle starts at the current virtual time, so idling gains
 * nothing. Even if all turns are taken, an account without a running turn starts one, unless its load units
 * reach `loadingMax`.
 */
export const makeFairQueue = ({ loadingMax, nowMs, turnsAtOnce }: {
  readonly turnsAtOnce: () => number
  /** An account with loads starts no turn while its load units and running turns reach `loadingMax`. */
  readonly loadingMax: number
  readonly nowMs: () => number
}): FairQueue => {
  const accounts = new Map<string, AccountQueue>()
  const waitingOf = new Map<Turn, WaitingTurn>()
  const runningTurns = new Set<Turn>()
  let loadingUnits = 0
  /** Latest virtual start time of a turn. */
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
