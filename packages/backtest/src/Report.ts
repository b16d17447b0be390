/* The report of a backtest: a value that is printed, drawn as a page, and written as JSON. */
import { Schema } from "effect"
import { described, wire } from "../../../src/domain/wire/Wire.ts"

const Count = Schema.Finite
const Usd = Schema.Finite
const Share = Schema.Finite

export const Interval = wire({
  value: Schema.Finite,
  low: Schema.Finite,
  high: Schema.Finite
}, { identifier: "BacktestInterval", description: "An estimate and its 95 % interval." })
export type Interval = typeof Interval.Type

const BacktestLog = wire({
  rows: described(Count, "Calls that were read."),
  judged: described(
    Count,
    "Calls that were judged: no repeated ones or later attempts, and none that failed at the provider."
  ),
  repeated: described(Count, "Calls whose id and moment had come before."),
  laterAttempts: described(Count, "Later attempts at a task: neither judged nor learned."),
  infraFailures: described(Count, "Calls that failed at the provider: they say nothing of a model."),
  labelled: described(Count, "Judged calls with a label."),
  withPrompt: described(Count, "Calls with a text; the others are asked by tags and type alone."),
  from: described(Schema.NullOr(Schema.String), "Moment of the first call, ISO 8601; null in an empty log."),
  to: described(Schema.NullOr(Schema.String), "Moment of the last call."),
  models: described(Count, "Models of the log, however they are spelled."),
  leftOut: described(
    Schema.Array(wire({
      reason: Schema.String,
      count: Count,
      meaning: Schema.String
    }, { identifier: "BacktestLeftOut", description: "What was left out of the log, and why." })),
    "What was left out, by reason."
  )
}, { identifier: "BacktestLog", description: "What the log holds." })

const BacktestSpent = wire({
  usd: described(Usd, "What was spent as far as it is known, in US dollars."),
  computedRows: described(Count, "Calls without a bill, whose tokens are priced by the catalog's list."),
  computedUsd: described(Usd, "What they come to."),
  unknownRows: described(Count, "Calls whose cost is not known.")
}, { identifier: "BacktestSpent", description: "What was spent." })

export const BacktestPolicy = wire({
  kind: described(
    Schema.Literals(["slider", "always", "logged"]),
    "`slider`: what this service picks; `always`: one model; `logged`: what the log shows."
  ),
  name: described(Schema.String, "Its name for people."),
  slider: described(Schema.NullOr(Schema.Finite), "The cost/quality slider, in [0, 10]."),
  modelId: described(Schema.NullOr(Schema.String), "The model of `always`."),
  success: described(Schema.NullOr(Interval), "Mean success, in [0, 1]; null where the log cannot tell."),
  costUsd: described(Schema.NullOr(Interval), "Mean cost of a call, in US dollars."),
  saving: described(Schema.NullOr(Interval), "Share of what was spent that it saves; below 0 for more."),
  successDifference: described(Schema.NullOr(Interval), "Its success less that of the log's own choices."),
  matchedShare: described(Share, "Share of the calls on which its pick ran."),
  matchedLabelled: described(Count, "Calls on which its pick ran and was labelled."),
  effectiveSampleSize: described(Schema.Finite, "Equally weighted calls that those are worth (Kish)."),
  verdict: described(
    Schema.Literals(["saves", "costs_more", "not_enough", "baseline"]),
    "What can be said of its cost beside that of the log's own choices, with 95 % confidence."
  ),
  withheld: described(Schema.NullOr(Schema.String), "Why the log cannot tell."),
  picks: described(
    Schema.NullOr(Schema.Array(wire({ modelId: Schema.String, share: Share }, {
      identifier: "BacktestPick", description: "A model and the share of the calls that it gets."
    }))),
    "What a slider picks, most frequent first; null for the other policies."
  )
}, { identifier: "BacktestPolicy", description: "What a way of choosing would have cost and achieved." })
export type BacktestPolicy = typeof BacktestPolicy.Type

const BacktestBest = wire({
  verdict: described(
    Schema.Literals(["saves", "not_shown", "none", "not_enough"]),
    "`saves`: the interval excludes none; `none`: no way is as good; `not_enough`: the log cannot tell."
  ),
  way: described(
    Schema.NullOr(Schema.String), "The cheapest way that succeeds as often as the log's own, less one point."
  ),
  saving: described(
    Schema.NullOr(Interval),
    "Share of what was spent that it saves; where that is worse, what choosing so on four fifths of the log "
      + "comes to on the fifth."
  ),
  successDifference: described(Schema.NullOr(Interval), "Its success there less that of the log's own.")
}, { identifier: "BacktestBest", description: "The saving at the same quality." })
export type BacktestBest = typeof BacktestBest.Type

const BacktestUntold = wire({
  ways: described(Schema.Array(Schema.String), "The ways of choosing of which the log cannot tell."),
  moreLabels: described(
    Schema.NullOr(Count), "Labelled calls of the same kind that would tell of one of them, in expectation."
  ),
  auditionPrompts: described(Count, "Prompts of an audition of the candidates that would tell."),
  auditionUsd: described(Usd, "About what it would cost, in US dollars, without a judge."),
  sentence: described(Schema.String, "What cannot be told, why, and what would tell.")
}, { identifier: "BacktestUntold", description: "What the log cannot tell, and what would." })
export type BacktestUntold = typeof BacktestUntold.Type

/** The report of a backtest. */
export const BacktestReport = wire({
  report: described(Schema.Literals(["sextant-backtest/1"]), "The form of this document."),
  headline: described(Schema.String, "What the log says of the same quality."),
  best: described(BacktestBest, "What the headline is about."),
  untold: described(Schema.NullOr(BacktestUntold), "Null where the log tells of every way."),
  assumption: described(Schema.String, "What every estimate assumes, and what no log can say."),
  log: BacktestLog,
  spent: BacktestSpent,
  policies: described(Schema.Array(BacktestPolicy), "The ways of choosing, sliders first."),
  notes: described(Schema.Array(Schema.String), "What a reader should know of these figures.")
}, { identifier: "BacktestReport", description: "What a backtest found." })
export type BacktestReport = typeof BacktestReport.Type
