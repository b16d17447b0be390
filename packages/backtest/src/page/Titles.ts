/* The names of policies, and the unit of costs, on a backtest's page and table. */
import type { BacktestPolicy } from "../Report.ts"

/** "Slider 5", "$0.50 a success", "Always gpt-4o", "As logged" */
export const titleOf = (
  { kind, modelId, name, slider }: Pick<BacktestPolicy, "kind" | "modelId" | "name" | "slider">
): string => {
  if (kind === "slider") return `Slider ${slider}`
  if (kind === "value") return name
  return kind === "always" ? `Always ${modelId}` : "As logged"
}

/** Calls that costs are shown for, count: the cost of one is hard to read. */
export const callsShown = 1_000

/** "1,000 calls" */
export const callsTitle = `${callsShown.toLocaleString("en-GB")} calls`
