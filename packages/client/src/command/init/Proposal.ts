/* Proposes each provider's cheapest, middle and best model, without models far worse than the best. */

/** The fields of a model in `GET /v1/models` that are read. */
export interface CatalogModel {
  readonly model_id: string
  readonly provider: string
  readonly input_cost_per_mtok: number
  readonly output_cost_per_mtok: number
  readonly capability_priors: { readonly overall?: number } | null
  readonly capability_source: string
  readonly aliases: ReadonlyArray<string>
}

/** Maximum difference in capability between a provider's best model and a proposed model, in [0, 1]. */
const capabilityGap = 0.2

/** The open models gpt-oss and gemma are not proposed, because their makers' APIs may not serve them. */
const openWeights = /^(gpt-oss|gemma)/

const priceOf = (model: CatalogModel): number => model.input_cost_per_mtok + model.output_cost_per_mtok

const capabilityOf = ({ capability_priors }: CatalogModel): number => capability_priors?.overall ?? 0

/**
 * The models for which no cheaper one is as capable, cheapest first. Models without a benchmark are left out
 * if others have one. Models more than `capabilityGap` less capable than the best model are left out.
 */
const frontierOf = (models: ReadonlyArray<CatalogModel>): ReadonlyArray<CatalogModel> => {
  const served = models.filter(({ model_id }) => !openWeights.test(model_id))
  const measured = served.filter(({ capability_source }) => capability_source.startsWith("benchmark"))
  const known = measured.length > 0 ? measured : served
  const least = Math.max(...known.map(capabilityOf)) - capabilityGap
  let best = -1
  const byPrice = [...known].sort((a, b) => priceOf(a) - priceOf(b) || capabilityOf(b) - capabilityOf(a))
  return byPrice.filter((model) => {
    const capability = capabilityOf(model)
    if (capability <= best || capability < least) return false
    best = capability
    return true
  })
}

/** Proposes at most three models of a provider, cheapest first; none if the catalog lacks the provider. */
export const proposed = (
  models: ReadonlyArray<CatalogModel>,
  provider: string
): ReadonlyArray<CatalogModel> => {
  const frontier = frontierOf(models.filter((model) => model.provider === provider))
  const places = new Set([0, Math.floor((frontier.length - 1) / 2), frontier.length - 1])
  return frontier.filter((_, i) => places.has(i))
}

/** Proposes a default model: the middle one of the models that share the provider of `models[0]`. */
export const proposedDefault = (models: ReadonlyArray<CatalogModel>): CatalogModel | undefined => {
  const first = models.filter(({ provider }) => provider === models[0]?.provider)
  return first[Math.floor(first.length / 2)]
}
