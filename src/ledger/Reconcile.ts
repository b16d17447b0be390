import type { Reconciliation } from "../domain/Decision.ts"

/**
 * What stands on a decision after another feedback. A label that teaches gives way only to another that
 * does, so that late telemetry erases neither it nor its time. A measurement is added to those of the same
 * model; one of another model comes only with its label, or the bill would be of two models.
 */
export const reconciled = (before: Reconciliation | null, next: Reconciliation): Reconciliation => {
  if (before === null) return next
  const label = next.teaches || !before.teaches ? next : before
  if (next.chosenModelId !== before.chosenModelId) return label
  return {
    ...label,
    actualCostUsd: next.actualCostUsd ?? before.actualCostUsd,
    inputTokens: next.inputTokens ?? before.inputTokens,
    outputTokens: next.outputTokens ?? before.outputTokens,
    latencyMs: next.latencyMs ?? before.latencyMs
  }
}
