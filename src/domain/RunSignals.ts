/* What a run showed of itself: kept with its report and shown, and no part of any prediction or choice. */
import { Schema } from "effect"
import { Count, Tokens } from "./Units.ts"
import { described, nullable, wire } from "./wire/Wire.ts"

const RunEnd = Schema.Literals(["finished", "limit", "error", "interrupted"]).annotate({
  identifier: "RunEnd",
  description: "How a run ended: `finished`, the agent said that it was done; `limit`, it reached a limit of "
    + "steps, time, tokens or money; `error`, a fault ended it; `interrupted`, somebody stopped it."
})

const counts = {
  steps: described(nullable(Count), "Steps, or turns; `iterations` when left out."),
  outputTokens: described(nullable(Tokens), "Tokens that it wrote; `output_tokens` when left out."),
  toolErrors: described(nullable(Count), "Calls of tools that failed.")
}

export const RunSignals = wire({ ...counts, ended: described(nullable(RunEnd), "How it ended.") }, {
  identifier: "RunSignals",
  description: "Signals of an agent's run. They are kept and shown, and decide nothing: on recorded runs "
    + "such signals tell how hard the task was, not how good the run was."
})
export type RunSignals = typeof RunSignals.Type

/** Signals as an answer has them: a newer version may have written other words. */
export const KeptSignals = wire({ ...counts, ended: described(nullable(Schema.String), "How it ended.") }, {
  identifier: "KeptSignals",
  description: "Signals of a run, each from the last report that has it; null if no report has it."
})

/** What a report says of its run; null without any of it. */
export const signalsOf = ({ iterations, outputTokens, signals }: {
  readonly iterations: number | null
  readonly outputTokens: number | null
  readonly signals: RunSignals | null
}): RunSignals | null =>
  signals && {
    ...signals,
    steps: signals.steps ?? iterations,
    outputTokens: signals.outputTokens ?? outputTokens
  }
