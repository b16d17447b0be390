/*
 * The input schemas of the tools of `sextant-client mcp`, `packages/client/src/command/mcp/ToolSchemas.ts`: which fields
 * of a request a tool takes is said here, and what a field is the document says.
 */
import { ownComponents, ownDocument, referred } from "./schemas.ts"

/** A schema of the document. */
type Json = Readonly<Record<string, unknown>>

// A host puts all of this into the context of its model, so a tool takes only what an agent can know.
const taskFields = ["task", "task_type", "difficulty", "tags"]
const constraintFields = [
  "candidate_models", "excluded_models", "allowed_providers", "max_cost_per_call", "min_quality", "max_latency_ms",
  "require_context_window"
]
const requestFields = ["cost_quality_tradeoff", "namespace", "incumbent_model_id", "baseline_model_id"]
const reportFields = [
  "recommendation_id", "outcome", "chosen_model_id", "quality_score", "evidence_source", "error_cause", "input_tokens",
  "cached_input_tokens", "output_tokens", "actual_cost_usd", "latency_ms", "iterations", "notes"
]
const attemptFields = ["recommendation_id", "evidence_source"]
const limitFields = ["success_value_usd", "max_attempts", "max_total_cost_usd"]

/** Bounds that no caller meets by chance: the service checks them, and its refusal names the field. */
const leftOut = new Set(["default", "minLength", "maxLength", "maxItems"])
const isPlain = ([name, value]: readonly [string, unknown]): boolean =>
  !leftOut.has(name) && !(name === "maximum" && typeof value === "number" && value > 1_000)

/** A field's description, or that of its words where it says what each of them means. */
const described = (own: Json, { description: words = "" }: Json): Json => {
  const description = String(words).includes("`") ? words : own["description"] ?? words
  return description === "" ? {} : { description }
}

/** A schema without references and without null: a tool's caller leaves a field out. */
const plain = (schema: Json): Json => {
  const { $ref, allOf, anyOf, properties, items, ...given } = schema
  const own = Object.fromEntries(Object.entries(given).filter(isPlain))
  if (typeof $ref === "string") {
    const target = component(referred($ref))
    return { ...target, ...own, ...described(own, target) }
  }
  const parts = (list: unknown): ReadonlyArray<Json> => (list as ReadonlyArray<Json> | undefined ?? [])
    .map(plain).filter(({ type }) => type !== "null")
  const [only = {}, ...others] = parts(anyOf)
  if (others.length > 0) throw new Error(`A tool takes no choice of schemas: ${JSON.stringify(schema)}`)
  const merged: Json = Object.assign({}, only, ...parts(allOf))
  return {
    ...merged,
    ...own,
    ...described(own, merged),
    ...(items === undefined ? {} : { items: plain(items as Json) }),
    ...(properties === undefined ? {} : {
      properties: Object.fromEntries(Object.entries(properties as Readonly<Record<string, Json>>)
        .map(([name, field]) => [name, plain(field)]))
    })
  }
}

/** A component of the document, as {@link plain} has it. */
const component = (name: string): Json => plain({ ...ownComponents[name] })

/** Fields of a schema of the document; a name that it lacks fails. */
const fieldsOf = (name: string, fields: ReadonlyArray<string>): Json => {
  const properties = component(name)["properties"] as Readonly<Record<string, Json>>
  return Object.fromEntries(fields.map((field) => {
    const found = properties[field]
    if (found === undefined) throw new Error(`${name} has no field ${field}`)
    return [field, found]
  }))
}

/** Parameters of the query of a report. */
const queryOf = (path: string): Json => {
  const parameters = ownDocument.paths[path]?.["get"]?.parameters
  if (parameters === undefined) throw new Error(`The document has no GET ${path}`)
  return Object.fromEntries(parameters.map(({ description, name, schema }) =>
    [name, { ...plain({ ...schema }), ...(description === undefined ? {} : { description }) }]))
}

const objectOf = (properties: Json, required: ReadonlyArray<string>): Json =>
  ({ type: "object", properties, required, additionalProperties: false })

const printed = (value: unknown): string => JSON.stringify(value, null, 2)

/** The text of the file. */
export const toolSchemas = (): string => {
  const inputs = {
    recommend_model: objectOf({
      ...fieldsOf("TaskInput", taskFields),
      ...fieldsOf("Constraints", constraintFields),
      ...fieldsOf("RecommendRequest", requestFields)
    }, ["task"]),
    report_outcome: objectOf(
      fieldsOf("FeedbackRequest", reportFields), ["recommendation_id", "outcome"]
    ),
    next_attempt: objectOf({
      ...fieldsOf("FeedbackRequest", attemptFields),
      ...fieldsOf("RecommendRequest", limitFields)
    }, ["recommendation_id"]),
    explain: objectOf(fieldsOf("FeedbackRequest", ["recommendation_id"]), ["recommendation_id"]),
    savings: objectOf(queryOf("/v1/savings"), []),
    diagnose: objectOf(
      fieldsOf("DiagnoseRequest", ["error_text", "error_type", "limit", "namespace"]), ["error_text"]
    )
  }
  return `/* The input schemas of the tools, from the API. Written by \`npm run generate\`; never edited. */

/** A JSON schema of an object. */
export interface InputSchema {
  readonly type: "object"
  readonly properties: Readonly<Record<string, unknown>>
  readonly required: ReadonlyArray<string>
  readonly additionalProperties: false
}

/** Arguments of \`recommend_model\` that are fields of the request's \`task\`. */
export const taskFields: ReadonlyArray<string> = ${printed(taskFields)}

/** Arguments of \`recommend_model\` that are fields of the request's \`constraints\`. */
export const constraintFields: ReadonlyArray<string> = ${printed(constraintFields)}

export type ToolName = ${Object.keys(inputs).map((name) => JSON.stringify(name)).join(" | ")}

/** By name of the tool. */
export const inputSchemas: Readonly<Record<ToolName, InputSchema>> = ${printed(inputs)}
`
}
