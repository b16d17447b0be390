/** Expected bills of models that did not run: their estimates, scaled by their own bills per estimate. */
import { student975 } from "./Student.ts"

/** Bills of one model, cluster and month, each over its estimate, which is > 0: the ratio. Sums over them. */
export interface BilledCell {
  /** Months since the year 0, UTC, in which the calls were decided. */
  readonly month: number
  readonly model: string
  readonly cluster: string
  readonly n: number
  readonly estimates: number
  readonly squaredEstimates: number
  readonly bills: number
  readonly squaredBills: number
  /** Of each bill with its estimate. */
  readonly products: number
  readonly ratios: number
  readonly squaredRatios: number
  /** Of the ratios above 0: their number, and the sums of their logarithms and of the squares of these. */
  readonly positive: number
  readonly logs: number
  readonly squaredLogs: number
}

/** Calls of one model, cluster and month that were estimated and did not run. Sums over them. */
export interface UnrunCell {
  readonly month: number
  readonly model: string
  readonly cluster: string
  readonly n: number
  readonly estimates: number
  readonly squaredEstimates: number
  /** What they count for where their model has no bill; their estimates when left out. */
  readonly scaledUsd?: number
}

/** What the calls would have been billed in all, with a 95 % interval. */
export interface Unrun {
  readonly usd: number
  /** NaN where no interval is known: a model without bills, or one whose bills are all 0. */
  readonly low: number
  readonly high: number
  /** Bills that the ratios rest on, count. */
  readonly bills: number
  /** Part of `usd` whose model has no bill. */
  readonly unbilledUsd: number
}

/**
 * What is expected of ratios before any bill, each worth so many bills: the standard deviation of their
 * logarithms within a cell, and of the cells around their model. They keep few bills from looking sure.
 */
const expected = { within: 0.7, withinWeight: 6, between: 0.35, betweenWeight: 5 }
/** Highest variance of a logarithm that counts: beyond it a mean says nothing of a total. */
const varianceMax = 4

/** The variance of logarithms within cells, and how many bills it rests on. */
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
 * The squared coefficient of variation of bills around their estimates times their cell's ratio; 0 where no
 * cell has two bills. The greater one of two views: each ratio counts alike, or by its estimate squared, as
 * a sum of bills depends on it.
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

/** What the bills of one model say of its ratios. */
const modelOf = (cells: ReadonlyArray<BilledCell>, accountVariance: number) => {
  const { degrees, squares } = withinCells(cells)
  const withinDegrees = expected.withinWeight + degrees
  const within = (expected.withinWeight * accountVariance + squares) / withinDegrees
  const variation = Math.max(Math.expm1(Math.min(varianceMax, within)), variationOf(cells))
  const logged = cells.filter(({ positive }) => positive > 0)
  const means = logged.map(({ logs, positive }) => logs / positive)
  const mean = means.reduce((total, each) => total + each, 0) / Math.max(1, means.length)
  const spread = means.reduce((total, each) => total + (each - mean) ** 2, 0)
  // What cells differ by beyond their own noise.
  const noise = logged.reduce((total, { positive }) => total + within / positive, 0)
    / Math.max(1, logged.length)
  const betweenDegrees = expected.betweenWeight + Math.max(0, logged.length - 1)
  const between = (expected.betweenWeight * expected.between ** 2
    + Math.max(0, spread - Math.max(0, logged.length - 1) * noise)) / betweenDegrees
  const estimates = add(cells, (cell) => cell.estimates)
  const ratio = add(cells, (cell) => cell.bills) / estimates
  /** The squared variation of a cell's calls: a few bills that agree by chance do not lower the model's. */
  const variationIn = (cell: BilledCell | undefined) =>
    cell === undefined ? variation : Math.max(variation, variationOf([cell]))
  const noiseOf = (cell: BilledCell) => variationIn(cell) * cell.squaredEstimates / cell.estimates ** 2
  const uncertainty = cells.reduce((total, cell) =>
    total + (cell.estimates / estimates) ** 2 * (between + noiseOf(cell)), 0)
  return { between, noiseOf, ratio, uncertainty, variationIn, withinDegrees }
}

type Model = ReturnType<typeof modelOf>

/** The ratio of a cell, shrunk toward its model's, and the variance of its logarithm around the true one. */
const cellOf = (model: Model, billed: BilledCell | undefined) => {
  const noise = billed === undefined ? Infinity : model.noiseOf(billed)
  const share = noise === Infinity ? 0 : model.between / (model.between + noise)
  const own = billed === undefined ? 0 : billed.bills / billed.estimates
  return {
    ratio: share * own + (1 - share) * model.ratio,
    /** What of the model's own error the cell inherits. */
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

/** The cells of several months as cells of one. */
const merged = (cells: ReadonlyArray<BilledCell>): ReadonlyArray<BilledCell> =>
  [...Map.groupBy(cells, keyOf).values()].map((members) => {
    const whole: { -readonly [K in keyof BilledCell]: BilledCell[K] } = { ...members[0]! }
    for (const name of sumNames) whole[name] = add(members, (cell) => cell[name])
    return whole
  })

/** What bills say of calls of one month, with the variance of the ratios and of the calls. */
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

/** How far the ratios of two months err together: by the share of months whose bills both rest on. */
const correlation = (one: number, other: number): number => Math.max(0, 1 - Math.abs(one - other) / 3)

/**
 * What calls that did not run would have been billed. The ratio of a model's bills to its estimates scales
 * its estimates, per cluster and shrunk toward the model's own ratio by how much its clusters differ; a model
 * without bills keeps its estimates. The bills are those of the call's month and of the months beside it,
 * whatever else is added up with it, so that parts add up to their whole. The interval is of the logarithm,
 * by the delta method: it has the error of the ratios, which a model's clusters share in part, as
 * neighbouring months do, and the deviations of the single calls.
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
  // Calculated once for all groups of calls.
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
      // A mean of skewed bills is too low more often than too high, so the interval reaches further up.
      ? { ...whole, low: usd * Math.exp(-reach), high: usd * Math.exp(reach + ofLog) }
      : { ...whole, low: NaN, high: NaN }
  }
}
