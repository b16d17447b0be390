/* The one answer of the service after which no default runs by itself: the account's budget is used up. */

/** The account's budget is used up until its period ends. */
export class BudgetExhausted extends Error {
  override readonly name = "BudgetExhausted"
  /** The service's words about the budget. */
  declare readonly detail: string
  /** How long until the period ends, in ms >= 0. */
  declare readonly retryAfterMs: number

  constructor(detail: string, retryAfterMs: number) {
    super(`Budget exhausted: ${detail}`)
    this.detail = detail
    this.retryAfterMs = retryAfterMs
  }
}
