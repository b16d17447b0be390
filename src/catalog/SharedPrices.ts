import { Context, type Effect, Schema } from "effect"
import { FailureReason } from "../resilience/FailureReason.ts"

/** The prices that copies share could not be read or written; `reason` says why. */
export class SharedPricesUnavailable extends Schema.TaggedError<SharedPricesUnavailable>()(
  "SharedPricesUnavailable",
  { reason: FailureReason }
) {
  override readonly cause = this.reason
  override get message() {
    return this.reason.message
  }
  /** Whether repeating the same call later may succeed. */
  get isRetryable(): boolean {
    return this.reason.isRetryable
  }
}

/** What a copy finds when it looks at the prices that all copies share. */
export interface Looked {
  /** Names this copy's turn to read the sources; null while none is due, or another copy is at it. */
  readonly turn: string | null
  /** The shared prices, as `LastGood` writes them; null when they are those that were seen, or overdue. */
  readonly news: { readonly revision: number; readonly text: string } | null
}

export interface Settled {
  /** What was read, as `LastGood` writes it; null leaves the shared prices as they are. */
  readonly text: string | null
  /** From now until the sources are to be read again, by whichever copy then looks first, ms. */
  readonly dueInMs: number
}

/**
 * The prices that several copies share, so that one of them asks the sources at a time. A turn that is not
 * settled within its lease is another's to take, and settling it then changes nothing.
 */
export class SharedPrices extends Context.Service<SharedPrices, {
  /** @param seen revision of the shared prices in use here; 0 for none */
  look(seen: number): Effect.Effect<Looked, SharedPricesUnavailable>
  /** Ends a turn; yields the revision that the shared prices then have, or null when the turn was lost. */
  settle(turn: string, settled: Settled): Effect.Effect<number | null, SharedPricesUnavailable>
}>()("sextant/catalog/SharedPrices") {}
