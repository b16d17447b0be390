/* The client's types of requests and answers, `packages/client/src/Wire.ts`. */
import { clientSchemas, type Components, type JsonSchema, referred, wrapped } from "./schemas.ts"

const comment = (text: string | undefined, indent: string): string => {
  if (text === undefined) return ""
  const lines = wrapped(text.replaceAll("*/", "* /"), 99)
  const [only, ...more] = lines
  return more.length === 0
    ? `${indent}/** ${only} */\n`
    : `${indent}/**\n${lines.map((line) => `${indent} * ${line}\n`).join("")}${indent} */\n`
}

const nullLast = (a: string, b: string): number => Number(a === "null") - Number(b === "null")

/** Types side by side; on lines of their own where they are too long for one. */
const union = (types: ReadonlyArray<string>, indent: string): string => {
  const line = types.join(" | ")
  return line.length < 70 ? line : types.map((type) => `\n${indent}  | ${type}`).join("")
}

/** The type of a schema; an object's fields begin behind `indent`. */
const typeOf = (schema: JsonSchema, indent = ""): string => {
  if (schema.$ref !== undefined) return referred(schema.$ref)
  const [only, ...others] = schema.allOf ?? []
  if (only !== undefined && others.length === 0 && schema.type === undefined) return typeOf(only, indent)
  if (schema.enum !== undefined) return union(schema.enum.map((word) => JSON.stringify(word)), indent)
  if (schema.anyOf !== undefined) {
    const types = [...new Set(schema.anyOf.flatMap((part) => part.enum?.map((word) => JSON.stringify(word))
      ?? [typeOf(part, indent)]))]
    const isOpen = types.some((type) => type.startsWith("\""))
    // Beside known words, an open text is spelled so that an editor still offers the words.
    return union(types.map((type) => type === "string" && isOpen ? "(string & {})" : type).sort(nullLast), indent)
  }
  switch (schema.type) {
    case "string":
      return "string"
    case "integer":
    case "number":
      return "number"
    case "boolean":
      return "boolean"
    case "null":
      return "null"
    case "array": {
      const items = typeOf(schema.items ?? {}, indent)
      return `ReadonlyArray<${items}>`
    }
    case "object":
      if (schema.properties === undefined) {
        const values = typeof schema.additionalProperties === "object" ? typeOf(schema.additionalProperties) : "unknown"
        return `Readonly<Record<string, ${values}>>`
      }
      return fieldsOf(schema, indent)
  }
  throw new Error(`No type for ${JSON.stringify(schema)}`)
}

const fieldsOf = ({ properties = {}, required = [] }: JsonSchema, indent: string): string => {
  const fields = Object.entries(properties).map(([name, field]) =>
    `${comment(field.description, `${indent}  `)}${indent}  readonly ${name}${required.includes(name) ? "" : "?"}: ${
      typeOf(field, `${indent}  `)
    }${required.includes(name) ? "" : " | undefined"}\n`)
  return `{\n${fields.join("")}${indent}}`
}

/** The text of the file, for the components of a document. */
export const clientTypesOf = (components: Components): string => {
  const types = clientSchemas(components, "before").map(([name, schema]) => {
    const type = typeOf(schema)
    return comment(schema.description, "")
      + (schema.properties === undefined ? `export type ${name} = ${type}\n` : `export interface ${name} ${type}\n`)
  })
  return "/* Requests and answers as they are on the wire. Written by `npm run generate`; never edited. */\n\n"
    + types.join("\n")
}
