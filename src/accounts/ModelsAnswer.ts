/* The answer about an account's own models: its document, and the resulting prices and priors. */
import { described } from "../catalog/AccountCatalog.ts"
import { type AccountModelsResponse, isEmpty } from "../domain/account/AccountModels.ts"
import type { CatalogSnapshot } from "../domain/model/Model.ts"
import { restartedOf } from "../domain/model/ModelIdentity.ts"
import type { StoredModels } from "./AccountModels.ts"

export const modelsAnswerOf = (
  shared: CatalogSnapshot,
  { document, identities, updatedAt }: StoredModels
): AccountModelsResponse => ({
  ...document,
  updatedAt: isEmpty(document) ? null : updatedAt?.toISOString() ?? null,
  restarts: restartedOf(identities),
  ...described(shared, document)
})

/** `restarts` lists only the models that begin anew because of this write. */
export const writtenAnswerOf = (shared: CatalogSnapshot, written: StoredModels): AccountModelsResponse => {
  const answer = modelsAnswerOf(shared, written)
  const at = written.updatedAt?.toISOString()
  return { ...answer, restarts: answer.restarts.filter(({ since }) => since === at) }
}
