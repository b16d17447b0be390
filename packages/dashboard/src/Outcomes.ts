/* Outcomes and the sources of verdicts in words. */
import type { Outcome } from "../../../src/domain/feedback/Feedback.ts"

export const outcomeWords: { readonly [O in Outcome]: string } = {
  success: "✓ succeeded",
  partial: "◐ half succeeded",
  failure: "✗ failed"
}

const provenances: Readonly<Record<string, string>> = {
  gate: "by an automatic check",
  judge: "by a judging model",
  human: "by a person",
  self_check: "by the agent's own check",
  none: "measured, not judged",
  assertion: "by the caller's word"
}

export const provenanceWords = (provenance: string): string => provenances[provenance] ?? provenance
