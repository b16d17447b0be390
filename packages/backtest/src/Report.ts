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
    "Judged calls, without repeated calls, later attempts and failures of the provider."
  ),
  repeated: described(Count, "Calls with the id and moment of an earlier call."),
  laterAttempts: described(Count, "Later attempts at a task: neither judged nor learned."),
  infraFailures: described(Count, "Calls that failed at the provider; they are not judged."),
  labelled: described(Count, "Judged calls with a label."),
  withPrompt: described(Count, "Calls with a text. Other calls are predicted by tags and type alone."),
  from: described(Schema.NullOr(Schema.String), "Moment of the first call, ISO 8601; null in an empty log."),
  to: described(Schema.NullOr(Schema.String), "Moment of the last call."),
  models: described(Count, "Models of the log; several spellings of a model count once."),
  leftOut: described(
    Schema.Array(wire({
      reason: Schema.String,
      count: Count,
      meaning: Schema.String
    }, { identifier: "BacktestLeftOut", description: "Left-out rows, labels or fields, and the reason." })),
    "Rows, labels and fields that were left out, by reason."
  )
}, { identifier: "BacktestLog", description: "The content of the log." })

const BacktestSpent = wire({
  usd: described(Usd, "Known spending, in US dollars."),
  computedRows: described(Count, "Calls without a bill that are priced by their tokens at list prices."),
  computedUsd: described(Usd, "The cost of these calls, in US dollars."),
  unknownRows: described(Count, "Calls without a known cost.")
}, { identifier: "BacktestSpent", description: "The spending in the log." })

export const BacktestPolicy = wire({
  kind: described(
    Schema.Literals(["slider", "always", "logged"]),
    "`slider`: the picks of Sextant; `always`: one model for every call; `logged`: the models of the log."
  ),
  name: described(Schema.String, "The name of the policy."),
  slider: described(Schema.NullOr(Schema.Finite), "The cost/quality slider, in [0, 10]."),
  modelId: described(Schema.NullOr(Schema.String), "The model of `always`."),
  success: described(Schema.NullOr(Interval), "Mean success, in [0, 1]; null if the log cannot tell."),
  costUsd: described(Schema.NullOr(Interval), "Mean cost of a call, in US dollars."),
  saving: described(
    Schema.NullOr(Interval),
    "Saved share of the spending; below 0 if the policy costs more."
  ),
  successDifference: described(
    Schema.NullOr(Interval),
    "Success of the policy minus success of the log's own choices."
  ),
  matchedShare: described(Share, "Share of the calls that ran the policy's pick."),
  matchedLabelled: described(Count, "Labelled calls that ran the policy's pick."),
  effectiveSampleSize: described(Schema.Finite, "Kish's effective sample size of these calls."),
  verdict: described(
    Schema.Literals(["saves", "costs_more", "not_enough", "baseline"]),
    "The cost against the cost of the log's own choices, with 95 % confidence."
  ),
  withheld: described(Schema.NullOr(Schema.String), "The reason why the log cannot tell; null if it can."),
  picks: described(
    Schema.NullOr(Schema.Array(wire({ modelId: Schema.String, share: Share }, {
      identifier: "BacktestPick", description: "A model and its share of the calls."
    }))),
    "The picks of a slider, most frequent first; null for other policies."
  )
}, { identifier: "BacktestPolicy", description: "The estimated cost and success of a way of choosing." })
export type BacktestPolicy = typeof BacktestPolicy.Type

const BacktestBest = wire({
  verdict: described(
    Schema.Literals(["saves", "not_shown", "none", "not_enough"]),
    "`saves`: the interval excludes 0; `none`: no way is as good; `not_enough`: the log cannot tell."
  ),
  way: described(
    Schema.NullOr(Schema.String),
    "The cheapest way with at most one point less success than the log's own choices."
  ),
  saving: described(
    Schema.NullOr(Interval),
    "Saved share of the spending: the lower of two estimates. One is over the whole log. The other chooses "
      + "the way on four fifths of the log and takes the saving on the last fifth, for each fifth."
  ),
  successDifference: described(
    Schema.NullOr(Interval),
    "Success of this way minus success of the log's own choices."
  )
}, { identifier: "BacktestBest", description: "The saving at the same quality." })
export type BacktestBest = typeof BacktestBest.Type

const BacktestUntold = wire({
  ways: described(Schema.Array(Schema.String), "The ways of choosing that the log cannot judge."),
  moreLabels: described(
    Schema.NullOr(Count), "Expected number of further labelled calls that would judge one of these ways."
  ),
  auditionPrompts: described(Count, "Prompts of an audition that would judge all candidates."),
  auditionUsd: described(Usd, "Estimated cost of this audition without a judge, in US dollars."),
  sentence: described(Schema.String, "The unjudged ways, the reasons, and the data that would judge them.")
}, {
  identifier: "BacktestUntold",
  description: "The ways that the log cannot judge, and the data that would."
})
export type BacktestUntold = typeof BacktestUntold.Type

/** The report of a backtest. */
export const BacktestReport = wire({
  report: described(Schema.Literals(["sextant-backtest/1"]), "The format of this document."),
  headline: described(Schema.String, "The finding on the saving at the same quality."),
  best: described(BacktestBest, "The figures behind the headline."),
  untold: described(Schema.NullOr(BacktestUntold), "Null if the log judges every way."),
  assumption: described(Schema.String, "The assumption of every estimate."),
  log: BacktestLog,
  spent: BacktestSpent,
  policies: described(Schema.Array(BacktestPolicy), "The ways of choosing, sliders first."),
  notes: described(Schema.Array(Schema.String), "Notes on the figures.")
}, { identifier: "BacktestReport", description: "The result of a backtest." })
export type BacktestReport = typeof BacktestReport.Type
