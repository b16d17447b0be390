/** Numbers of the advice on what to change. */
export const adviceSettings = {
  /** Rows of an answer, count (issue 49). */
  rowsMax: 5,
  /** Kinds of task that are looked at, those that cost most, count: each takes a read of one decision. */
  kindsMax: 40,
  /** Models of kinds of task that are read, those with most calls, count; callers name both. Chosen. */
  armsMax: 5_000,
  /** Users, and tags, of a model that are named, those with most calls, count. Chosen. */
  usesMax: 20,
  /** Time before a model's last day from which advice names its successor, days (issue 49). */
  retiringDays: 90,
  /** Retiring models that an answer names, the first to end first, count: each takes some 40 predictions. */
  retiringMax: 10,
  /** How much longer a successor runs than its model, days: the engine's `retirementNoticeDays`. */
  successorDaysMin: 60,
  /** Kinds of task and successors of each that a retirement shows, those with most calls, count. Chosen. */
  retiredKindsMax: 20,
  successorsMax: 5,
  /** Share of a retiring model's calls from which a kind of task is worth an audition, in [0, 1]. Chosen. */
  auditionShareMin: 0.05,
  /**
   * Verdicts, weighed, of each of two models from which their difference may count as known, and calls with a
   * cost, count: as many as a judge is checked on. Chosen.
   */
  knownMin: 30,
  /** Verdicts, and calls with a cost, from which they count beside a prediction, count: as a rival's. */
  triedMin: 3,
  /** Least saving that is worth a row, as a share of what the calls cost, in [0, 1]. Chosen. */
  savingShareMin: 0.1,
  /** Least probability of being good enough at which it is worth a row, in [0, 1]. Chosen. */
  chanceMin: 0.25,
  /** Longest that verdicts may take to be a way to settle it, days. Chosen. */
  daysMax: 90,
  /** Least budget of an audition, USD, and its multiple of the price: judge and calls under way. Chosen. */
  auditionUsdMin: 0.1,
  auditionBudgetRatio: 2,
  /** What a verdict counts as by its source: the engine's `provenanceWeight`; a bare assertion is none. */
  verdictWeight: { gate: 1, human: 0.9, judge: 0.6 }
} as const
