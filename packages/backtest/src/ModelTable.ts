/* The models of a log, numbered as they appear, with the prices in their rows. */
import { armsOf } from "../../../src/catalog/Arms.ts"
import { armIdOf, readEffort } from "../../../src/domain/model/Arm.ts"
import type { ModelCard } from "../../../src/domain/model/Model.ts"
import { backtestSettings } from "./BacktestSettings.ts"

/** What a name of the log stands for: a model of the catalog; null for a name that it does not have. */
export type ResolveModel = (name: string) => ModelCard | null

/** A model of the log: one of the catalog however it is spelled, or a name that the catalog does not have. */
export interface LogModel {
  readonly number: number
  /** The catalog's id, or the log's name; that of an arm where the log names a level of effort. */
  readonly modelId: string
  /** The catalog's card, under {@link modelId}; null for a model that it does not have. */
  readonly card: ModelCard | null
  rows: number
  labelled: number
  /** Sums over rows with a bill and both counts of tokens, from which a price per token is fitted. */
  readonly bills: { rows: number; ii: number; io: number; oo: number; ci: number; co: number }
}

/** What is counted of one row. */
interface CountedRow {
  readonly quality: number | null
  readonly inputTokens: number | null
  readonly outputTokens: number | null
  readonly costUsd: number | null
}

const nothing = () => ({ rows: 0, ii: 0, io: 0, oo: 0, ci: 0, co: 0 })

/** What a name and a level of effort stand for; a level that the model does not have has its card. */
const armOf = (
  card: ModelCard | null,
  name: string,
  effort: string | null
): { readonly card: ModelCard | null; readonly modelId: string } => {
  const model = card?.modelId ?? name
  const level = effort === null ? null : readEffort(effort)
  if (level === null) return { card, modelId: model }
  const modelId = armIdOf({ modelId: model, effort: level })
  return { modelId, card: card === null ? null : armsOf(card).get(level) ?? { ...card, modelId } }
}

/** Models by name and effort. */
export class ModelTable {
  /** Rows of names beyond those that are counted one by one are counted here, under number 0. */
  readonly others: LogModel = {
    number: 0, modelId: "(further models)", card: null, rows: 0, labelled: 0, bills: nothing()
  }
  readonly models: Array<LogModel> = [this.others]
  readonly #resolve: ResolveModel
  readonly #byName = new Map<string, LogModel>()
  readonly #byId = new Map<string, LogModel>()

  constructor(resolve: ResolveModel) {
    this.#resolve = resolve
  }

  /** Models that the log shows, count; further ones count as one. */
  get shown(): number {
    return this.models.filter(({ rows }) => rows > 0).length
  }

  #modelOf(name: string, effort: string | null): LogModel {
    const key = JSON.stringify([name, effort])
    const known = this.#byName.get(key)
    if (known !== undefined) return known
    if (this.#byName.size >= backtestSettings.namesMax) return this.others
    const { card, modelId } = armOf(this.#resolve(name), name, effort)
    let model = this.#byId.get(modelId)
    if (model === undefined) {
      model = { number: this.models.length, modelId, card, rows: 0, labelled: 0, bills: nothing() }
      this.models.push(model)
      this.#byId.set(modelId, model)
    }
    this.#byName.set(key, model)
    return model
  }

  /** Counts a row of a model, and yields the model's number. */
  count(name: string, effort: string | null, row: CountedRow): number {
    const model = this.#modelOf(name, effort)
    const { costUsd, inputTokens: input, outputTokens: output, quality } = row
    model.rows++
    if (quality !== null) model.labelled++
    if (costUsd !== null && costUsd > 0 && input !== null && output !== null && input + output > 0) {
      const { bills } = model
      bills.rows++
      bills.ii += input * input
      bills.io += input * output
      bills.oo += output * output
      bills.ci += costUsd * input
      bills.co += costUsd * output
    }
    return model.number
  }
}

/** Prices in US dollars per million tokens. */
interface Prices {
  readonly inputUsdPerMtok: number
  readonly outputUsdPerMtok: number
}

/**
 * The prices that explain the bills of a model best, by least squares; one price for input and output where
 * two cannot be told apart. Null without a bill.
 */
export const pricesOf = ({ bills: { ci, co, ii, io, oo, rows } }: LogModel): Prices | null => {
  if (rows === 0) return null
  const determinant = ii * oo - io * io
  const input = determinant > 0 ? (ci * oo - co * io) / determinant : NaN
  const output = determinant > 0 ? (co * ii - ci * io) / determinant : NaN
  if (input > 0 && output > 0) return { inputUsdPerMtok: input * 1e6, outputUsdPerMtok: output * 1e6 }
  const flat = (ci + co) / (ii + 2 * io + oo)
  return { inputUsdPerMtok: flat * 1e6, outputUsdPerMtok: flat * 1e6 }
}
