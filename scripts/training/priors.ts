/**
 * Measures two numbers of `Settings.ts` on the bundled catalog and prints them. The first is the reference ability of
 * the priors. The second is the error of priors that are imputed from price and release date, on measured models that
 * were left out. Deterministic. Usage: node_modules/.bin/node scripts/training/priors.ts
 */
import { readFileSync } from "node:fs"
import { isMeasured } from "../../src/engine/recommend/prediction/Prior.ts"
import { defaults, type EngineSettings } from "../../src/engine/Settings.ts"
import * as Logit from "../../src/stats/Logit.ts"
import { mean } from "../bench/arena/averages.ts"
import { solve } from "./regression.ts"

/** The fields of a row of the bundled catalog that are read here. */
export interface Row {
  readonly model_id: string
  readonly aliases: ReadonlyArray<string>
  readonly output_cost_per_mtok: number
  readonly capability_by_task_type: Readonly<Record<string, number>>
  readonly capability_source: string
  readonly release_date: string | null
  readonly reasoning: boolean
}

/** A measured model: its ability, and the facts that an imputed prior would be made of. */
interface Measured {
  /** Mean logit over task types. */
  readonly ability: number
  /** Constant, ln output price, years since 2026, their product, whether it reasons. */
  readonly facts: ReadonlyArray<number>
}

const yearMs = 365.25 * 86_400_000

const abilityOf = (row: Row): number =>
  mean(Object.values(row.capability_by_task_type).map((p) => Logit.logit(p)))

const isRowMeasured = ({ capability_by_task_type, capability_source }: Row): boolean =>
  isMeasured({ capabilityByTaskType: capability_by_task_type, capabilitySource: capability_source })

/** Mean logit of the models with benchmark rows. */
export const referenceLogit = (rows: ReadonlyArray<Row>): number =>
  mean(rows.filter(isRowMeasured).map(abilityOf))

/** Least weight on the diagonal, so that facts which are alike for all models have an answer. */
const ridge = 1e-3

/** Coefficients of a least-squares fit of ability to the facts. */
const fit = (models: ReadonlyArray<Measured>): ReadonlyArray<number> => {
  const size = models[0]!.facts.length
  const matrix = Array.from({ length: size }, (_, i) =>
    Array.from({ length: size }, (_, j) =>
      models.reduce((sum, { facts }) => sum + facts[i]! * facts[j]!, i === j ? ridge : 0)))
  return solve(matrix, Array.from({ length: size }, (_, i) =>
    models.reduce((sum, { ability, facts }) => sum + facts[i]! * ability, 0)))
}

/** Ability less its imputation from the other measured models, logit, one per measured and dated model. */
export const leftOutErrors = (rows: ReadonlyArray<Row>): ReadonlyArray<number> => {
  const models = rows.filter(isRowMeasured).flatMap((row): ReadonlyArray<Measured> => {
    if (row.release_date === null) return []
    const price = Math.log(row.output_cost_per_mtok)
    const years = (Date.parse(row.release_date) - Date.UTC(2026, 0)) / yearMs
    return [{ ability: abilityOf(row), facts: [1, price, years, price * years, row.reasoning ? 1 : 0] }]
  })
  return models.map((model) => {
    const coefficients = fit(models.filter((other) => other !== model))
    return model.ability - coefficients.reduce((sum, each, i) => sum + each * model.facts[i]!, 0)
  })
}

/** The value below which a share of the values lies, interpolated. */
export const quantileOf = (values: ReadonlyArray<number>, share: number): number => {
  const sorted = values.toSorted((a, b) => a - b)
  const place = share * (sorted.length - 1)
  const low = sorted[Math.floor(place)]!
  return low + (place % 1) * (sorted[Math.ceil(place)]! - low)
}

/** Share of the left-out models on which an imputed prior errs by more than the discount. */
export const discountShare = 0.05

/** The standard normal distribution's quantile at {@link discountShare}, turned positive. */
const discountDeviations = 1.645

/** The quantile at {@link discountShare} of the additional error that imputed priors have in lanes, logit. */
export const laneDiscount = (
  { priorSpreadImputed, priorSpreadMeasured }: Pick<
    EngineSettings, "priorSpreadImputed" | "priorSpreadMeasured"
  >
): number => discountDeviations * Math.sqrt(priorSpreadImputed ** 2 - priorSpreadMeasured ** 2)

/** The rows of the bundled catalog. The file is ours, and `CatalogFile` checks it. */
export const bundledRows = (): ReadonlyArray<Row> =>
  (JSON.parse(readFileSync(new URL("../../src/catalog/file/cards.json", import.meta.url), "utf8")) as {
    readonly models: ReadonlyArray<Row>
  }).models

if (import.meta.main) {
  const rows = bundledRows()
  const errors = leftOutErrors(rows)
  const shown = (value: number) => value.toFixed(3)
  console.log(`reference ability, logit: ${shown(referenceLogit(rows))}`)
  console.log(`left-out errors of ${errors.length} models, logit: standard deviation ${
    shown(Math.sqrt(mean(errors.map((error) => error ** 2))))}, quantiles ${
    [0.05, 0.1, 0.25, 0.5].map((share) => `${share * 100} % ${shown(quantileOf(errors, share))}`).join(", ")}`)
  const least = -quantileOf(errors, discountShare)
  console.log(`discount, logit: ${shown(laneDiscount(defaults))} in lanes, at least ${shown(least)} by the left-out models`)
}
