/** Expected bills of models that did not run: estimates times the ratio of bills to estimates. */
import { student975 } from "./Student.ts"

interface EstimatedCell {
  /** Month in which the calls were decided, as year · 12 + month, UTC. */
  readonly month: number
  readonly model: string
  readonly cluster: string
  readonly n: number
  readonly estimates: number
  readonly squaredEstimates: number
}

/** A ratio is bill / estimate, estimate > 0. */
export interface BilledCell extends EstimatedCell {
  readonly bills: number
  readonly squaredBills: number
  /** Sum of bill times estimate. */
  readonly products: number
  readonly ratios: number
  readonly squaredRatios: number
  /** Ratios above 0, count, and the sums of their logarithms and of the squared logarithms. */
  readonly positive: number
  readonly logs: number
  readonly squaredLogs: number
}

export interface UnrunCell extends EstimatedCell {
  /** Cost of the calls that is used if their model has no bill, USD. Default: `estimates`. */
  readonly scaledUsd?: number
}

export interface Unrun {
  readonly usd: number
  /** Ends of the 95 % interval of `usd`; NaN if unknown, for example because a model has no bills. */
  readonly low: number
  readonly high: number
  /** Number of bills from which the ratios are learned. */
  readonly bills: number
  /** The part of `usd` that comes from models without any bill. */
  readonly unbilledUsd: number
}

/** Assumed deviations of log(bill / estimate) in and between cells; weights are in degrees of freedom. */
const expected = { within: 0.7, withinWeight: 6, between: 0.35, betweenWeight: 5 }
/** Maximum variance of a ratio's logarithm; a higher variance counts as this maximum. */
const varianceMax = 4

const withinCells = (cells: ReadonlyArray<BilledCell>) => {
  let [squares, degrees] = [0, 0]
  for (const { logs, positive, squaredLogs } of cells) {
    if (positive < 2) continue
    squares += Math.max(0, squaredLogs - logs ** 2 / positive)
    degrees += positive - 1
  }
  return { squares, degrees }
}

/**
 * The squared coefficient of variation of bills around estimate times ratio; 0 if no cell has two bills.
 * Weighs bills equally, or by their squared estimates, whichever gives the greater variation.
 */
const variationOf = (cells: ReadonlyArray<BilledCell>): number => {
  let [ofRatios, ofBills, scale, degrees, n, sum] = [0, 0, 0, 0, 0, 0]
  for (const cell of cells) {
    sum += cell.ratios
    n += cell.n
    if (cell.n < 2) continue
    const ratio = cell.bills / cell.estimates
    degrees += cell.n - 1
    ofRatios += Math.max(0, cell.squaredRatios - cell.ratios ** 2 / cell.n)
    const residual = cell.squaredBills - 2 * ratio * cell.products + ratio ** 2 * cell.squaredEstimates
    ofBills += Math.max(0, residual) * cell.n / (cell.n - 1)
    scale += ratio ** 2 * cell.squaredEstimates
  }
  if (degrees === 0 || sum === 0 || scale === 0) return 0
  return Math.max(ofRatios / degrees / (sum / n) ** 2, ofBills / scale)
}

const add = (cells: ReadonlyArray<BilledCell>, of: (cell: BilledCell) => number): number =>
  cells.reduce((total, cell) => total + of(cell), 0)

const modelOf = (cells: ReadonlyArray<BilledCell>, accountVariance: number) => {
  const { degrees, squares } = withinCells(cells)
  const withinDegrees = expected.withinWeight + degrees
  const within = (expected.withinWeight * accountVariance + squares) / withinDegrees
  const variation = Math.max(Math.expm1(Math.min(varianceMax, within)), variationOf(cells))
  const logged = cells.filter(({ positive }) => positive > 0)
  const means = logged.map(({ logs, positive }) => logs / positive)
  const mean = means.reduce((total, each) => total + each, 0) / Math.max(1, means.length)
  const spread = means.reduce((total, each) => total + (each - mean) ** 2, 0)
  // Mean sampling variance of the cells' means, from the variance within cells.
  const noise = logged.reduce((total, { positive }) => total + within / positive, 0)
    / Math.max(1, logged.length)
  const betweenDegrees = expected.betweenWeight + Math.max(0, logged.length - 1)
  const between = (expected.betweenWeight * expected.between ** 2
    + Math.max(0, spread - Math.max(0, logged.length - 1) * noise)) / betweenDegrees
  const estimates = add(cells, (cell) => cell.estimates)
  const ratio = add(cells, (cell) => cell.bills) / estimates
  /** A cell's variation counts as at least its language model's, as a few bills may agree by chance. */
  const variationIn = (cell: BilledCell | undefined) =>
    cell === undefined ? variation : Math.max(variation, variationOf([cell]))
  const noiseOf = (cell: BilledCell) => variationIn(cell) * cell.squaredEstimates / cell.estimates ** 2
  const uncertainty = cells.reduce((total, cell) =>
    total + (cell.estimates / estimates) ** 2 * (between + noiseOf(cell)), 0)
  return { between, noiseOf, ratio, uncertainty, variationIn, withinDegrees }
}

type Model = ReturnType<typeof modelOf>

const cellOf = (model: Model, billed: BilledCell | undefined) => {
  const noise = billed === undefined ? Infinity : model.noiseOf(billed)
  const share = noise === Infinity ? 0 : model.between / (model.between + noise)
  const own = billed === undefined ? 0 : billed.bills / billed.estimates
  return {
    ratio: share * own + (1 - share) * model.ratio,
    /** Share of an error in the language model's bill ratio that this cell's ratio takes over, in [0, 1]. */
    inherited: 1 - share,
    variance: billed === undefined ? model.between : share ** 2 * noise + (1 - share) ** 2 * model.between
  }
}

