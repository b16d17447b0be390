/* The models of a log, numbered by first appearance, with the sums of their bills. */
import { variantsOf } from "../../../src/catalog/ModelVariants.ts"
import { variantIdOf, readEffort } from "../../../src/domain/model/ModelVariant.ts"
import type { ModelCard } from "../../../src/domain/model/Model.ts"
import type { LoggedCall } from "../../../src/logs/LoggedCall.ts"

/** Finds the catalog's model for a name; null if the catalog has no such model. */
export type ResolveModel = (name: string) => ModelCard | null

/** All spellings of a model of the catalog are the same model. */
export interface LogModel {
  readonly number: number
  /** The model's id in the catalog, otherwise its name in the log, with the level of effort if known. */
  readonly modelId: string
  /** The model's prices and limits in the catalog; null if the catalog does not have the model. */
  readonly card: ModelCard | null
  rows: number
  /** Sums over rows that have a bill above 0, input tokens and output tokens. */
  readonly bills: { usd: number; tokens: number }
}

/** If the engine does not know the effort of a row, the row counts for the model without an effort. */
const variantOf = (
  card: ModelCard | null,
  name: string,
  effort: string | null
): { readonly card: ModelCard | null; readonly modelId: string } => {
  const model = card?.modelId ?? name
  const level = effort === null ? null : readEffort(effort)
  if (level === null) return { card, modelId: model }
  const modelId = variantIdOf({ modelId: model, effort: level })
  return { modelId, card: card === null ? null : variantsOf(card).get(level) ?? { ...card, modelId } }
}

export class ModelTable {
  readonly models: Array<LogModel> = []
  readonly #resolve: ResolveModel
  readonly #byName = new Map<string, LogModel>()
  readonly #byId = new Map<string, LogModel>()

  constructor(resolve: ResolveModel) {
    this.#resolve = resolve
  }

  #modelOf(name: string, effort: string | null): LogModel {
    const key = JSON.stringify([name, effort])
    const known = this.#byName.get(key)
    if (known !== undefined) return known
    const { card, modelId } = variantOf(this.#resolve(name), name, effort)
    let model = this.#byId.get(modelId)
    if (model === undefined) {
      const bills = { usd: 0, tokens: 0 }
      model = { number: this.models.length, modelId, card, rows: 0, bills }
      this.models.push(model)
      this.#byId.set(modelId, model)
    }
    this.#byName.set(key, model)
    return model
  }

  /** Counts a row of a model, and returns the model's number. */
  count(
    name: string,
    effort: string | null,
    row: Pick<LoggedCall, "costUsd" | "inputTokens" | "outputTokens">
  ): number {
    const { costUsd, inputTokens: input, outputTokens: output } = row
    const model = this.#modelOf(name, effort)
    model.rows++
    if (costUsd !== null && costUsd > 0 && input !== null && output !== null && input + output > 0) {
      model.bills.usd += costUsd
      model.bills.tokens += input + output
    }
    return model.number
  }
}
