/* The models that a backtest judges: those of the command, else those with most rows of the log. */
import { resolve } from "../../../src/catalog/DeclaredModel.ts"
import { AccountModel } from "../../../src/domain/account/AccountModels.ts"
import { armIdOf, modelIdOf, readArm } from "../../../src/domain/model/Arm.ts"
import type { CatalogSnapshot, ModelCard } from "../../../src/domain/model/Model.ts"
import { backtestSettings } from "./BacktestSettings.ts"
import { type LogModel, type ModelTable, pricesOf, type ResolveModel } from "./ModelTable.ts"

/** A model that is judged. */
export interface BacktestCandidate {
  readonly card: ModelCard
  /** Its number in the log; null for a model that the log does not show. */
  readonly number: number | null
  /** Where its prices come from: the catalog, or the log's own bills. */
  readonly pricedBy: "catalog" | "bills"
}

/** The candidates, and the models that are none. */
export interface ChosenCandidates {
  readonly candidates: ReadonlyArray<BacktestCandidate>
  /** Named models that neither the catalog nor the log has, or that have no price. */
  readonly unknown: ReadonlyArray<string>
  /** Models of the log that are no candidates, count, and their rows. */
  readonly leftOutModels: number
  readonly leftOutRows: number
}

/**
 * The card of a model that the catalog does not have, with the prices of its bills; null without a bill. They
 * are what they are: the bounds of what an account may declare do not hold for them.
 */
const cardOfBills = (snapshot: CatalogSnapshot, model: LogModel): ModelCard | null => {
  const prices = pricesOf(model)
  if (prices === null) return null
  return resolve(snapshot, AccountModel.make({
    modelId: model.modelId, provider: "log", displayName: model.modelId,
    inputCostPerMtok: prices.inputUsdPerMtok, outputCostPerMtok: prices.outputUsdPerMtok,
    supportsPromptCaching: false, contextWindow: 128_000
  }, { disableChecks: true })).card
}

const candidateOf = (snapshot: CatalogSnapshot, model: LogModel): BacktestCandidate | null => {
  const card = model.card ?? cardOfBills(snapshot, model)
  return card === null
    ? null
    : { card, number: model.number, pricedBy: model.card === null ? "bills" : "catalog" }
}

/** The models of the log that a name stands for: an arm by `model#effort`, else the model and its arms. */
const named = (
  snapshot: CatalogSnapshot,
  table: ModelTable,
  resolveModel: ResolveModel,
  name: string
): ReadonlyArray<BacktestCandidate> => {
  const card = resolveModel(name)
  const arm = readArm(name)
  const ids = new Set([card?.modelId ?? name, ...(arm === null ? [] : [armIdOf(arm)])])
  const isNamed = ({ modelId }: LogModel): boolean => ids.has(modelId) || ids.has(modelIdOf(modelId))
  const shown = table.models.slice(1).filter(isNamed)
    .flatMap((model) => candidateOf(snapshot, model) ?? [])
  return shown.length > 0 || card === null ? shown : [{ card, number: null, pricedBy: "catalog" }]
}

/**
 * The candidates of a backtest.
 *
 * @param names the models that the command names; null for those of the log
 */
export const chooseCandidates = (
  snapshot: CatalogSnapshot,
  table: ModelTable,
  resolveModel: ResolveModel,
  names: ReadonlyArray<string> | null
): ChosenCandidates => {
  const { candidateRowsMin, candidatesMax, namedCandidatesMax } = backtestSettings
  const ofLog = table.models.slice(1).toSorted((a, b) => b.rows - a.rows || a.number - b.number)
  // A short log has no model with many rows, and still gets its figures.
  const enough = ofLog.filter(({ rows }) => rows >= candidateRowsMin)
  const found = names === null
    ? (enough.length > 0 ? enough : ofLog).flatMap((model) => candidateOf(snapshot, model) ?? [])
      .slice(0, candidatesMax)
    : names.flatMap((name) => named(snapshot, table, resolveModel, name))
  const candidates = [...new Map(found.map((each) => [each.card.modelId, each])).values()]
    .slice(0, namedCandidatesMax)
  const chosen = new Set(candidates.map(({ number }) => number))
  const leftOut = table.models.filter(({ number, rows }) => rows > 0 && !chosen.has(number))
  return {
    candidates,
    unknown: (names ?? []).filter((name) => named(snapshot, table, resolveModel, name).length === 0),
    leftOutModels: leftOut.length,
    leftOutRows: leftOut.reduce((sum, { rows }) => sum + rows, 0)
  }
}
