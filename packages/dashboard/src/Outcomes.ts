/* Outcomes and their labels in words. */
import type { Outcome } from "../../../src/domain/Feedback.ts"

export const outcomeWords: { readonly [O in Outcome]: string } = {
  success: "✓ succeeded",
  partial: "◐ half succeeded",
  failure: "✗ failed"
}

const provenances: Readonly<Record<string, string>> = {
  gate: "passed its check",
  judge: "label of a judge",
  human: "label of a human",
  none: "telemetry only",
  assertion: "label of the caller"
}

/** Where a label comes from. */
export const provenanceWords = (provenance: string): string => provenances[provenance] ?? provenance
