/* Finds models of the catalog by their names in a log. */
import { findModel } from "../catalog/Lookup.ts"
import { servedModel } from "../catalog/Offerings.ts"
import type { CatalogSnapshot, ModelCard } from "../domain/model/Model.ts"

export interface ModelNames {
  /** Returns null if the catalog does not have the model. */
  readonly find: (name: string) => ModelCard | null
  /** The user's aliases, written `theirs=ours`, whose second name is no model of the catalog. */
  readonly brokenAliases: ReadonlyArray<string>
}

/** @param aliases names in the catalog, by names in the log, as the user gave them */
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
