/* Finds the caller's model behind a model or an answer of another layer. */
import { attempt } from "../ForeignValues.ts"
import type { ChatModelLike, Message } from "./Shapes.ts"

/** The date that a provider appends to a model's name. */
const date = /^[-@:]\d{4}/

/** The model's name at its provider; undefined without one. */
const nameOf = (model: unknown): string | undefined =>
  attempt(() => {
    const { _defaultConfig, bound, model: name, modelName } = Object(model)
    const found: unknown = name ?? modelName ?? _defaultConfig?.model
    return found === undefined && bound ? nameOf(bound) : typeof found === "string" ? found : undefined
  }, undefined)

export interface Names {
  /** The id of a model: the caller's id of an own model, otherwise the name; null without a name. */
  readonly ofModel: (model: unknown) => string | null
  /** The id of the model that answered, found in the same way. */
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
