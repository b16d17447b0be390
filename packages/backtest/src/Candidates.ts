/* Chooses the models to judge: the models of the command, or the most frequent models of the log. */
import { resolve } from "../../../src/catalog/DeclaredModel.ts"
import { AccountModel } from "../../../src/domain/account/AccountModels.ts"
import { variantIdOf, modelIdOf, readVariant } from "../../../src/domain/model/ModelVariant.ts"
import type { CatalogSnapshot, ModelCard } from "../../../src/domain/model/Model.ts"
import { backtestSettings } from "./BacktestSettings.ts"
import type { LogModel, ModelTable, ResolveModel } from "./ModelTable.ts"

export interface BacktestCandidate {
  readonly card: ModelCard
  /** The model's number in the log; null if the log does not have the model. */
  readonly number: number | null
  /** Where the model's prices come from: the catalog, or the log's own bills. */
  readonly pricedBy: "catalog" | "bills"
}

export interface ChosenCandidates {
  readonly candidates: ReadonlyArray<BacktestCandidate>
  /** Named models that are in neither the catalog nor the log, or have no price. */
  readonly unknown: ReadonlyArray<string>
  /** Models of the log that are no candidates, count. */
  readonly leftOutModels: number
  readonly leftOutRows: number
}

/** Makes a card for an unlisted model, priced at its mean bill per token; null if no bill has tokens. */
const cardOfBills = (snapshot: CatalogSnapshot, { bills, modelId }: LogModel): ModelCard | null => {
  const { tokens, usd } = bills
  if (tokens === 0) return null
  const usdPerMtok = usd / tokens * 1e6
  return resolve(snapshot, AccountModel.make({
    modelId, provider: "log", displayName: modelId,
    inputCostPerMtok: usdPerMtok, outputCostPerMtok: usdPerMtok,
    supportsPromptCaching: false, contextWindow: 128_000
  }, { disableChecks: true })).card
}

const candidateOf = (snapshot: CatalogSnapshot, model: LogModel): BacktestCandidate | null => {
  const card = model.card ?? cardOfBills(snapshot, model)
  return card === null
    ? null
    : { card, number: model.number, pricedBy: model.card === null ? "bills" : "catalog" }
}

/** Finds the candidates of a name: `model#effort` means one level of effort, `model` all in the log. */
const named = (
  snapshot: CatalogSnapshot,
  table: ModelTable,
  resolveModel: ResolveModel,
  name: string
): ReadonlyArray<BacktestCandidate> => {
  const card = resolveModel(name)
  const arm = readVariant(name)
  const ids = new Set([card?.modelId ?? name, ...(arm === null ? [] : [variantIdOf(arm)])])
  const isNamed = ({ modelId }: LogModel): boolean => ids.has(modelId) || ids.has(modelIdOf(modelId))
  const shown = table.models.filter(isNamed)
    .flatMap((model) => candidateOf(snapshot, model) ?? [])
  return shown.length > 0 || card === null ? shown : [{ card, number: null, pricedBy: "catalog" }]
}

/** The candidates: the named models, or the most frequent models of the log if `names` is null. */
export const chooseCandidates = (
  snapshot: CatalogSnapshot,
  table: ModelTable,
  resolveModel: ResolveModel,
  names: ReadonlyArray<string> | null
): ChosenCandidates => {
  const { candidateRowsMin, candidatesMax, namedMax } = backtestSettings
  const ofLog = table.models.toSorted((a, b) => b.rows - a.rows || a.number - b.number)
  // If no model has enough rows, all models of the log can be candidates.
  const enough = ofLog.filter(({ rows }) => rows >= candidateRowsMin)
  const found = names === null
    ? (enough.length > 0 ? enough : ofLog).flatMap((model) => candidateOf(snapshot, model) ?? [])
      .slice(0, candidatesMax)
    : names.flatMap((name) => named(snapshot, table, resolveModel, name))
  const candidates = [...new Map(found.map((each) => [each.card.modelId, each])).values()]
    .slice(0, namedMax)
  const chosen = new Set(candidates.map(({ number }) => number))
  const leftOut = table.models.filter(({ number }) => !chosen.has(number))
  return {
    candidates,
    unknown: (names ?? []).filter((name) => named(snapshot, table, resolveModel, name).length === 0),
    leftOutModels: leftOut.length,
    leftOutRows: leftOut.reduce((sum, { rows }) => sum + rows, 0)
  }
}
