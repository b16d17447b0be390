/* The schemas of the OpenAPI document that the files of the clients are generated from. */
import { OpenApi } from "effect/http-api"
import { DocumentedApi } from "../../src/http/docs/DocumentedApi.ts"

/** The part of JSON Schema that the document's components are written in. */
export interface JsonSchema {
  readonly $ref?: string
  readonly type?: string
  readonly enum?: ReadonlyArray<string>
  readonly anyOf?: ReadonlyArray<JsonSchema>
  readonly allOf?: ReadonlyArray<JsonSchema>
  readonly items?: JsonSchema
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: ReadonlyArray<string>
  readonly additionalProperties?: JsonSchema | boolean
  readonly description?: string
}

/** Schemas by their names in the document. */
export type Components = Readonly<Record<string, JsonSchema>>

/** The schemas that a client sends and reads. Each brings the schemas that it refers to. */
const roots = ["RecommendRequest", "RecommendResponse", "FeedbackRequest", "FeedbackResponse"]

/** The name of the schema that a reference is to. */
export const referred = (ref: string): string => ref.slice("#/components/schemas/".length)

/** Names of the schemas that a schema refers to, itself or in a part. */
const referencesOf = (schema: JsonSchema): ReadonlyArray<string> => [
  ...(schema.$ref === undefined ? [] : [referred(schema.$ref)]),
  ...[
    ...Object.values(schema.properties ?? {}), ...schema.anyOf ?? [], ...schema.allOf ?? [],
    ...(schema.items === undefined ? [] : [schema.items]),
    ...(typeof schema.additionalProperties === "object" ? [schema.additionalProperties] : [])
  ].flatMap(referencesOf)
]

/**
 * The schemas that a client needs, by name: each before those that it refers to, or after them. Fails for a
 * reference to a schema that the document does not have.
 */
export const clientSchemas = (
  components: Components,
  order: "before" | "after"
): ReadonlyArray<readonly [name: string, schema: JsonSchema]> => {
  const seen = new Set<string>()
  const visit = (name: string): ReadonlyArray<readonly [string, JsonSchema]> => {
    if (seen.has(name)) return []
    seen.add(name)
    const schema = components[name]
    if (schema === undefined) throw new Error(`The document has no schema ${name}`)
    const own = [[name, schema]] as const
    const others = referencesOf(schema).flatMap(visit)
    return order === "before" ? [...own, ...others] : [...others, ...own]
  }
  return roots.flatMap(visit)
}

/** Words of a text on lines of at most so many columns. */
export const wrapped = (text: string, columnsMax: number): ReadonlyArray<string> => {
  const lines: Array<string> = []
  for (const word of text.split(/\s+/).filter((each) => each !== "")) {
    const longer = `${lines.at(-1)} ${word}`
    if (lines.length > 0 && longer.length <= columnsMax) lines[lines.length - 1] = longer
    else lines.push(word)
  }
  return lines
}

/** What is read of the paths. */
interface Path {
  readonly parameters: ReadonlyArray<{ readonly name: string; readonly description?: string; readonly schema: JsonSchema }>
}

/** This repository's API, read as JSON, like a generator in another program reads it. */
export const ownDocument = JSON.parse(JSON.stringify(OpenApi.fromApi(DocumentedApi))) as {
  readonly components: { readonly schemas: Components }
  readonly paths: Readonly<Record<string, Readonly<Record<string, Path>>>>
}

/** The schemas of this repository's API. */
export const ownComponents: Components = ownDocument.components.schemas
