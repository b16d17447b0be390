/** Finds the ids that name another model after an account's document has changed. */
import type { AccountModel, AccountModels } from "../domain/account/AccountModels.ts"
import type { CatalogSnapshot } from "../domain/model/Model.ts"
import { IdentityField, type ModelIdentity } from "../domain/model/ModelIdentity.ts"
import { identityOf } from "./DeclaredModel.ts"

type DeclaredIdentity = Pick<AccountModel, "baseModel" | "modelId" | "provider" | "version">

/** Maximum number of identities that are stored for an account. */
const identitiesMax = 256

const declaredById = ({ models }: AccountModels): ReadonlyMap<string, DeclaredIdentity> =>
  new Map(models.map((model) => [model.modelId, model]))

const undeclared = (modelId: string): DeclaredIdentity =>
  ({ modelId, baseModel: null, provider: null, version: null })

/** Compares two declarations of an id, both resolved with one catalog, so catalog changes do not count. */
const changedBetween = (
  shared: CatalogSnapshot,
  before: DeclaredIdentity,
  after: DeclaredIdentity
): ReadonlyArray<IdentityField> => {
  const [old, now] = [identityOf(shared, before), identityOf(shared, after)]
  return IdentityField.literals.filter((field) => old[field] !== now[field])
}

/**
 * An id that is no longer declared names the catalog's model of that id. If an
 * undeclared id is not in the catalog, its last declaration stays stored, to be compared with its next one.
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
  // A declared model that never changed needs no entry, because the document gives its identity.
  return [...changes, ...others]
    .sort((one, other) => Number(declared.has(other.modelId)) - Number(declared.has(one.modelId)))
    .slice(0, identitiesMax)
}
