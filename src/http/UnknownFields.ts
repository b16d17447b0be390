/* Finds the fields of a request's body that its schema does not have: decoding drops them in silence. */
import { type Schema, SchemaAST } from "effect"
import type { HttpServerRequest } from "effect/http"
import { quoted } from "../domain/text/Text.ts"
import { byConsequence } from "../domain/Warning.ts"
import { snakeCase } from "../domain/Wire.ts"
import { sentText } from "./Body.ts"

/** What a schema says of a value: the names of its fields in wire spelling, or what its elements are. */
interface Shape {
  /** Null for a value that is no object, or one with any names. */
  readonly fields: ReadonlyMap<string, Shape> | null
  readonly element: Shape | null
}

const anything: Shape = { fields: null, element: null }

const shapeOf = (ast: SchemaAST.AST): Shape => {
  if (SchemaAST.isUnion(ast)) {
    const shapes = ast.types.map(shapeOf)
    return shapes.find(({ element, fields }) => element !== null || fields !== null) ?? anything
  }
  if (SchemaAST.isArrays(ast)) {
    const [element] = ast.rest
    return element === undefined ? anything : { fields: null, element: shapeOf(element) }
  }
  if (!SchemaAST.isObjects(ast) || ast.indexSignatures.length > 0) return anything
  const fields = new Map(ast.propertySignatures.map(({ name, type }) =>
    [snakeCase(String(name)), shapeOf(type)] as const))
  return { fields, element: null }
}

/** Unknown fields that one answer names, count. */
const pathsMax = 5

/** Longest name of a field in a path, characters. */
const nameMax = 64

/** A caller's name of a field as it may be shown. */
const shownName = (name: string): string =>
  name.length <= nameMax && /^[\w-]+$/.test(name) ? name : quoted(name, nameMax)

/** Adds the paths of unknown fields, at most {@link pathsMax} in all, in the order of the body. */
const collect = (
  value: unknown,
  { element, fields }: Shape,
  parents: string,
  paths: Array<string>
): void => {
  if (typeof value !== "object" || value === null || paths.length >= pathsMax) return
  if (Array.isArray(value)) {
    if (element === null) return
    for (let i = 0; i < value.length && paths.length < pathsMax; i++) {
      collect(value[i], element, `${parents}${i}.`, paths)
    }
    return
  }
  if (fields === null) return
  for (const name in value) {
    if (paths.length >= pathsMax) return
    const shape = fields.get(name)
    if (shape === undefined) paths.push(parents + shownName(name))
    else collect((value as Readonly<Record<string, unknown>>)[name], shape, `${parents}${name}.`, paths)
  }
}

/**
 * The paths of the first fields of a body that the schema does not have: `constraints.candidate_model`. The
 * names come from the schema itself, as `wire` spells them. The body is parsed again here, because only what
 * the schema has is left of it after decoding.
 */
export const unknownFieldsOf = (schema: Schema.Constraint): (body: unknown) => ReadonlyArray<string> => {
  const shape = shapeOf(SchemaAST.toType(schema.ast))
  return (body) => {
    const paths: Array<string> = []
    collect(body, shape, "", paths)
    return paths
  }
}

/** An answer that may warn. */
type Warned = { readonly warnings?: ReadonlyArray<string> }

/** Adds what is to be said of a request's body to the answer. */
export type WithWarnings = <A extends Warned>(answer: A) => A

/**
 * Adds `unknown_field:<path>` to an answer for each field of the body that the schema does not have, at most
 * five.
 */
export const notesOn = (schema: Schema.Constraint): (body: unknown) => WithWarnings => {
  const unknownFields = unknownFieldsOf(schema)
  return (body) => (answer) => {
    const paths = unknownFields(body)
    return paths.length === 0 ? answer : {
      ...answer,
      warnings: byConsequence([...paths.map((path) => `unknown_field:${path}`), ...answer.warnings ?? []])
    }
  }
}

/** {@link notesOn} the body that was read of a request, which is parsed again. */
export const withUnknownFields = (schema: Schema.Constraint) => {
  const notes = notesOn(schema)
  return <A extends Warned>(answer: A, request: HttpServerRequest.HttpServerRequest): A => {
    const text = sentText(request)
    return text === undefined ? answer : notes(JSON.parse(text))(answer)
  }
}
