/* Finds which of the caller's models another middleware used, from its model or its answer. */
import { attempt } from "../ForeignValues.ts"
import type { ChatModelLike, Message } from "./Shapes.ts"

/** Matches the date that a provider appends to a model's name. */
const date = /^[-@:]\d{4}/

/** Returns the provider's name of a model; undefined if the model object shows no name. */
const nameOf = (model: unknown): string | undefined =>
  attempt(() => {
    const { _defaultConfig, bound, model: name, modelName } = Object(model)
    const found: unknown = name ?? modelName ?? _defaultConfig?.model
    return found === undefined && bound ? nameOf(bound) : typeof found === "string" ? found : undefined
  }, undefined)

export interface Names {
  /** A model that the caller did not list has its name as id; null without a name. */
  readonly ofModel: (model: unknown) => string | null
  /** Returns the id, or else the name, of an answer's model; null if the answer names no model. */
  readonly ofMessage: (message: Message) => string | null
}

export const namesOf = (models: Readonly<Record<string, ChatModelLike>>): Names => {
  const ours = Object.entries(models)

  const idOf = (name: unknown): string | null => {
    if (typeof name !== "string" || name === "") return null
    const spelled = ours.map(([id, model]) => [id, nameOf(model) ?? id] as const)
    const isDated = (known: string): boolean => name.startsWith(known) && date.test(name.slice(known.length))
    const found = spelled.find((one) => one.includes(name)) ?? spelled.find(([, known]) => isDated(known))
    return found?.[0] ?? name
  }

  return {
    ofModel: (model) => ours.find(([, one]) => one === model)?.[0] ?? idOf(nameOf(model)),
    ofMessage: ({ response_metadata: said }) => idOf(said?.["model_name"] ?? said?.["model"])
  }
}
