/** Port: prices that several copies of the service share, so that one copy at a time reads the sources. */
import { Context, type Effect } from "effect"
import { portError } from "../resilience/FailureReason.ts"

/** The prices that copies share could not be read or written; `reason` says why. */
export class SharedPricesUnavailable
  extends portError<SharedPricesUnavailable>()("SharedPricesUnavailable", {})
{}

/** The shared prices as a copy finds them. */
interface Looked {
  /** This copy's turn to read the sources; null while none is due or another copy has it. */
  readonly turn: string | null
  /** The shared prices, as `LastGood` writes them; null when they are already in use here, or overdue. */
  readonly news: { readonly revision: number; readonly text: string } | null
}

/** What a copy found in its turn. */
export interface TurnResult {
  /** The new prices, as `LastGood` writes them; null leaves the shared prices unchanged. */
  readonly text: string | null
  /** Time until the sources are due again, for the first copy that then looks, in milliseconds. */
  readonly dueInMs: number
}

/**
 * The prices that several copies share. A copy reads the sources in its turn. A turn that is not settled
 * within its lease can be taken by another copy, and settling it afterwards changes nothing.
 */
export class SharedPrices extends Context.Service<SharedPrices, {
  /** @param seen revision of the shared prices in use here; 0 for none */
  look(seen: number): Effect.Effect<Looked, SharedPricesUnavailable>
  /** Ends a turn; yields the new revision of the shared prices, or null when the turn was lost. */
  settle(turn: string, result: TurnResult): Effect.Effect<number | null, SharedPricesUnavailable>
}>()("sextant/catalog/SharedPrices") {}
