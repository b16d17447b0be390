/** Finds the ids that stand for another model after an account's document has changed. */
import type { AccountModel, AccountModels } from "../domain/account/AccountModels.ts"
import type { CatalogSnapshot } from "../domain/model/Model.ts"
import { IdentityField, type ModelIdentity } from "../domain/model/ModelIdentity.ts"
import { identityOf } from "./DeclaredModel.ts"

/** The declared fields that make up a model's identity. */
type DeclaredIdentity = Pick<AccountModel, "baseModel" | "modelId" | "provider" | "version">

/**
 * Ids whose identities are kept, count: those that are declared, and then those that changed last. Four times
 * what a document may declare.
 */
const identitiesMax = 256

const declaredById = ({ models }: AccountModels): ReadonlyMap<string, DeclaredIdentity> =>
  new Map(models.map((model) => [model.modelId, model]))

const undeclared = (modelId: string): DeclaredIdentity =>
  ({ modelId, baseModel: null, provider: null, version: null })

/** Both as today's catalog completes them, so that its own changes are none of the model's. */
const changedBetween = (
  shared: CatalogSnapshot,
  before: DeclaredIdentity,
  after: DeclaredIdentity
): ReadonlyArray<IdentityField> => {
  const [old, now] = [identityOf(shared, before), identityOf(shared, after)]
  return IdentityField.literals.filter((field) => old[field] !== now[field])
}

/**
 * What the ids of an account stand for once a document takes another's place at `at`, ISO 8601. An id that is
 * no longer declared stands for the catalog's model of that id, and without one for what it stood for last:
 * only so is it known, when it is declared again, whether that is another model.
 */
export const identitiesAfter = (
  shared: CatalogSnapshot,
  before: { readonly document: AccountModels; readonly identities: ReadonlyArray<ModelIdentity> },
  document: AccountModels,
  at: string
): ReadonlyArray<ModelIdentity> => {
  const listed = new Set(shared.models.map(({ modelId }) => modelId))
  const declaredBefore = declaredById(before.document)
  const declared = declaredById(document)
  const known = new Map(before.identities.map((each) => [each.modelId, each]))
  const changes: Array<ModelIdentity> = []
  const others: Array<ModelIdentity> = []
  for (const id of new Set([...declared.keys(), ...declaredBefore.keys(), ...known.keys()])) {
    const last = declaredBefore.get(id) ?? known.get(id)
    const now = declared.get(id) ?? (listed.has(id) ? undeclared(id) : last)
    if (now === undefined) continue
    const { baseModel, modelId, provider, version } = now
    const identity = { modelId, baseModel, provider, version }
    const changed = changedBetween(shared, last ?? (listed.has(id) ? undeclared(id) : now), now)
    const { changed: changedLast = [], since = null } = known.get(id) ?? {}
    if (changed.length > 0) changes.push({ ...identity, changed, since: at })
    else if (since !== null || !(declared.has(id) || listed.has(id))) {
      others.push({ ...identity, changed: changedLast, since })
    }
  }
  // A declared model that never changed needs no entry: its document says what it is.
  return [...changes, ...others]
    .sort((one, other) => Number(declared.has(other.modelId)) - Number(declared.has(one.modelId)))
    .slice(0, identitiesMax)
}
