/*
 * Endpoints as the API defines them. What reads a body or writes an answer beside HttpApi takes the schemas
 * from here, so that each way to answer an endpoint follows its definition.
 */
import type { Schema } from "effect"
import type { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"

/** An endpoint and its group. */
export interface Defined {
  readonly endpoint: HttpApiEndpoint.Top
  readonly group: HttpApiGroup.Top
}

/** The definition of an endpoint; the types of its schemas are known to its general handler alone. */
export const definedIn = (group: { readonly endpoints: object }, name: string): Defined =>
  ({ endpoint: Object(group.endpoints)[name], group: group as unknown as HttpApiGroup.Top })

/** A schema as a definition holds it: wrapped, with what HttpApi knows of it. */
type Held = Schema.Top & { readonly schema?: Schema.Top }

const onlyOf = <S>({ endpoint }: Defined, schemas: Iterable<Held> = []): S => {
  const [held, ...more] = schemas
  if (held === undefined || more.length > 0) {
    throw new Error(`${endpoint.identifier} has not one schema of a body and one of an answer`)
  }
  return (held.schema ?? held) as S
}

/** The schema of the endpoint's JSON body; throws at the start where it has none or several. */
export const payloadOf = <S extends Schema.Constraint>(defined: Defined): S =>
  onlyOf(defined, defined.endpoint.payload.get("application/json")?.schemas)

/** The schema of its answer, in the same way. */
export const successOf = <S extends Schema.Constraint>(defined: Defined): S =>
  onlyOf(defined, defined.endpoint.success)
