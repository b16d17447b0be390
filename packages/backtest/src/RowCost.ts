/* What the rows of a log cost. */
import type { ModelCard } from "../../../src/domain/model/Model.ts"
import type { LogRow } from "./LogRow.ts"
import { computedUsdOf } from "./Rehearsal.ts"

/** The spending of a log by how it is known. */
export interface SpentTotals {
  reportedRows: number
  reportedUsd: number
  computedRows: number
  computedUsd: number
  unknownCostRows: number
}

/** A number of a row; null for what the log does not have. */
export const orNull = (value: number): number | null => Number.isNaN(value) ? null : value

/** What a row cost, by its bill or else by its tokens at list prices, and which of both; NaN for neither. */
export const costOf = (row: LogRow, card: ModelCard | null | undefined) => {
  if (!Number.isNaN(row.costUsd)) return { usd: row.costUsd, source: "reported" } as const
  const usd = card === null || card === undefined ? null : computedUsdOf(card, {
    inputTokens: orNull(row.inputTokens),
    cachedInputTokens: orNull(row.cachedInputTokens),
    outputTokens: orNull(row.outputTokens),
    reasoningTokens: orNull(row.reasoningTokens)
  })
  return usd === null ? { usd: NaN, source: "unknown" } as const : { usd, source: "computed" } as const
}

/** Adds what a row cost. */
export const countCost = (totals: SpentTotals, { source, usd }: ReturnType<typeof costOf>): void => {
  if (source === "reported") {
    totals.reportedRows++
    totals.reportedUsd += usd
  } else if (source === "computed") {
    totals.computedRows++
    totals.computedUsd += usd
  } else totals.unknownCostRows++
}
