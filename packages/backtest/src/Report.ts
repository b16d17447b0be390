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
  infraFailures: described(Count, "Calls that failed at the provider: they say nothing of a model."),
  labelled: described(Count, "Judged calls with a label."),
  withPrompt: described(Count, "Calls with a text; the others are asked by tags and type alone."),
  from: described(Schema.NullOr(Schema.String), "Moment of the first call, ISO 8601; null in an empty log."),
  to: described(Schema.NullOr(Schema.String), "Moment of the last call."),
  formats: described(Schema.Array(Schema.String), "Formats of the files."),
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
  reportedRows: described(Count, "Calls with a bill."),
  reportedUsd: described(Usd, "Their bills."),
  computedRows: described(Count, "Calls without a bill, whose tokens are priced by the catalog's list."),
  computedUsd: described(Usd, "What they come to."),
  unknownRows: described(Count, "Calls whose cost is not known.")
}, { identifier: "BacktestSpent", description: "What was spent." })

export const BacktestCandidate = wire({
  modelId: described(Schema.String, "The catalog's id, or the log's name; a level of effort follows `#`."),
  pricedBy: described(
    Schema.Literals(["catalog", "bills"]), "Where its prices come from: `bills` are those of the log."
  ),
  rows: described(Count, "Judged calls that it ran."),
  labelled: described(Count, "Those of them with a label."),
  success: described(Schema.NullOr(Share), "Mean of their labels: of the tasks that it was given."),
  costUsd: described(Schema.NullOr(Usd), "Mean cost of a call that it ran.")
}, { identifier: "BacktestCandidate", description: "A model that is judged, as the log shows it." })

export const BacktestPolicy = wire({
  kind: described(
    Schema.Literals(["slider", "value", "always", "logged"]),
    "`slider` and `value`: what this service picks; `always`: one model; `logged`: what the log shows."
  ),
  name: described(Schema.String, "Its name for people."),
  slider: described(Schema.NullOr(Schema.Finite), "The cost/quality slider, in [0, 10]."),
  valueUsd: described(
    Schema.NullOr(Usd), "What a right result counted as worth, in US dollars: the slope of the plane there."
  ),
  modelId: described(Schema.NullOr(Schema.String), "The model of `always`."),
  success: described(Schema.NullOr(Interval), "Mean success, in [0, 1]; null where the log cannot tell."),
  costUsd: described(Schema.NullOr(Interval), "Mean cost of a call, in US dollars."),
  saving: described(Schema.NullOr(Interval), "Share of the baseline's cost that it saves; below 0 for more."),
  successDifference: described(Schema.NullOr(Interval), "Its success less the baseline's."),
  expected: described(
    wire({ success: Share, costUsd: Usd }, {
      identifier: "BacktestExpected", description: "What predictions alone expect: no evidence."
    }),
    "What predictions and estimates alone expect of its picks."
  ),
  supportedShare: described(Share, "Share of the calls on which the log could have shown its pick."),
  matchedShare: described(Share, "Share of the calls on which its pick ran."),
  matchedLabelled: described(Count, "Calls on which its pick ran and was labelled."),
  effectiveSampleSize: described(Schema.Finite, "Equally weighted calls that those are worth (Kish)."),
  verdict: described(
    Schema.Literals(["saves", "costs_more", "not_enough", "baseline"]),
    "What can be said of its cost beside the baseline's, with 95 % confidence."
  ),
  withheld: described(Schema.NullOr(Schema.String), "Why the log cannot tell."),
  needed: described(
    Schema.NullOr(wire({
      moreRows: described(Schema.NullOr(Count), "More calls of the same kind."),
      exploredShare: described(Share, "Share of calls that try all models evenly."),
      exploredCalls: described(Schema.NullOr(Count), "Calls with such a share.")
    }, { identifier: "BacktestNeeded", description: "What would be enough, in expectation." })),
    "What would be enough to tell; null where it can be told."
  ),
  hiddenCauseOdds: described(
    Schema.NullOr(Schema.Finite),
    "How many times a cause that the log does not show may change the odds of a choice before the verdict "
      + "falls."
  ),
  picks: described(
    Schema.NullOr(Schema.Array(wire({ modelId: Schema.String, share: Share }, {
      identifier: "BacktestPick", description: "A model and the share of the calls that it gets."
    }))),
    "What a slider or value picks, most frequent first; null for the other policies."
  ),
  sentence: described(Schema.String, "What can be said of it.")
}, { identifier: "BacktestPolicy", description: "What a way of choosing would have cost and achieved." })
export type BacktestPolicy = typeof BacktestPolicy.Type

