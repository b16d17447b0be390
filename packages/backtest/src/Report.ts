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
    "Calls that were predicted and learned: all but repeated calls, later attempts and provider failures."
  ),
  repeated: described(Count, "Calls with the id and moment of an earlier call."),
  laterAttempts: described(Count, "Later attempts at a task: neither judged nor learned."),
  infraFailures: described(Count, "Calls that failed at the provider; they are not judged."),
  labelled: described(Count, "Calls in `judged` that have a label."),
  withPrompt: described(Count, "Calls with a text."),
  from: described(Schema.NullOr(Schema.String), "Moment of the first call, ISO 8601; null in an empty log."),
  to: described(Schema.NullOr(Schema.String), "Moment of the last call, ISO 8601; null in an empty log."),
  models: described(Count, "Models of the log; several spellings of a model count once."),
  leftOut: described(
    Schema.Array(wire({
      reason: Schema.String,
      count: Count,
      meaning: Schema.String
    }, { identifier: "BacktestLeftOut", description: "Count of left-out rows, labels or fields, and why." })),
    "Rows, labels and fields that were left out, by reason."
  )
}, { identifier: "BacktestLog", description: "How many calls of the log were read, judged and left out." })

const BacktestSpent = wire({
  usd: described(Usd, "Known spending, in US dollars."),
  computedRows: described(Count, "Calls without a bill that are priced by their tokens at list prices."),
  computedUsd: described(Usd, "Cost of the calls that are priced by their tokens, in US dollars."),
  unknownRows: described(Count, "Calls without a known cost.")
}, { identifier: "BacktestSpent", description: "The cost of the log's calls. A repeated call counts once." })

export const BacktestPolicy = wire({
  kind: described(
    Schema.Literals(["slider", "always", "logged"]),
    "`slider`: the picks of Sextant; `always`: one model for every call; `logged`: the models of the log."
  ),
  name: described(Schema.String, "The name of the policy."),
  slider: described(Schema.NullOr(Schema.Finite), "The cost/quality slider, in [0, 10]."),
  modelId: described(Schema.NullOr(Schema.String), "The model of `always`."),
  success: described(Schema.NullOr(Interval), "Mean success, in [0, 1]; null if the log cannot estimate it."),
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
  effectiveSampleSize: described(Schema.Finite, "Kish's effective size of the sample `matchedLabelled`."),
  verdict: described(
    Schema.Literals(["saves", "costs_more", "not_enough", "baseline"]),
    "The policy's cost compared with the cost of the log's own choices, at 95 % confidence."
  ),
  withheld: described(
    Schema.NullOr(Schema.String), "Why the log cannot judge this policy or its saving; null if it can."
  ),
  picks: described(
    Schema.NullOr(Schema.Array(wire({ modelId: Schema.String, share: Share }, {
      identifier: "BacktestPick", description: "A model and the share of calls for which a slider picks it."
    }))),
    "The picks of a slider, most frequent first; null for other policies."
  )
}, { identifier: "BacktestPolicy", description: "The estimated cost and success of a way of choosing." })
export type BacktestPolicy = typeof BacktestPolicy.Type

const BacktestBest = wire({
  verdict: described(
    Schema.Literals(["saves", "not_shown", "none", "not_enough"]),
    "`saves`: the saving's interval is above 0.5 %, at about the same success; `not_shown`: no saving is "
      + "shown; `none`: no way of choosing keeps the success; `not_enough`: the log cannot judge."
  ),
  way: described(
    Schema.NullOr(Schema.String),
    "The cheapest way with at most one point less success than the log's own choices."
  ),
  saving: described(
    Schema.NullOr(Interval),
    "Saved share of the spending: the lower of two estimates, with an interval that covers both. One is over "
      + "the whole log. The other chooses the way on four fifths of the log and takes the saving on the last "
      + "fifth, for each fifth."
  ),
  successDifference: described(
    Schema.NullOr(Interval),
    "Success of this way minus success of the log's own choices, also the lower of two estimates."
  )
}, { identifier: "BacktestBest", description: "The largest saving at about the same success." })
export type BacktestBest = typeof BacktestBest.Type

const BacktestUntold = wire({
  ways: described(Schema.Array(Schema.String), "Names of the policies without a verdict."),
  moreLabels: described(
    Schema.NullOr(Count), "Expected number of further labelled calls until one of the policies has a verdict."
  ),
  auditionPrompts: described(Count, "Prompts of an audition that would judge all candidates."),
  auditionUsd: described(Usd, "Cost of the audition if every candidate answers every prompt, US dollars."),
  sentence: described(Schema.String, "A sentence with the policies, the reasons and the data to get.")
}, {
  identifier: "BacktestUntold",
  description: "The policies without a verdict, and the data that would give one."
})
export type BacktestUntold = typeof BacktestUntold.Type

export const BacktestReport = wire({
  report: described(Schema.Literals(["sextant-backtest/1"]), "The format of this document."),
  headline: described(Schema.String, "A sentence on the saving at about the same success."),
  best: described(BacktestBest, "The figures behind the headline."),
  untold: described(Schema.NullOr(BacktestUntold), "Null if every policy has a verdict."),
  assumption: described(Schema.String, "The assumption that every estimate rests on."),
  log: BacktestLog,
  spent: BacktestSpent,
  policies: described(Schema.Array(BacktestPolicy), "The ways of choosing, sliders first."),
  notes: described(Schema.Array(Schema.String), "Notes on the figures.")
}, { identifier: "BacktestReport", description: "What a backtest found in a log of model calls." })
export type BacktestReport = typeof BacktestReport.Type
