/** Settings of advice and retirements. */
export const adviceSettings = {
  rowsMax: 5,
  /** Maximum number of kinds of task that are compared. Each takes one read of a decision. */
  kindsMax: 40,
  /** Maximum number of pairs of model and kind of task that are read, by their calls. Chosen. */
  armsMax: 5_000,
  /** Maximum number of users, and of tags, that a model's retirement names, by their calls. Chosen. */
  usesMax: 20,
  /** Number of days before a model's last day from which advice names its successor (issue 49). */
  retiringDays: 90,
  /** Maximum number of retiring models in an answer. Each takes some 40 predictions. */
  retiringMax: 10,
  /** Minimum days that a successor runs longer than its model: the engine's `retirementNoticeDays`. */
  successorDaysMin: 60,
  /** Maximum number of kinds of task that a retirement shows, by their calls. Chosen. */
  retiredKindsMax: 20,
  /** Maximum number of successors that a retirement shows for a kind of task. Chosen. */
  successorsMax: 5,
  /** An audition covers a kind of task that has at least this share of a retiring model's calls. Chosen. */
  auditionShareMin: 0.05,
  /**
   * Minimum weight of verdicts, and minimum costed calls, of two models whose difference is known. The number
   * equals the number of verdicts on which a judge is checked.
   */
  knownMin: 30,
  /** Minimum verdicts, and costed calls, that are used at all: the minimum of a rival's verdicts. */
  triedMin: 3,
  /** Minimum saving for which a row is shown, as a share of the calls' cost, in [0, 1]. Chosen. */
  savingShareMin: 0.1,
  /** Minimum probability that the change is good enough for which a row is shown, in [0, 1]. Chosen. */
  chanceMin: 0.25,
  /** Maximum time of a way to find out whether a change is good, days. Chosen. */
  daysMax: 90,
  /** Minimum budget of an audition, USD. Chosen. */
  auditionUsdMin: 0.1,
  /** Ratio of an audition's budget to the price of its calls. Chosen. */
  auditionBudgetRatio: 2,
  /** Weight of a verdict by its source, equal to the engine's `provenanceWeight`. */
  verdictWeight: { gate: 1, human: 0.9, judge: 0.6 }
} as const
