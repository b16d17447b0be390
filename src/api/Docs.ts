/* The documentation of endpoints for `/docs` and `/openapi.json`, and their rights. */
import { Context, Schema } from "effect"
import { OpenApi } from "effect/http-api"
import { type Right, rolesWith } from "../domain/account/Role.ts"
import { NeededRight } from "./Authorization.ts"

interface Operation {
  readonly summary: string
  readonly description: string
  /** The right that the key needs; null if no key is needed. */
  readonly right: Right | null
  /** An example body that the endpoint accepts unchanged, for the page `/docs`. */
  readonly example?: unknown
  readonly query?: Schema.Struct.Fields
}

// The untyped document has just been built by HttpApi, so casts of its parts are safe.
type Document = Readonly<Record<string, unknown>>

interface Content {
  readonly content: Readonly<Record<string, object>>
}

const withExample = (operation: Document, example: unknown): Document => {
  const body = operation["requestBody"] as Content
  const content = Object.fromEntries(
    Object.entries(body.content).map(([type, media]) => [type, { ...media, example }])
  )
  return { ...operation, requestBody: { ...body, content } }
}

interface Parameter {
  readonly name: string
  readonly schema: { readonly type?: unknown }
}

/** Types of query values, other than texts, that a URL carries as text. */
const written: ReadonlyArray<unknown> = ["number", "integer", "boolean"]

/** HttpApi itself would document a query's number or boolean as a string. */
const withQuery = (operation: Document, fields: Schema.Struct.Fields): Document => ({
  ...operation,
  parameters: (operation["parameters"] as ReadonlyArray<Parameter>).map((parameter) => {
    const field = fields[parameter.name]
    if (field === undefined) return parameter
    const { default: otherwise, description } = field.ast.context?.annotations ?? {}
    const { schema } = Schema.toJsonSchemaDocument(Schema.toType(field))
    const { allOf: _, ...own } = written.includes(schema["type"]) ? schema : parameter.schema as Document
    return {
      ...parameter,
      ...(description === undefined ? {} : { description }),
      schema: {
        ...(own["$ref"] === undefined && Object.keys(own).length > 0 ? own : parameter.schema),
        ...(otherwise === undefined ? {} : { default: otherwise })
      }
    }
  })
})

/** Returns the sentence about the required role; an empty text if no role is required. */
const keysNeeded = (right: Right | null): string => {
  if (right === null || right === "read") return ""
  return `\n\nNeeds a key of the role ${rolesWith(right).map((role) => `\`${role}\``).join(" or ")}.`
}

export const documented = ({ description, example, query, right, summary }: Operation) => {
  const annotations = OpenApi.annotations({
    summary,
    description: `${description}${keysNeeded(right)}`,
    transform: (operation) => {
      const asked = example === undefined ? operation : withExample(operation, example)
      return query === undefined ? asked : withQuery(asked, query)
    }
  })
  return right === null ? annotations : Context.merge(annotations, Context.make(NeededRight, right))
}
