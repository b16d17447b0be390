/** Settings of advice and retirements. */
export const adviceSettings = {
  /** Rows of an answer, count (issue 49). */
  rowsMax: 5,
  /** Most kinds of task that are compared, count: those that cost most. Each takes a read of a decision. */
  kindsMax: 40,
  /** Most pairs of model and kind of task that are read, count: those with most calls. Chosen. */
  armsMax: 5_000,
  /** Most users, and most tags, that a model's retirement names, count: those with most calls. Chosen. */
  usesMax: 20,
  /** Time before a model's last day from which advice names its successor, days (issue 49). */
  retiringDays: 90,
  /** Most retiring models in an answer, count: the first to end. Each takes some 40 predictions. */
  retiringMax: 10,
  /** Least days that a successor runs longer than its model. As the engine's `retirementNoticeDays`. */
  successorDaysMin: 60,
  /** Most kinds of task that a retirement shows, count: those with most calls. Chosen. */
  retiredKindsMax: 20,
  /** Most successors that a retirement shows for a kind of task, count. Chosen. */
  successorsMax: 5,
  /** Least share of a retiring model's calls at which its audition covers a kind of task. Chosen. */
  auditionShareMin: 0.05,
  /**
   * Least weight of verdicts, and least calls with a cost, of each of two models whose difference is known.
   * As many as a judge is checked on. Chosen.
   */
  knownMin: 30,
  /** Least verdicts, and least calls with a cost, that are used at all, count. As many as a rival's. */
  triedMin: 3,
  /** Least saving that is worth a row, as a share of the calls' cost, in [0, 1]. Chosen. */
  savingShareMin: 0.1,
  /** Least probability of being good enough at which it is worth a row, in [0, 1]. Chosen. */
  chanceMin: 0.25,
  /** Longest time of a way to settle a pair, days. Chosen. */
  daysMax: 90,
  /** Least budget of an audition, USD. Chosen. */
  auditionUsdMin: 0.1,
  /** Budget of an audition over the price of its calls. The budget pays the judge too. Chosen. */
  auditionBudgetRatio: 2,
  /** Weight of a verdict by its source, as the engine's `provenanceWeight`. A bare assertion has none. */
  verdictWeight: { gate: 1, human: 0.9, judge: 0.6 }
} as const
