/** Stores the prices and facts of the last successful refresh on disk. */
import { type Cause, Effect, FileSystem, Path, type PlatformError, Schema } from "effect"
import { tiersAt } from "../../domain/model/Cost.ts"
import { factsOfSources, ModelFacts, newerFacts } from "../../domain/model/Facts.ts"
import { CacheWritePriceRatio, ExtraPrices, type ModelCard, PriceTier } from "../../domain/model/Model.ts"
import { Moment } from "../../domain/Time.ts"
import { CostPerMtok, Size } from "../../domain/Units.ts"
import { wire } from "../../domain/wire/Wire.ts"
import { makePrivateFolder } from "../../sql/PrivateFolder.ts"
import { isContradictory } from "../Merge.ts"
import { sourceNames } from "../Sources.ts"

type KeptPrices = Pick<ModelCard, "inputCostPerMtok" | "outputCostPerMtok" | "cacheReadCostPerMtok">

/** Names and capabilities are not stored, because they always come from the bundled catalog. */
const KeptRow = wire({
  modelId: Schema.String,
  inputCostPerMtok: CostPerMtok,
  outputCostPerMtok: CostPerMtok,
  cacheReadCostPerMtok: Schema.NullOr(CostPerMtok),
  cacheWritePriceRatio: Schema.optionalKey(CacheWritePriceRatio),
  priceTiers: Schema.optionalKey(Schema.Array(PriceTier)),
  extraPrices: Schema.optionalKey(ExtraPrices),
  contextWindow: Size,
  maxOutputTokens: Schema.NullOr(Size),
  costSource: Schema.Literals(sourceNames),
  costFetchedAt: Moment,
  facts: Schema.optionalKey(ModelFacts)
}).check(Schema.makeFilter((row: KeptPrices) => !isContradictory(row) || "Expected prices that fit together"))
const KeptFile = Schema.fromJsonString(Schema.Struct({ models: Schema.Array(KeptRow) }))

const isRefreshed = Schema.is(Schema.toType(KeptRow))

/** Keeps only facts from public sources, and dates none of them later than the row. */
const withSourced = (row: typeof KeptRow.Type): typeof KeptRow.Type =>
  row.facts === undefined
    ? row
    : { ...row, facts: factsOfSources(row.facts, sourceNames, row.costFetchedAt.slice(0, 10)) }

/** The file is written under another name and then renamed, so that a reader always finds a whole file. */
export const save = Effect.fn("catalog.saveLastGood")(function*(
  path: string,
  cards: ReadonlyArray<ModelCard>
): Effect.fn.Return<
  void,
  PlatformError.PlatformError | Schema.SchemaError | Cause.UnknownError,
  FileSystem.FileSystem | Path.Path
> {
  const files = yield* FileSystem.FileSystem
  const { dirname } = yield* Path.Path
  const text = yield* Schema.encodeEffect(KeptFile)({ models: cards.filter(isRefreshed).map(withSourced) })
  const temporary = `${path}.${process.pid}.tmp`
  yield* Effect.try(() => makePrivateFolder(dirname(path)))
  yield* files.writeFileString(temporary, text, { mode: 0o600 }).pipe(
    Effect.andThen(files.rename(temporary, path)),
    Effect.onError(() => Effect.ignore(files.remove(temporary, { force: true })))
  )
})

/**
 * Replaces bundled prices and facts by newer stored ones. A row that is dated in the future is ignored,
 * because it would stay fresh too long.
 */
const overlay = (
  cards: ReadonlyArray<ModelCard>,
  kept: ReadonlyArray<typeof KeptRow.Type>,
  nowMs: number
): ReadonlyArray<ModelCard> => {
  const byId = new Map(kept.map((row) => [row.modelId, row]))
  return cards.map((card) => {
    const row = byId.get(card.modelId)
    if (row === undefined) return card
    const atMs = Date.parse(row.costFetchedAt)
    if (atMs > nowMs) return card
    const isNewer = card.costFetchedAt === null || atMs > Date.parse(card.costFetchedAt)
    const { facts = {}, ...prices } = row
    // A stored row without tiers gets the bundled tiers, scaled to its prices.
    const read = isNewer ? { ...tiersAt(card, prices), ...prices } : {}
    return { ...card, ...read, ...newerFacts(card.facts, facts) }
  })
}

/** A file that exists but cannot be read is ignored, and the log has a warning. */
export const restore = Effect.fn("catalog.restoreLastGood")(function*(
  path: string,
  cards: ReadonlyArray<ModelCard>,
  nowMs: number
): Effect.fn.Return<ReadonlyArray<ModelCard>, never, FileSystem.FileSystem> {
  const files = yield* FileSystem.FileSystem
  const exists = yield* Effect.orElseSucceed(files.exists(path), () => false)
  if (!exists) return cards
  const kept = yield* files.readFileString(path).pipe(
    Effect.flatMap(Schema.decodeUnknownEffect(KeptFile)),
    Effect.catch((error) =>
      Effect.logWarning("The kept catalog is unreadable and ignored", { path, error: error.message }).pipe(
        Effect.as({ models: [] })
      )
    )
  )
  return overlay(cards, kept.models, nowMs)
})
