/** Drivers of {@link Catalog}: the bundled catalog, and the catalog file of an operator. */
import { Clock, Effect, FileSystem, Layer, Predicate, Ref, Schema, SchemaIssue } from "effect"
import { fileURLToPath } from "node:url"
import { AccountEffortLevels, CapabilityByTaskType } from "../../domain/account/AccountModels.ts"
import { declaredPrices, pricesOver } from "../../domain/model/DeclaredPrices.ts"
import { declaredFacts, factsOver, ModelFacts } from "../../domain/model/Facts.ts"
import { ModelCard, Offering, ofTaskTypes, PriceTier, runCapability } from "../../domain/model/Model.ts"
import { Identifier } from "../../domain/text/Text.ts"
import { costProblem, Probability, UsdSent } from "../../domain/Units.ts"
import { defaulted, nullable, snakeCase, wire } from "../../domain/wire/Wire.ts"
import { levelsOf, levelTooLong, standardLevels } from "../ModelVariants.ts"
import { Catalog } from "../Catalog.ts"
import { meanOf } from "../DeclaredPriors.ts"
import { type CatalogRows, reader, rowsOf } from "../Snapshot.ts"

/** The error for a catalog file that cannot be used. `row` counts from 0; null if the whole file is wrong. */
export class CatalogFileInvalid extends Schema.TaggedError<CatalogFileInvalid>()("CatalogFileInvalid", {
  path: Schema.String,
  row: Schema.NullOr(Schema.Int),
  modelId: Schema.NullOr(Schema.String),
  field: Schema.NullOr(Schema.String),
  detail: Schema.String
}) {
  override get message(): string {
    const model = this.modelId === null ? "" : ` (${this.modelId})`
    const row = this.row === null ? "" : `, models[${this.row}]${model}`
    const field = this.field === null ? "" : `, ${this.field}`
    return `Catalog file ${this.path}${row}${field}: ${this.detail}`
  }
}

const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))

/** A price in a catalog file, USD per million tokens. A price that seems to be per token is refused. */
const FilePrice = UsdSent.check(Schema.makeFilter((price: number) => costProblem(price) ?? true))

type DeclaredLevel = typeof AccountEffortLevels.Type[number]

/** Five fields of a row are required: id, provider, input price, output price and context window. */
const FileRow = wire({
  modelId: Identifier,
  provider: Identifier,
  displayName: Schema.optionalKey(Schema.String),
  inputCostPerMtok: FilePrice,
  outputCostPerMtok: FilePrice,
  cacheReadCostPerMtok: nullable(FilePrice),
  ...declaredPrices,
  supportsPromptCaching: defaulted(Schema.Boolean, false),
  contextWindow: Count,
  maxOutputTokens: nullable(Count),
  ...declaredFacts,
  capabilityByTaskType: defaulted(CapabilityByTaskType, {}),
  aliases: defaulted(Schema.Array(Identifier), []),
  effortLevels: defaulted(
    AccountEffortLevels.check(Schema.makeFilter((levels: ReadonlyArray<DeclaredLevel>) =>
      levels.flatMap(({ inputCostPerMtok, outputCostPerMtok }) =>
        costProblem(inputCostPerMtok) ?? costProblem(outputCostPerMtok) ?? [])[0] ?? true)),
    []
  )
})

const cardOf = ({
  cacheWritePriceRatio, dataRegions, effortLevels, extraPrices, priceTiers, retiresOn, supportsAudio,
  supportsFiles, supportsImages, supportsReasoning, supportsStructuredOutput, supportsTools, ...row
}: typeof FileRow.Type): ModelCard => {
  const priors = ofTaskTypes(row.capabilityByTaskType)
  return {
    ...row,
    ...pricesOver(null, { ...row, cacheWritePriceRatio, extraPrices, priceTiers }),
    displayName: row.displayName ?? row.modelId,
    ...factsOver(undefined, {
      dataRegions, retiresOn, supportsAudio, supportsFiles, supportsImages, supportsReasoning,
      supportsStructuredOutput, supportsTools
    }, "file"),
    ...levelsOf({ effortLevels, hasPrices: true, hasPriors: priors.length > 0 }, null),
    capabilityPriors: priors.length === 0 ? null : { overall: meanOf(priors) },
    capabilitySource: priors.length === 0 ? "none" : "catalog_file",
    capabilityAsOf: null,
    costSource: "file",
    costFetchedAt: null,
    costStale: false
  }
}

const format = SchemaIssue.makeFormatterStandardSchemaV1()

const firstIssue = (
  error: Schema.SchemaError
): { readonly field: string | null; readonly detail: string } => {
  const issue = format(error.issue).issues[0]
  // A schema issue inside a list names fields in camel case, which become wire names in snake case.
  const path = (issue?.path ?? [])
    .map((step) => snakeCase(String(typeof step === "object" ? step.key : step))).join(".")
  return { field: path === "" ? null : path, detail: issue?.message ?? "Invalid row" }
}

/** Returns the first id or alias that a second card uses too, because it would be ambiguous. */
const clashIn = (
  cards: ReadonlyArray<ModelCard>
): { row: number; field: string; name: string } | undefined => {
  const owners = new Map<string, number>()
  for (const [row, { modelId, aliases }] of cards.entries()) {
    for (const name of [modelId, ...aliases]) {
      const owner = owners.get(name)
      if (owner !== undefined && owner !== row) {
        return { row, field: name === modelId ? "model_id" : "aliases", name }
      }
      owners.set(name, row)
    }
  }
  return undefined
}

