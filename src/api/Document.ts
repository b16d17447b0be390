/* Changes to the OpenAPI document of HttpApi for readers and client generators. None names an operation. */

type Json = null | boolean | number | string | ReadonlyArray<Json> | DocumentFields
type DocumentFields = { readonly [name: string]: Json }

const isFields = (value: Json | undefined): value is DocumentFields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The fields whose values are changed; the others as they are. */
const changed = (fields: DocumentFields, change: (value: Json, name: string) => Json): DocumentFields =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, change(value, name)]))

/** The object of a name inside another; empty where there is none. */
const within = (fields: DocumentFields, name: string): DocumentFields => {
  const value = fields[name]
  return isFields(value) ? value : {}
}

/** Changes every object of the document, the innermost first. */
const everywhere = (value: Json, change: (fields: DocumentFields) => Json): Json => {
  if (Array.isArray(value)) return value.map((each: Json) => everywhere(each, change))
  return isFields(value) ? change(changed(value, (each) => everywhere(each, change))) : value
}

const notes: ReadonlySet<string> = new Set(["title", "description", "default", "examples", "deprecated"])
const isNote = (value: Json): value is DocumentFields =>
  isFields(value) && Object.keys(value).every((key) => notes.has(key))

/** The text of both; what a field is comes before what its kind is. */
const joined = (field: Json | undefined, kind: Json | undefined): DocumentFields => {
  const texts = [field, kind].filter((text) => typeof text === "string")
  return texts.length === 0 ? {} : { description: texts.join(" ") }
}

/**
 * A schema with what is said of its field beside its keywords, where HttpApi writes a second schema for it. A
 * reference keeps its `allOf`: several generators ignore what stands beside `$ref`.
 */
const withNotes = (schema: DocumentFields): DocumentFields => {
  const { allOf, ...rest } = schema
  if (!Array.isArray(allOf) || !allOf.some(isNote)) return schema
  const others = allOf.filter((each: Json) => !isNote(each))
  const said: DocumentFields = Object.assign({}, ...allOf.filter(isNote))
  return {
    ...rest, ...said, ...joined(said["description"], rest["description"]),
    ...(others.length === 0 ? {} : { allOf: others })
  }
}

/** Without bounds that every JSON integer has, and without forbidding the fields that are to be ignored. */
const withoutNoise = ({ ...schema }: Record<string, Json>): DocumentFields => {
  if (schema["additionalProperties"] === false) delete schema["additionalProperties"]
  if (schema["minimum"] === Number.MIN_SAFE_INTEGER) delete schema["minimum"]
  if (schema["maximum"] === Number.MAX_SAFE_INTEGER) delete schema["maximum"]
  return schema
}

const isDeprecated = ({ description }: DocumentFields): boolean =>
  typeof description === "string" && description.startsWith("Deprecated:")

const readable = (fields: DocumentFields): DocumentFields => {
  const schema = withoutNoise(withNotes(fields))
  return isDeprecated(schema) ? { ...schema, deprecated: true } : schema
}

/**
 * A field of a component with its default in words, and within `allOf`: generators take a field that has the
 * keyword itself for one that is always there, and a request leaves it out. A null needs neither, and what is
 * empty needs no word.
 */
const withOptionalDefault = (field: Json): Json => {
  if (!isFields(field) || field["default"] === undefined) return field
  const { default: value, ...plain } = field
  if (value === null) return plain
  const { allOf, deprecated, description, ...form } = plain
  const isEmpty = typeof value === "object" && Object.keys(value).length === 0
  return {
    ...joined(description, isEmpty ? undefined : `Default: \`${JSON.stringify(value)}\`.`),
    ...(deprecated === undefined ? {} : { deprecated }),
    allOf: [{ ...(Array.isArray(allOf) ? allOf[0] : form), default: value }]
  }
}

const withOptionalDefaults = (document: DocumentFields): DocumentFields => {
  const components = within(document, "components")
  const schemas = changed(within(components, "schemas"), (schema) =>
    isFields(schema) && isFields(schema["properties"])
      ? { ...schema, properties: changed(schema["properties"], withOptionalDefault) }
      : schema)
  return { ...document, components: { ...components, schemas } }
}

const reference = "#/components/schemas/"

/** A component's name without the endings that HttpApi gives to what is encoded, and to a second copy. */
const plainName = (name: string): string => name.replace(/(_\d+)$/, "").replace(/Encoded$/, "")

/** Each component by the name that it gets: its plain one, unless another schema has that already. */
const newNames = (schemas: DocumentFields): ReadonlyMap<string, string> => {
  const texts = new Map<string, string>()
  const names = new Map<string, string>()
  for (const [name, schema] of Object.entries(schemas)) {
    const text = JSON.stringify(schema)
    const plain = plainName(name)
    const isFree = (texts.get(plain) ?? text) === text
    names.set(name, isFree ? plain : name)
    if (isFree) texts.set(plain, text)
  }
  return names
}

