/* A fast encoder of answers to their wire form, generated from their schemas. */
import { Schema } from "effect"
import { snakeCase } from "./Wire.ts"

/** The schemas that answers are made of: they need nothing to be encoded. */
type EncodedPart = Schema.Constraint & {
  readonly EncodingServices: never
  readonly fields?: unknown
  readonly to?: EncodedPart & { readonly fields?: PartFields }
  readonly members?: ReadonlyArray<EncodedPart>
  readonly key?: EncodedPart
  readonly value?: EncodedPart
  /** Of an optional key: the schema of its value. */
  readonly schema?: EncodedPart
}
type PartFields = Readonly<Record<string, EncodedPart>>

/**
 * The functions of a schema's structs, as source: the function of each is `struct` and its number. `leaves`
 * encode what has another form of its own.
 */
interface Source {
  readonly numbers: Map<PartFields, number>
  readonly functions: Array<string>
  readonly leaves: Array<(value: unknown) => unknown>
}

/** The name of the function that encodes a struct, whose source is added unless it is there. */
const encodeFields = (source: Source, fields: PartFields): string => {
  const known = source.numbers.get(fields)
  if (known !== undefined) return `struct${known}`
  const name = `struct${source.numbers.size}`
  source.numbers.set(fields, source.numbers.size)
  const members = Object.entries(fields).map(([key, part]) => {
    const own = `value[${JSON.stringify(key)}]`
    const encoded = encodeOf(source, part, own)
    // An optional key may hold nothing to encode; JSON leaves it out.
    const isOptional = part.ast.context?.isOptional === true && encoded !== own
    const held = isOptional ? `${own} === undefined ? undefined : ${encoded}` : encoded
    return `${JSON.stringify(snakeCase(key))}: ${held}`
  })
  source.functions.push(`const ${name} = (value) => ({ ${members.join(", ")} })`)
  return name
}

/**
 * An expression of the wire form of `value`, which is an expression itself; it is `value` where the form is
 * the same in code and on the wire.
 */
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
 * The wire encoder of `schema`. Of structs made by `wire`, arrays and nulls it renames the fields and does
 * not validate: Effect's own encoder checks every value again and takes ten times as long. What has a form of
 * its own, such as a rounded number, is encoded by its schema. It is generated source, of the names of the
 * schema's fields and of nothing else: an object literal for each struct takes a quarter of the time of a
 * loop over its fields.
 */
export const wireEncoder = <S extends EncodedPart>(
  schema: S
): (value: S["Type"]) => S["Encoded"] => {
  const source: Source = { numbers: new Map(), functions: [], leaves: [] }
  const encoded = encodeOf(source, schema, "value")
  const text = [...source.functions, `return (value) => ${encoded}`].join("\n")
  return new Function("leaves", text)(source.leaves) as (value: S["Type"]) => S["Encoded"]
}
