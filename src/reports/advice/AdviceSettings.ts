/** Settings of advice and retirements. */
export const adviceSettings = {
  rowsMax: 5,
  /** Maximum number of compared kinds of task. */
  kindsMax: 40,
  /** Maximum number of pairs of model and kind of task that are read, most calls first. Chosen. */
  armsMax: 5_000,
  /** Maximum number of users, and of tags, that a retirement names, most calls first. Chosen. */
  usesMax: 20,
  /** Number of days before a model's last day from which advice names its successor (issue 49). */
  retiringDays: 90,
  /** Maximum number of retiring models in an answer. */
  retiringMax: 10,
  /** A successor runs more than this many days longer than the model that retires. */
  successorDaysMin: 60,
  /** Maximum number of kinds of task that a retirement shows, most calls first. Chosen. */
  retiredKindsMax: 20,
  /** Maximum number of successors that a retirement shows for a kind of task. Chosen. */
  successorsMax: 5,
  /** Minimum share of a retiring model's calls for a kind of task to be in a successor's test. Chosen. */
  auditionShareMin: 0.05,
  /**
   * Minimum weight of each model's verdicts, and minimum number of its calls with a cost, for a known
   * difference of two models. Chosen.
   */
  knownMin: 30,
  /** Minimum number of verdicts, and of calls with a cost, that advice uses; equals `rivalVerdictsMin`. */
  triedMin: 3,
  /** Minimum saving for which a row is shown, as a share of the usual model's cost, in [0, 1]. Chosen. */
  savingShareMin: 0.1,
  /** Minimum probability that the change is good enough for which a row is shown, in [0, 1]. Chosen. */
  chanceMin: 0.25,
  /** Maximum time of a comparison of two models that advice offers, days. Chosen. */
  daysMax: 90,
  /** Minimum budget of an audition (a test of models on own prompts), USD. Chosen. */
  auditionUsdMin: 0.1,
  /** Ratio of an audition's budget, which also pays the judge, to the price of its calls. Chosen. */
  auditionBudgetRatio: 2,
  /** Weight of a verdict by its source; verdicts of other sources do not count. */
  verdictWeight: { gate: 1, human: 0.9, judge: 0.6 }
} as const
