/* A fast encoder of answers, generated from their schemas. */
import { Schema } from "effect"
import { snakeCase } from "./Wire.ts"

type EncodedPart = Schema.Constraint & {
  readonly EncodingServices: never
  readonly fields?: unknown
  readonly to?: EncodedPart & { readonly fields?: PartFields }
  readonly members?: ReadonlyArray<EncodedPart>
  readonly key?: EncodedPart
  readonly value?: EncodedPart
  readonly schema?: EncodedPart
}
type PartFields = Readonly<Record<string, EncodedPart>>

/** The generated code has one function for each struct. `leaves` are Effect's encoders of single values. */
interface Source {
  readonly numbers: Map<PartFields, number>
  readonly functions: Array<string>
  readonly leaves: Array<(value: unknown) => unknown>
}

const encodeFields = (source: Source, fields: PartFields): string => {
  const known = source.numbers.get(fields)
  if (known !== undefined) return `struct${known}`
  const name = `struct${source.numbers.size}`
  source.numbers.set(fields, source.numbers.size)
  const members = Object.entries(fields).map(([key, part]) => {
    const own = `value[${JSON.stringify(key)}]`
    const encoded = encodeOf(source, part, own)
    // JSON leaves out an optional key whose value is undefined.
    const isOptional = part.ast.context?.isOptional === true && encoded !== own
    const held = isOptional ? `${own} === undefined ? undefined : ${encoded}` : encoded
    return `${JSON.stringify(snakeCase(key))}: ${held}`
  })
  source.functions.push(`const ${name} = (value) => ({ ${members.join(", ")} })`)
  return name
}

/** An expression for the wire form of the expression `value`; `value` if both forms are the same. */
const encodeOf = (source: Source, part: EncodedPart, value: string): string => {
  const { ast, fields, key, members = [], schema, to, value: element } = part
  if (schema !== undefined && ast.context?.isOptional === true) return encodeOf(source, schema, value)
  if (to?.fields !== undefined) return `${encodeFields(source, to.fields)}(${value})`
  const [own = value, ...others] = members.map((member) => encodeOf(source, member, value))
    .filter((encoded) => encoded !== value)
  if (others.length === 0 && members.length > 0) {
    return own === value ? value : `(${value} === null ? null : ${own})`
  }
  const each = element === undefined ? "each" : encodeOf(source, element, "each")
  if (element !== undefined && key === undefined) {
    return each === "each" ? value : `${value}.map((each) => ${each})`
  }
  const isSame = ast.encoding === undefined && fields === undefined && members.length === 0
    && each === "each"
  return isSame ? value : `leaves[${source.leaves.push(Schema.encodeUnknownSync(part)) - 1}](${value})`
}

/**
 * Generates the wire encoder, which does not validate and so is faster than Effect's own encoder. The
 * generated code contains names of the schema's fields, and no text of callers.
 */
export const wireEncoder = <S extends EncodedPart>(
  schema: S
): (value: S["Type"]) => S["Encoded"] => {
  const source: Source = { numbers: new Map(), functions: [], leaves: [] }
  const encoded = encodeOf(source, schema, "value")
  const text = [...source.functions, `return (value) => ${encoded}`].join("\n")
  return new Function("leaves", text)(source.leaves) as (value: S["Type"]) => S["Encoded"]
}
