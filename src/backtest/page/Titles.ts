/* How a backtest's page and table call a way of choosing. */
import type { BacktestPolicy } from "../Report.ts"

/** "Slider 5", "Always gpt-4o", "As logged" */
export const titleOf = (
  { kind, modelId, slider }: Pick<BacktestPolicy, "kind" | "modelId" | "slider">
): string => {
  if (kind === "slider") return `Slider ${slider}`
  return kind === "always" ? `Always ${modelId}` : "As logged"
}