const parseFile = Effect.fn("catalog.parseFile")(function*<Row>(
  path: string,
  text: string,
  decodeRow: (row: unknown) => Effect.Effect<Row, Schema.SchemaError>
): Effect.fn.Return<{ readonly asOf: unknown; readonly rows: ReadonlyArray<Row> }, CatalogFileInvalid> {
  const whole = (detail: string) =>
    new CatalogFileInvalid({ path, row: null, modelId: null, field: null, detail })
  const body: unknown = yield* Effect.try({
    try: (): unknown => JSON.parse(text),
    catch: (cause) => whole(`not JSON: ${String(cause)}`)
  })
  if (!Predicate.hasProperty(body, "models") || !Array.isArray(body.models) || body.models.length === 0) {
    return yield* whole(`expected {"models": [...]} with at least one model`)
  }
  const rows = yield* Effect.forEach(body.models, (value: unknown, row) => {
    const modelId = Predicate.hasProperty(value, "model_id") && typeof value.model_id === "string"
      ? value.model_id
      : null
    return Effect.mapError(decodeRow(value), (error) =>
      new CatalogFileInvalid({ path, row, modelId, ...firstIssue(error) }))
  })
  return { asOf: Predicate.hasProperty(body, "as_of") ? body.as_of : null, rows }
})

const readText = (path: string): Effect.Effect<string, CatalogFileInvalid, FileSystem.FileSystem> =>
  Effect.flatMap(FileSystem.FileSystem, (files) => files.readFileString(path)).pipe(
    Effect.mapError((error) =>
      new CatalogFileInvalid({ path, row: null, modelId: null, field: null, detail: error.message }))
  )

const decodeCard = Schema.decodeUnknownEffect(ModelCard)

/** A bundled model that reasons gets the standard levels of effort. */
const bundledCard = (row: unknown): Effect.Effect<ModelCard, Schema.SchemaError> =>
  Effect.map(decodeCard(row), (card) =>
    Predicate.hasProperty(row, "reasoning") && row.reasoning === true
      ? { ...card, effortLevels: standardLevels }
      : card)

const FactsRow = wire({
  modelId: Identifier, facts: ModelFacts, offerings: defaulted(Schema.Array(Offering), []),
  priceTiers: defaulted(Schema.Array(PriceTier), [])
})

/** The success rate of a bundled model in recorded runs of agents. */
const RunRow = wire({ modelId: Identifier, agentRun: Probability })

/** The catalog that comes with the service, whose age begins when its prices were read. */
export const bundledRows: Effect.Effect<CatalogRows, CatalogFileInvalid, FileSystem.FileSystem> = Effect.gen(
  function*() {
    const fileOf = <Row>(
      name: string,
      decodeRow: (row: unknown) => Effect.Effect<Row, Schema.SchemaError>
    ) => {
      const path = fileURLToPath(new URL(name, import.meta.url))
      return Effect.flatMap(readText(path), (text) => parseFile(path, text, decodeRow))
    }
    const { asOf, rows } = yield* fileOf("./cards.json", bundledCard)
    const { rows: known } = yield* fileOf("./facts.json", Schema.decodeUnknownEffect(FactsRow))
    const { rows: runs } = yield* fileOf("./runs.json", Schema.decodeUnknownEffect(RunRow))
    const factsOf = new Map(known.map((row) => [row.modelId, row]))
    const runOf = new Map(runs.map(({ agentRun, modelId }) => [modelId, { [runCapability]: agentRun }]))
    const cards = rows.map((card) => {
      const { facts, offerings = [], priceTiers = [] } = factsOf.get(card.modelId) ?? {}
      return {
        ...card,
        capabilityByTaskType: { ...card.capabilityByTaskType, ...runOf.get(card.modelId) },
        ...(facts === undefined ? {} : { facts }),
        ...(offerings.length === 0 ? {} : { offerings }),
        ...(priceTiers.length === 0 ? {} : { priceTiers })
      }
    })
    return rowsOf(cards, { refreshedAtMs: Date.parse(String(asOf)), costSource: "bundled" })
  }
)

/** The operator's catalog replaces the bundled catalog, and its prices never become stale. */
export const fileRows = Effect.fn("catalog.fileRows")(function*(
  path: string
): Effect.fn.Return<CatalogRows, CatalogFileInvalid, FileSystem.FileSystem> {
  const { rows } = yield* parseFile(path, yield* readText(path), Schema.decodeUnknownEffect(FileRow))
  const cards = rows.map(cardOf)
  const long = cards.findIndex((card) => levelTooLong(card) !== undefined)
  if (long !== -1) {
    return yield* new CatalogFileInvalid({
      path, row: long, modelId: cards[long]?.modelId ?? null, field: "effort_levels",
      detail: `"${levelTooLong(cards[long]!)}" makes an id that is too long`
    })
  }
  const clash = clashIn(cards)
  if (clash !== undefined) {
    return yield* new CatalogFileInvalid({
      path,
      row: clash.row,
      modelId: cards[clash.row]?.modelId ?? null,
      field: clash.field,
      detail: `"${clash.name}" already names another model`
    })
  }
  return rowsOf(cards, { refreshedAtMs: yield* Clock.currentTimeMillis, costSource: "file" })
})

const layerOf = <E, R>(rows: Effect.Effect<CatalogRows, E, R>): Layer.Layer<Catalog, E, R> =>
  Layer.effect(
    Catalog,
    Effect.map(Effect.flatMap(rows, Ref.make), (held) => Catalog.of({ snapshot: reader(held) }))
  )

/** The bundled catalog without refreshes, which is stale when its prices are older than 30 days. */
export const layerBundled: Layer.Layer<Catalog, CatalogFileInvalid, FileSystem.FileSystem> =
  layerOf(bundledRows)

/** If the file is broken, the layer fails with the row and field, if one is at fault. */
export const layerFile = (path: string): Layer.Layer<Catalog, CatalogFileInvalid, FileSystem.FileSystem> =>
  layerOf(fileRows(path))
