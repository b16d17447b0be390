/* The reasons to ask a reasoner about a recommendation. */
import { Schema } from "effect"

export const EscalationReason = Schema.Literals([
  "thin_evidence", "low_confidence", "tie", "conflict", "wide_interval", "low_recall_confidence"
])
export type EscalationReason = typeof EscalationReason.Type
