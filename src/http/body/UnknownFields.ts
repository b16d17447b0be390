/* Finds unknown fields of bodies and queries, which decoding would drop silently. */
import { Effect, type Schema, SchemaAST } from "effect"
import type { HttpServerRequest } from "effect/http"
import type { HttpApiEndpoint } from "effect/http-api"
import { InvalidRequest } from "../../api/Problems.ts"
import { quoted } from "../../domain/text/Text.ts"
import { byConsequence } from "../../domain/Warning.ts"
import { snakeCase } from "../../domain/wire/Wire.ts"
import { findMisspelt, nearest } from "./ClosestName.ts"

interface Shape {
  /** The fields of an object; null for other values, and for an object that may have any names. */
  readonly fields: ReadonlyMap<string, Shape> | null
  readonly element: Shape | null
  /** Noun for an unknown field in its refusal; null if only misspelt fields are refused. */
  readonly strictAbout: string | null
  /** Returns the known field that a name misspells; undefined if none, or if names are not compared. */
  readonly misspelt: (name: string) => string | undefined
}

const none = () => undefined
const anything: Shape = { fields: null, element: null, strictAbout: null, misspelt: none }

const shapeOf = (ast: SchemaAST.AST, isRequest = false): Shape => {
  if (SchemaAST.isUnion(ast)) {
    const shapes = ast.types.map((type) => shapeOf(type))
    return shapes.find(({ element, fields }) => element !== null || fields !== null) ?? anything
  }
  if (SchemaAST.isArrays(ast)) {
    const [element] = ast.rest
    return element === undefined ? anything : { ...anything, element: shapeOf(element) }
  }
  if (!SchemaAST.isObjects(ast) || ast.indexSignatures.length > 0) return anything
  const fields = new Map(ast.propertySignatures.map(({ name, type }) =>
    [snakeCase(String(name)), shapeOf(type)] as const))
  const strictAbout = ast.annotations?.["strictAbout"]
  return {
    ...anything, fields, strictAbout: typeof strictAbout === "string" ? strictAbout : null,
    misspelt: isRequest || fields.has("constraints") ? findMisspelt([...fields.keys()]) : none
  }
}

/** Maximum number of unknown fields of each kind that one answer names. */
const namedMax = 5

/** Maximum length of a field's name in a path, characters. */
const nameMax = 64

const shownName = (name: string): string =>
  name.length <= nameMax && /^[\w-]+$/.test(name) ? name : quoted(name, nameMax)

export interface UnknownFields {
  /** Paths of the first ignored fields, such as `task.tag`. */
  readonly ignored: Array<string>
  /** Problems of the first refused fields, and `and more` if there are further ones. */
  readonly refused: Array<string>
}

const refusalOf = (
  path: string,
  meant: string | undefined,
  known: ReadonlyArray<string>,
  noun: string
): string => {
  const advice = meant === undefined ? `expected one of ${known.join(", ")}` : `did you mean ${meant}?`
  return `${path}: Unknown ${noun}, ${advice}`
}

const collect = (
  value: unknown,
  { element, fields, misspelt, strictAbout }: Shape,
  parents: string,
  found: UnknownFields
): void => {
  if (typeof value !== "object" || value === null) return
  if (Array.isArray(value)) {
    if (element === null) return
    for (let i = 0; i < value.length; i++) collect(value[i], element, `${parents}${i}.`, found)
    return
  }
  if (fields === null) return
  for (const name in value) {
    const shape = fields.get(name)
    if (shape !== undefined) {
      collect((value as Readonly<Record<string, unknown>>)[name], shape, `${parents}${name}.`, found)
      continue
    }
    const meant = misspelt(name)
    const path = parents + shownName(name)
    if (strictAbout === null && meant === undefined) {
      if (found.ignored.length < namedMax) found.ignored.push(path)
    } else if (found.refused.length < namedMax) {
      const known = [...fields.keys()]
      const nearby = meant ?? nearest(name.slice(0, nameMax), known)
      found.refused.push(refusalOf(path, nearby, known, strictAbout ?? "field"))
    } else if (found.refused.length === namedMax) {
      found.refused.push("and more")
    }
  }
}

/** Finds the first fields of the body as sent that the schema does not have. */
export const unknownFieldsOf = (schema: Schema.Constraint): (body: unknown) => UnknownFields => {
  const shape = shapeOf(SchemaAST.toType(schema.ast), true)
  return (body) => {
    const found: UnknownFields = { ignored: [], refused: [] }
    collect(body, shape, "", found)
    return found
  }
}

export type Warned = { readonly warnings?: ReadonlyArray<string> }

export type WithWarnings = <A extends Warned>(answer: A) => A

const asItIs: WithWarnings = (answer) => answer

const withWarningsOf = (paths: ReadonlyArray<string>): WithWarnings => (answer) => ({
  ...answer,
  warnings: byConsequence([...paths.map((path) => `unknown_field:${path}`), ...answer.warnings ?? []])
})

/**
 * Refuses a body with an unknown field if the schema is strict or the field is misspelt. An unknown field
 * that is not refused adds a warning `unknown_field:<path>` to the answer. If the answer's schema has no
 * `warnings`, all unknown fields of the body are ignored.
 */
export const unknownFieldWarnings = (schema: Schema.Constraint, answer: Schema.Constraint) => {
  const unknownFields = unknownFieldsOf(schema)
  const isWarning = shapeOf(SchemaAST.toType(answer.ast)).fields?.has("warnings") === true
  if (!isWarning) return () => Effect.succeed(asItIs)
  return (body: unknown): Effect.Effect<WithWarnings, InvalidRequest> => {
    const { ignored, refused } = unknownFields(body)
    if (refused.length > 0) return Effect.fail(new InvalidRequest({ detail: refused.join("; ") }))
    return Effect.succeed(ignored.length === 0 ? asItIs : withWarningsOf(ignored))
  }
}

/** Refuses an unknown query parameter, because an answer that ignores it could cover another time span. */
export const refuseUnknownParameters = ({ endpoint, request }: {
  readonly endpoint: HttpApiEndpoint.Top
  readonly request: HttpServerRequest.HttpServerRequest
}): Effect.Effect<void, InvalidRequest> => {
  const shape = endpoint.query === undefined ? anything : shapeOf(SchemaAST.toType(endpoint.query.ast))
  const found: UnknownFields = { ignored: [], refused: [] }
  const sent = Object.fromEntries(new URL(request.url, "http://localhost").searchParams)
  collect(sent, { ...shape, strictAbout: "query parameter" }, "", found)
  return found.refused.length === 0
    ? Effect.void
    : Effect.fail(new InvalidRequest({ detail: found.refused.join("; ") }))
}
