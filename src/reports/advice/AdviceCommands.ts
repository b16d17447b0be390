/* The shell commands and requests that make or begin a change of model. */
import { trialShareDefault } from "../../domain/account/Guarantee.ts"
import { namespaceOf } from "../../domain/LaneName.ts"
import { variantName } from "../../domain/model/ModelVariant.ts"
import type { Settle } from "../../domain/reports/Advice.ts"
import { escapedLine } from "../../domain/text/HiddenCharacters.ts"
import { adviceSettings } from "./AdviceSettings.ts"

export interface Change {
  readonly accountId: string
  readonly lane: string
  readonly cluster: string
  readonly usualId: string
  readonly candidateId: string
}

/** Returns the text as one word of a shell, quoted if necessary, because callers may name anything. */
const wordOf = (text: string): string =>
  /^[\w.:/@+,-]+$/.test(text) ? text : `'${escapedLine(text).replaceAll("'", `'\\''`)}'`

/** A budget above a price, USD with two significant digits. */
const budgetOf = (costUsd: number): string => {
  const { auditionBudgetRatio, auditionUsdMin } = adviceSettings
  return String(Number(Math.max(auditionUsdMin, auditionBudgetRatio * costUsd).toPrecision(2)))
}

export const retireCommand = (accountId: string, modelId: string): string =>
  `sextant retire ${wordOf(modelId)} --instance ${wordOf(accountId)}`

/** Returns JSON of a request for a change's kind of task, which allows only the change's new model. */
const requestOf = ({ candidateId, cluster, lane }: Change): string =>
  JSON.stringify({
    namespace: escapedLine(namespaceOf(lane)),
    task: { task_type: cluster.split(":")[0] },
    constraints: { candidate_models: [escapedLine(variantName(candidateId))] }
  })

/** The line that makes a change, or that begins a way to find out whether it is good. */
export const commandOf = (
  change: Change,
  way: { readonly by: "move" } | Pick<Settle, "by" | "costUsd">
): string => {
  const usual = variantName(change.usualId)
  const candidate = variantName(change.candidateId)
  switch (way.by) {
    case "move":
      return `POST /v1/recommend ${requestOf(change)}`
    case "verdicts":
      return `POST /v1/feedback {"chosen_model_id": ${JSON.stringify(escapedLine(candidate))}, `
        + "\"evidence_source\": \"gate\"} with outcome and cost of each call"
    case "guarantee":
      return `sextant account set --instance ${wordOf(change.accountId)} `
        + `--guarantee-baseline ${wordOf(usual)} --guarantee-trials ${trialShareDefault}`
    case "audition":
      return `sextant audition PROMPTS.jsonl --models ${wordOf(`${usual},${candidate}`)} --judge MODEL `
        + `--budget ${budgetOf(way.costUsd)} --teach --instance ${wordOf(change.accountId)} `
        + `--namespace ${wordOf(namespaceOf(change.lane))}`
  }
}
