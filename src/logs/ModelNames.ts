/* Finds the catalog's models by the names that a log gives them. */
import { findModel } from "../catalog/Lookup.ts"
import { servedModel } from "../catalog/Offerings.ts"
import type { CatalogSnapshot, ModelCard } from "../domain/model/Model.ts"

export interface ModelNames {
  /** The model that a name of the log stands for, as it is served there; null where the catalog has none. */
  readonly find: (name: string) => ModelCard | null
  /** Aliases that name no model of the catalog: `theirs=ours` as the user wrote them. */
  readonly brokenAliases: ReadonlyArray<string>
}

/** `aliases`: names of the log, each with the name in the catalog that the user gave for it. */
export const modelNamesOf = (
  snapshot: CatalogSnapshot,
  aliases: Readonly<Record<string, string>> = {}
): ModelNames => {
  const ours = new Map(Object.entries(aliases))
  return {
    find: (name) => servedModel(snapshot, ours.get(name) ?? name) ?? null,
    brokenAliases: [...ours].filter(([, our]) => findModel(snapshot, our) === undefined)
      .map(([their, our]) => `${their}=${our}`)
  }
}