/** Whether a component only refers to the component of its plain name. */
const isAlias = (name: string, schema: Json): boolean =>
  isFields(schema) && schema["$ref"] === `${reference}${name}Encoded`

const withPlainNames = (document: DocumentFields): DocumentFields => {
  const components = within(document, "components")
  const own = Object.entries(within(components, "schemas")).filter(([name, schema]) => !isAlias(name, schema))
  const names = newNames(Object.fromEntries(own))
  const schemas = Object.fromEntries(own.map(([name, schema]) => [names.get(name) ?? name, schema]))
  const renamed = everywhere({ ...document, components: { ...components, schemas } }, (fields) => {
    const { $ref } = fields
    if (typeof $ref !== "string" || !$ref.startsWith(reference)) return fields
    const name = $ref.slice(reference.length)
    return { ...fields, $ref: `${reference}${names.get(name) ?? name}` }
  })
  return isFields(renamed) ? renamed : document
}

/** What RFC 9457 says of a problem's members. */
const problemMembers: DocumentFields = {
  type: "Kind of the problem; `about:blank` says no more than the status.",
  title: "The kind of problem, in a few words.",
  status: "The status of the answer.",
  detail: "The fault of this request, for people.",
  instance: "Which occurrence of the problem it is."
}

/** A problem's component, every one of which the service sends with all members but `instance`. */
const describedProblem = (schema: DocumentFields): DocumentFields => ({
  ...schema,
  ...(schema["description"] === undefined ? { description: "A problem as of RFC 9457." } : {}),
  properties: changed(within(schema, "properties"), (member, name) =>
    isFields(member)
      ? { ...member, ...joined(problemMembers[name], member["description"]),
        ...(name === "status" ? { type: "integer" } : {}) }
      : member),
  required: ["type", "title", "status", "detail"]
})

const isProblem = (schema: DocumentFields): boolean =>
  ["type", "title", "status", "detail"].every((name) => name in within(schema, "properties"))

const withProblems = (document: DocumentFields): DocumentFields => {
  const components = within(document, "components")
  const schemas = changed(within(components, "schemas"), (schema) =>
    isFields(schema) && isProblem(schema) ? describedProblem(schema) : schema)
  return { ...document, components: { ...components, schemas } }
}

/** The headers of an answer, by its status. */
const headersByStatus: Readonly<Record<string, DocumentFields>> = {
  401: { "WWW-Authenticate": { description: "`Bearer`.", schema: { type: "string" } } },
  429: { "Retry-After": { description: "Seconds to wait.", schema: { type: "integer" } } },
  503: { "Retry-After": { description: "Seconds to wait.", schema: { type: "integer" } } }
}

/** Answers of the listener, which sends them before it knows which operation is called. */
const listenerProblem = (name: string, description: string): Json => ({
  description,
  content: { "application/problem+json": { schema: { $ref: `${reference}${name}` } } }
})
const listenerAnswers: DocumentFields = {
  408: listenerProblem("RequestTimeout", "Request timeout"),
  417: listenerProblem("ExpectationFailed", "Expectation failed"),
  431: listenerProblem("HeadersTooLarge", "Request header fields too large")
}

/** An operation with a plain id, the answers of the listener, and the headers of its answers. */
const asRead = (operation: Json): Json =>
  isFields(operation) ? {
    ...operation,
    operationId: String(operation["operationId"]).replace(/^.*\./, ""),
    responses: changed({ ...within(operation, "responses"), ...listenerAnswers }, (response, status) =>
      isFields(response) && headersByStatus[status] !== undefined
        ? { ...response, headers: headersByStatus[status] }
        : response)
  } : operation

const withOperations = (document: DocumentFields): DocumentFields => ({
  ...document,
  paths: changed(within(document, "paths"), (path) => isFields(path) ? changed(path, asRead) : path)
})

/** Schemes of HTTP authentication in small letters, as their registry has them; tools compare the text. */
const withPlainSchemes = (document: DocumentFields): DocumentFields => {
  const components = within(document, "components")
  const securitySchemes = changed(within(components, "securitySchemes"), (each) =>
    isFields(each) && typeof each["scheme"] === "string"
      ? { ...each, scheme: each["scheme"].toLowerCase() }
      : each)
  return { ...document, components: { ...components, securitySchemes } }
}

/** Whom to ask about the document; HttpApi has no annotation for it. */
const withContact = (document: DocumentFields): DocumentFields =>
  ({ ...document, info: { ...within(document, "info"), contact: { name: "The maintainers of Sextant" } } })

/** The document that `HttpApi` writes, changed in these ways; anything else is returned as it is. */
export const readableDocument = (document: Record<string, unknown>): Record<string, unknown> => {
  // HttpApi has just built it of JSON alone.
  const readableSchemas = everywhere(document as DocumentFields, readable)
  return isFields(readableSchemas)
    ? withContact(
      withPlainSchemes(withOperations(withProblems(withPlainNames(withOptionalDefaults(readableSchemas)))))
    )
    : document
}
