/* The signals that a report gives about an agent's run, which no prediction or choice uses. */
import { Schema } from "effect"
import { Count, Tokens } from "./Units.ts"
import { described, nullable, wire } from "./wire/Wire.ts"

const RunEnd = Schema.Literals(["finished", "limit", "error", "interrupted"]).annotate({
  identifier: "RunEnd",
  description: "How a run ended. `finished`: the agent said that it was done. `limit`: a limit of steps, "
    + "time, tokens or money. `error`: a fault. `interrupted`: somebody stopped it."
})

const counts = {
  steps: described(nullable(Count), "Steps, or turns; `iterations` when left out."),
  outputTokens: described(nullable(Tokens), "Output tokens; `output_tokens` when left out."),
  toolErrors: described(nullable(Count), "Failed calls of tools.")
}

export const RunSignals = wire({ ...counts, ended: described(nullable(RunEnd), "The end of the run.") }, {
  identifier: "RunSignals",
  description: "Signals of an agent's run, which are stored and shown. No choice uses the signals, because "
    + "on recorded runs they reflected the task's difficulty, not the run's quality."
})
export type RunSignals = typeof RunSignals.Type

/** `ended` may be any text, because a newer version may write a word that this version does not know. */
export const KeptSignals = wire({ ...counts, ended: described(
  nullable(Schema.String), "The end of the run."
) }, {
  identifier: "KeptSignals",
  description: "Signals of a run, from the last report with signals. A signal that the report lacks is null."
})

/** The signals of a run, completed from the report's other fields; null if there are none. */
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
