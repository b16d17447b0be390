/* Documents endpoints for `/docs` and `/openapi.json`, with the right that each needs. */
import { Context, Schema } from "effect"
import { OpenApi } from "effect/http-api"
import { type Right, rolesWith } from "../domain/account/Role.ts"
import { NeededRight } from "./Authorization.ts"

interface Operation {
  readonly summary: string
  readonly description: string
  /** The right that the key needs; null where no key is needed. */
  readonly right: Right | null
  /** A body that works unchanged; the interactive page fills it in. */
  readonly example?: unknown
  /** The fields of the query and of the path, of which the document says what they are. */
  readonly query?: Schema.Struct.Fields
}

// The document is untyped in the functions below; the casts are safe, because HttpApi has just written it.
type Document = Readonly<Record<string, unknown>>

interface Content {
  readonly content: Readonly<Record<string, object>>
}

/** An operation whose body has an example in each of its media types. */
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

/** The types of a query's values that are not sent as they are. */
const written: ReadonlyArray<unknown> = ["number", "integer", "boolean"]

/**
 * The parameters of a query as the values that a client has, with what is said of them. HttpApi documents the
 * text that a number or a boolean is sent as.
 */
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

/** Which keys may call; empty where every key may. */
const keysNeeded = (right: Right | null): string => {
  if (right === null || right === "read") return ""
  return `\n\nNeeds a key of the role ${rolesWith(right).map((role) => `\`${role}\``).join(" or ")}.`
}

/** The annotations of an endpoint: its documentation, and the right that it needs. */
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
