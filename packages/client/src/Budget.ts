/* The error for a used-up budget, after which the client runs no default model by itself. */

export class BudgetExhausted extends Error {
  override readonly name = "BudgetExhausted"
  declare readonly detail: string
  /** Time until the budget's period ends, in ms >= 0; 0 if unknown. */
  declare readonly retryAfterMs: number

  constructor(detail: string, retryAfterMs: number) {
    super(`Budget exhausted: ${detail}`)
    this.detail = detail
    this.retryAfterMs = retryAfterMs
  }
}
