/* Chooses models, default model and SDK by flags, or by proposals that the person may change. */
import { oneLine, Stop } from "../Service.ts"
import { runnable, type Sdk, sdkOf } from "./Code.ts"
import { findProviders, type Found, nearestPackages } from "./Found.ts"
import { type InitOptions, namesOf } from "./Options.ts"
import { type CatalogModel, proposed, proposedDefault } from "./Proposal.ts"
import { askAtTerminal } from "./Terminal.ts"

export interface Chosen {
  readonly found: ReadonlyArray<Found>
  readonly models: ReadonlyArray<CatalogModel>
  readonly defaultModel: CatalogModel
  readonly sdk: Sdk
}

export const idsOf = (models: ReadonlyArray<CatalogModel>): ReadonlyArray<string> =>
  models.map(({ model_id }) => model_id)

export const listed = (names: ReadonlyArray<string>): string => oneLine(names.join(", "))

/** Finds the catalog's models by id or alias. */
const named = (
  catalog: ReadonlyArray<CatalogModel>,
  names: ReadonlyArray<string>
): ReadonlyArray<CatalogModel> =>
  names.map((name) => {
    const model = catalog.find(({ model_id }) => model_id === name)
      ?? catalog.find(({ aliases }) => aliases.includes(name))
    if (model === undefined) {
      throw new Stop(2, `the service knows no model ${oneLine(name)}; GET /v1/models lists them`)
    }
    return model
  })

/** Returns the names that the person answers; the proposal if `isAsked` is false or the answer is empty. */
const askNames = async (
  isAsked: boolean,
  what: string,
  proposal: ReadonlyArray<string>
): Promise<ReadonlyArray<string>> => {
  if (!isAsked) return proposal
  const answer = await askAtTerminal(`${what} [${listed(proposal)}]: `)
  if (answer === null) throw new Stop(1, "left; nothing is written")
  const names = namesOf([answer])
  return names.length === 0 ? proposal : names
}

/** Finds the providers whose models are proposed; none if a flag names the models. */
const chooseProviders = async (
  { models, providers }: InitOptions,
  catalog: ReadonlyArray<CatalogModel>,
  packages: ReadonlySet<string>,
  isAsked: boolean
): Promise<ReadonlyArray<Found>> => {
  if (models.length > 0) return []
  const known = [...new Set(catalog.map(({ provider }) => provider))].sort()
  const found = findProviders(process.env, packages)
  const names = providers.length > 0
    ? providers
    : await askNames(isAsked, "Providers", found.map(({ provider }) => provider))
  const [stranger] = names.filter((name) => !known.includes(name))
  // The program may use a provider that the catalog lacks, such as one that serves other makers' models.
  if (stranger !== undefined && !found.some(({ provider }) => provider === stranger)) {
    throw new Stop(2, `the catalog has no provider ${oneLine(stranger)}; it has ${listed(known)}`)
  }
  for (const name of names.filter((one) => !known.includes(one))) {
    console.error(`sextant-client init: the catalog has no model of ${name}; --model names what it serves`)
  }
  const left = names.filter((name) => known.includes(name))
  if (left.length === 0) {
    throw new Stop(2, `no provider is found: set its key's variable, or --provider, one of ${listed(known)}`)
  }
  return left.map((provider) => found.find((one) => one.provider === provider)
    ?? { provider, because: providers.length > 0 ? "--provider" : "your answer" })
}

/** Fails with {@link Stop}. */
export const choose = async (
  options: InitOptions,
  catalog: ReadonlyArray<CatalogModel>,
  isAsked: boolean
): Promise<Chosen> => {
  const { packages, problem } = nearestPackages(process.cwd())
  if (problem !== null) console.error(`sextant-client init: ${oneLine(problem)}`)
  const found = await chooseProviders(options, catalog, packages, isAsked)
  const proposal = found.flatMap(({ provider }) => idsOf(proposed(catalog, provider)))
  const names = options.models.length > 0
    ? options.models
    : await askNames(isAsked, "Models", proposal)
  const models = [...new Set(named(catalog, names))]
  if (models.length === 0) throw new Stop(2, "the catalog has no model to propose; --model names one")
  const sdk = options.sdk ?? sdkOf(packages, models)
  const able = runnable(sdk, models)
  const middle = proposedDefault(able)
  if (middle === undefined) throw new Stop(2, `--sdk ${sdk} runs none of ${listed(idsOf(models))}`)
  const question = "Default model, which runs whenever the service cannot say"
  const [defaultName = middle.model_id] = options.defaultModel !== undefined
    ? [options.defaultModel]
    : await askNames(isAsked, question, [middle.model_id])
  const [defaultModel = middle] = named(catalog, [defaultName])
  if (!able.includes(defaultModel)) {
    throw new Stop(2, `the default model ${oneLine(defaultName)} is none of ${listed(idsOf(able))}`)
  }
  return { found, models, defaultModel, sdk }
}
