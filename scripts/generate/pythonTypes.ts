/* The types of the Python client, `clients/python/sextant_client/wire.py`. The same document gives the same bytes. */
import { clientSchemas, type Components, type JsonSchema, referred, wrapped } from "./schemas.ts"

const simple: Readonly<Record<string, string>> = {
  string: "str", number: "float", integer: "int", boolean: "bool", null: "None"
}

const columnsMax = 100

/** A closed set of words; on several lines where one is too short for it. */
const literal = (words: ReadonlyArray<string>): string => {
  const quoted = words.map((word) => JSON.stringify(word))
  const line = `Literal[${quoted.join(", ")}]`
  if (line.length < columnsMax - 20) return line
  return ["Literal[", ...quoted.map((word) => `    ${word},`), "]"].join("\n")
}

/** A union as Python writes it; a set of words beside any text is any text. */
const unionOf = (types: ReadonlyArray<string>): string => {
  const isText = (type: string): boolean => type === "str" || type.startsWith("Literal")
  const kept = [...new Set(types.includes("str") ? types.map((type) => isText(type) ? "str" : type) : types)]
  const others = kept.filter((type) => type !== "None")
  const inner = others.length === 1 ? others.join("") : `Union[${others.join(", ")}]`
  return kept.includes("None") ? `Optional[${inner}]` : inner
}

const typeOf = (schema: JsonSchema): string => {
  if (schema.$ref !== undefined) return referred(schema.$ref)
  if (schema.enum !== undefined) return literal(schema.enum)
  if (schema.anyOf !== undefined) return unionOf(schema.anyOf.map(typeOf))
  if (schema.allOf?.length === 1) return schema.allOf.map(typeOf).join("")
  if (schema.type === "array" && schema.items !== undefined) return `List[${typeOf(schema.items)}]`
  if (schema.type === "object" && typeof schema.additionalProperties === "object") {
    return `Dict[str, ${typeOf(schema.additionalProperties)}]`
  }
  const type = simple[schema.type ?? ""]
  if (type === undefined) throw new Error(`No type of Python for ${JSON.stringify(schema)}`)
  return type
}

/** Text as comment lines behind an indent. */
const commentOf = (indent: string, text: string): ReadonlyArray<string> =>
  wrapped(text, columnsMax - indent.length - 2).map((line) => `${indent}# ${line}`)

/** The fields of a class, each below its description. */
const fieldsOf = (properties: ReadonlyArray<readonly [string, JsonSchema]>): ReadonlyArray<string> =>
  properties.flatMap(([name, schema]) =>
    [...commentOf("    ", schema.description ?? ""), `    ${name}: ${typeOf(schema)}`])

/** An object's class, or two: in Python 3.9 the fields of a class may be missing all or none. */
const classesOf = (name: string, { description = "", properties = {}, required = [] }: JsonSchema) => {
  const fields = Object.entries(properties)
  const always = fields.filter(([field]) => required.includes(field))
  const maybe = fields.filter(([field]) => !required.includes(field))
  const head = (title: string) => [title, `    """${description}"""`, ""]
  if (maybe.length === 0) return [...head(`class ${name}(TypedDict):`), ...fieldsOf(always)]
  if (always.length === 0) return [...head(`class ${name}(TypedDict, total=False):`), ...fieldsOf(maybe)]
  return [
    `class _${name}Required(TypedDict):`, ...fieldsOf(always), "", "",
    ...head(`class ${name}(_${name}Required, total=False):`), ...fieldsOf(maybe)
  ]
}

const declarationOf = (name: string, schema: JsonSchema): string =>
  (schema.properties === undefined
    ? [...commentOf("", schema.description ?? ""), `${name} = ${typeOf(schema)}`]
    : classesOf(name, schema)).join("\n")

/** The module `wire.py` for the components of a document. */
export const pythonTypesOf = (components: Components): string => {
  // A name is declared before it is used: Python reads the fields of a class when it makes the class.
  const declared = clientSchemas(components, "after")
  const body = declared.map(([name, schema]) => declarationOf(name, schema))
  const typing = ["Dict", "List", "Literal", "Optional", "TypedDict", "Union"]
    .filter((word) => body.some((text) => new RegExp(`\\b${word}[\\[,)]`).test(text)))
  return [
    `"""Types of what the API reads and answers.\n\nGenerated from the OpenAPI document by `
    + `\`npm run generate\`; not to be edited by hand.\n"""`,
    `from typing import ${typing.join(", ")}`,
    `__all__ = [\n${declared.map(([name]) => name).sort().map((name) => `    "${name}",`).join("\n")}\n]`,
    ...body.map((text) => `\n${text}`)
  ].join("\n\n").concat("\n")
}