const keyOf = ({ cluster, model }: Pick<UnrunCell, "cluster" | "model">): string =>
  JSON.stringify([model, cluster])

const sumNames = [
  "n", "estimates", "squaredEstimates", "bills", "squaredBills", "products", "ratios", "squaredRatios",
  "positive", "logs", "squaredLogs"
] as const

const merged = (cells: ReadonlyArray<BilledCell>): ReadonlyArray<BilledCell> =>
  [...Map.groupBy(cells, keyOf).values()].map((members) => {
    const whole: { -readonly [K in keyof BilledCell]: BilledCell[K] } = { ...members[0]! }
    for (const name of sumNames) whole[name] = add(members, (cell) => cell[name])
    return whole
  })

const learnedFrom = (cells: ReadonlyArray<BilledCell>) => {
  const billed = merged(cells)
  const all = withinCells(billed)
  const accountVariance = (expected.withinWeight * expected.within ** 2 + all.squares)
    / (expected.withinWeight + all.degrees)
  const models = new Map([...Map.groupBy(billed, ({ model }) => model)].map(([name, own]) =>
    [name, modelOf(own, accountVariance)]))
  const byCell = new Map(billed.map((cell) => [keyOf(cell), cell]))
  return (unrun: ReadonlyArray<UnrunCell>) => {
    let [usd, unbilledUsd, ofRatios, ofCalls, degrees, isKnown] = [0, 0, 0, 0, Infinity, true]
    const names: Array<string> = []
    const needed = unrun.filter(({ estimates }) => estimates > 0)
    for (const [name, own] of Map.groupBy(needed, ({ model }) => model)) {
      const model = models.get(name)
      if (model === undefined) {
        unbilledUsd += own.reduce((total, { estimates, scaledUsd = estimates }) => total + scaledUsd, 0)
        isKnown = false
        continue
      }
      let shared = 0
      for (const cell of own) {
        const known = byCell.get(keyOf(cell))
        const { inherited, ratio, variance } = cellOf(model, known)
        const cellUsd = cell.estimates * ratio
        usd += cellUsd
        shared += cellUsd * inherited
        ofRatios += cellUsd ** 2 * variance
        ofCalls += ratio ** 2 * cell.squaredEstimates * model.variationIn(known)
      }
      ofRatios += shared ** 2 * model.uncertainty
      names.push(name)
      degrees = Math.min(degrees, model.withinDegrees)
      isKnown &&= model.ratio > 0
    }
    return { usd, unbilledUsd, ofRatios, ofCalls, degrees, isKnown, names }
  }
}

/** Two months' ratios, each learned from three months of bills, correlate by the share of common months. */
const correlation = (one: number, other: number): number => Math.max(0, 1 - Math.abs(one - other) / 3)

/**
 * Returns the expected bills of calls that did not run: estimates times a ratio of bills to estimates. The
 * ratio of a model and cluster is shrunk toward the model's.
 *
 * The interval treats the sum of the bills as log-normal. The interval covers the deviations of single
 * calls and the errors of the ratios. Errors of ratios are correlated between months, and between a model's
 * clusters.
 *
 * @see Cochran, Sampling Techniques (3rd ed., 1977), chapter 6 (ratio estimators)
 * @see Morris, Parametric empirical Bayes inference (1983), on the shrinkage and its error
 */
export const unrunBills = (
  billed: ReadonlyArray<BilledCell>
): (unrun: ReadonlyArray<UnrunCell>) => Unrun => {
  const bills = Map.groupBy(billed, ({ month }) => month)
  const monthsOf = (month: number) => [month - 1, month, month + 1].flatMap((each) => bills.get(each) ?? [])
  const learned = new Map<number, ReturnType<typeof learnedFrom>>()
  const learnedIn = (month: number) => {
    const made = learned.get(month) ?? learnedFrom(monthsOf(month))
    learned.set(month, made)
    return made
  }
  return (unrun) => {
    const parts = [...Map.groupBy(unrun, ({ month }) => month)].map(([month, cells]) =>
      ({ month, ...learnedIn(month)(cells) }))
    const sum = (of: (part: (typeof parts)[number]) => number) =>
      parts.reduce((total, part) => total + of(part), 0)
    const rests = new Set(parts.flatMap(({ month, names }) =>
      monthsOf(month).filter(({ model }) => names.includes(model))))
    const usd = sum((part) => part.usd)
    const unbilledUsd = sum((part) => part.unbilledUsd)
    const variance = sum(({ ofCalls }) => ofCalls) + sum((one) => sum((other) =>
      correlation(one.month, other.month) * Math.sqrt(one.ofRatios * other.ofRatios)))
    const ofLog = Math.log1p(variance / usd ** 2)
    const reach = student975(Math.min(...parts.map(({ degrees }) => degrees))) * Math.sqrt(ofLog)
    const whole = { usd: usd + unbilledUsd, bills: add([...rests], ({ n }) => n), unbilledUsd }
    return parts.every(({ isKnown }) => isKnown) && usd > 0
      // Bills are skewed, so their mean is too low more often than too high: the interval reaches further up.
      ? { ...whole, low: usd * Math.exp(-reach), high: usd * Math.exp(reach + ofLog) }
      : { ...whole, low: NaN, high: NaN }
  }
}
