/* Changes HttpApi's OpenAPI document for readers and generators, without naming any operation. */

type Json = null | boolean | number | string | ReadonlyArray<Json> | DocumentFields
type DocumentFields = { readonly [name: string]: Json }

const isFields = (value: Json | undefined): value is DocumentFields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const changed = (fields: DocumentFields, change: (value: Json, name: string) => Json): DocumentFields =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, change(value, name)]))

const within = (fields: DocumentFields, name: string): DocumentFields => {
  const value = fields[name]
  return isFields(value) ? value : {}
}

/** Applies `change` to every object in a document, the innermost first. */
const everywhere = (value: Json, change: (fields: DocumentFields) => Json): Json => {
  if (Array.isArray(value)) return value.map((each: Json) => everywhere(each, change))
  return isFields(value) ? change(changed(value, (each) => everywhere(each, change))) : value
}

const notes: ReadonlySet<string> = new Set(["title", "description", "default", "examples", "deprecated"])
const isNote = (value: Json): value is DocumentFields =>
  isFields(value) && Object.keys(value).every((key) => notes.has(key))

/** Joins a field's description and the description of its type, in this order. */
const joined = (field: Json | undefined, kind: Json | undefined): DocumentFields => {
  const texts = [field, kind].filter((text) => typeof text === "string")
  return texts.length === 0 ? {} : { description: texts.join(" ") }
}

/**
 * Joins a field's schema with its annotations, which HttpApi writes as a second schema in `allOf`. A `$ref`
 * stays in `allOf`, because several generators ignore what is beside a `$ref`.
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

/** Removes the bounds of safe integers and the ban on unknown fields from a schema. */
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
 * Moves a field's default into its description and into `allOf`, because generators treat a field with the
 * keyword `default` as always present, although requests may omit the field.
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

const withComponents = (
  document: DocumentFields,
  kind: "schemas" | "securitySchemes",
  change: (component: DocumentFields) => DocumentFields
): DocumentFields => {
  const components = within(document, "components")
  const own = changed(within(components, kind), (each) => isFields(each) ? change(each) : each)
  return { ...document, components: { ...components, [kind]: own } }
}

const withOptionalDefaults = (document: DocumentFields): DocumentFields =>
  withComponents(document, "schemas", (schema) =>
    isFields(schema["properties"])
      ? { ...schema, properties: changed(schema["properties"], withOptionalDefault) }
      : schema)

const reference = "#/components/schemas/"

/** Returns a component's name without the suffixes that HttpApi adds for encoded forms and second copies. */
const plainName = (name: string): string => name.replace(/(_\d+)$/, "").replace(/Encoded$/, "")

/** Returns the new name of each component: its plain name, unless a different schema has that name. */
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

/** The members of a problem by RFC 9457. */
const problemMembers: DocumentFields = {
  type: "Kind of the problem; `about:blank` adds nothing to the status.",
  title: "The kind of problem, in a few words.",
  status: "The status of the answer.",
  detail: "The fault of this request, for people.",
  instance: "This occurrence of the problem."
}

/** The service sends every member except `instance`. */
const describedProblem = (schema: DocumentFields): DocumentFields => ({
  ...schema,
  ...(schema["description"] === undefined ? { description: "A problem in the format of RFC 9457." } : {}),
  properties: changed(within(schema, "properties"), (member, name) =>
    isFields(member)
      ? { ...member, ...joined(problemMembers[name], member["description"]),
        ...(name === "status" ? { type: "integer" } : {}) }
      : member),
  required: ["type", "title", "status", "detail"]
})

const isProblem = (schema: DocumentFields): boolean =>
  ["type", "title", "status", "detail"].every((name) => name in within(schema, "properties"))

const withProblems = (document: DocumentFields): DocumentFields =>
  withComponents(document, "schemas", (schema) => isProblem(schema) ? describedProblem(schema) : schema)

const headersByStatus: Readonly<Record<string, DocumentFields>> = {
  401: { "WWW-Authenticate": { description: "`Bearer`.", schema: { type: "string" } } },
  429: { "Retry-After": { description: "Seconds to wait.", schema: { type: "integer" } } },
  503: { "Retry-After": { description: "Seconds to wait.", schema: { type: "integer" } } }
}

/** Describes an answer that the HTTP listener sends before it knows the operation. */
const listenerProblem = (name: string, description: string): Json => ({
  description,
  content: { "application/problem+json": { schema: { $ref: `${reference}${name}` } } }
})
const listenerAnswers: DocumentFields = {
  408: listenerProblem("RequestTimeout", "Request timeout"),
  417: listenerProblem("ExpectationFailed", "Expectation failed"),
  431: listenerProblem("HeadersTooLarge", "Request header fields too large")
}

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

/** Writes authentication schemes in lower case, as their registry does, because tools compare them. */
const withPlainSchemes = (document: DocumentFields): DocumentFields =>
  withComponents(document, "securitySchemes", (each) =>
    typeof each["scheme"] === "string" ? { ...each, scheme: each["scheme"].toLowerCase() } : each)

const withContact = (document: DocumentFields): DocumentFields =>
  ({ ...document, info: { ...within(document, "info"), contact: { name: "The maintainers of Sextant" } } })

export const readableDocument = (document: Record<string, unknown>): Record<string, unknown> => {
  // The cast is safe, because HttpApi has just built the document from JSON values.
  const readableSchemas = everywhere(document as DocumentFields, readable)
  return isFields(readableSchemas)
    ? [withOptionalDefaults, withPlainNames, withProblems, withOperations, withPlainSchemes, withContact]
      .reduce((changed, change) => change(changed), readableSchemas)
    : document
}
