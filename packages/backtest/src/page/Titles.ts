/* The names of policies, and the unit of costs, on a backtest's page and table. */
import type { BacktestPolicy } from "../Report.ts"

/** "Slider 5", "Always gpt-4o", "As logged" */
export const titleOf = (
  { kind, modelId, slider }: Pick<BacktestPolicy, "kind" | "modelId" | "slider">
): string => {
  if (kind === "slider") return `Slider ${slider}`
  return kind === "always" ? `Always ${modelId}` : "As logged"
}

/** Calls that costs are shown for, count: the cost of one is hard to read. */
export const callsShown = 1_000

/** "1,000 calls" */
export const callsTitle = `${callsShown.toLocaleString("en-GB")} calls`