const BacktestSameQuality = wire({
  verdict: described(
    Schema.Literals(["saves", "not_shown", "none", "not_enough"]),
    "`saves`: the interval excludes none; `none`: no way is as good; `not_enough`: the log cannot tell."
  ),
  saving: described(
    Schema.NullOr(Interval),
    "Share of the baseline's cost that the best mixture of two ways saves at the baseline's success, less "
      + "one point. The interval allows for the choice of the mixture and for its success."
  ),
  mixture: described(
    Schema.Array(wire({ name: Schema.String, share: Share }, {
      identifier: "BacktestPart", description: "A way of choosing and its share of the calls."
    })),
    "That mixture: one way or two, neighbours in the plane of success and cost; else empty."
  ),
  fixedModel: described(
    Schema.NullOr(wire({
      modelId: Schema.String,
      beaten: described(Count, "Sliders and values that it is 1 % cheaper than and as good as."),
      settings: described(Count, "Sliders and values of which the log can tell.")
    }, { identifier: "BacktestFixedModel", description: "One model for every call, beside the settings." })),
    "The model that by the estimates beats most sliders and values; null where none beats any."
  ),
  sentence: described(Schema.String, "What can be said of it.")
}, { identifier: "BacktestSameQuality", description: "The saving at the same quality." })
export type BacktestSameQuality = typeof BacktestSameQuality.Type

const BacktestPlan = wire({
  first: described(Schema.String, "The model that runs first."),
  then: described(Schema.String, "The model that runs when the first one failed."),
  begun: described(Count, "Labelled tasks that the log began with the first model."),
  failed: described(Count, "Those of them on which it failed."),
  outcomes: described(Count, "Labelled outcomes of the second model right after such a failure."),
  success: described(Schema.NullOr(Interval), "Mean success of a task; null where the log cannot tell."),
  costUsd: described(Schema.NullOr(Interval), "Mean cost of a task, in US dollars."),
  sentence: described(Schema.String, "What can be said of it.")
}, { identifier: "BacktestPlan", description: "First one model, then another when it fails." })
export type BacktestPlan = typeof BacktestPlan.Type

const BacktestTasks = wire({
  tasks: described(Count, "Tasks with a label."),
  retried: described(Count, "Those with several attempts."),
  finished: described(Count, "Those with a success."),
  laterAttempts: described(Count, "Calls that were a later attempt at a task, which no policy is judged on."),
  attemptsPerTask: described(Schema.Finite, "Mean attempts of a task with a label."),
  costPerFinishedUsd: described(
    Schema.NullOr(Interval),
    "What was spent on tasks by those that were finished, in US dollars; null where too little is known."
  ),
  plans: described(Schema.Array(BacktestPlan), "Plans that the log shows, those that it shows most first."),
  sentence: described(Schema.String, "What the tasks came to.")
}, { identifier: "BacktestTasks", description: "Calls as attempts at tasks." })
export type BacktestTasks = typeof BacktestTasks.Type

/** The report of a backtest. */
export const BacktestReport = wire({
  report: described(Schema.Literals(["sextant-backtest/1"]), "The form of this document."),
  headline: described(Schema.String, "What the log says: of the same quality, and of a fixed model."),
  sameQuality: described(BacktestSameQuality, "What the headline is about."),
  assumption: described(Schema.String, "What every estimate assumes."),
  unknowable: described(Schema.String, "What no log can say."),
  log: BacktestLog,
  spent: BacktestSpent,
  baseline: described(Schema.String, "The name of the policy that savings are against."),
  candidates: described(Schema.Array(BacktestCandidate), "The models that are judged."),
  policies: described(Schema.Array(BacktestPolicy), "The ways of choosing, sliders and values first."),
  tasks: described(Schema.optionalKey(BacktestTasks), "Absent where no task had several attempts."),
  notes: described(Schema.Array(Schema.String), "What a reader should know of these figures.")
}, { identifier: "BacktestReport", description: "What a backtest found." })
export type BacktestReport = typeof BacktestReport.Type
