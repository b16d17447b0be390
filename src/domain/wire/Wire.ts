/* Schemas of structs that are camelCase in code and snake_case on the wire. */
import { Effect, Schema, SchemaTransformation, Struct } from "effect"

type SnakeCase<S extends string> = S extends `${infer Head}${infer Tail}`
  ? Head extends Lowercase<Head> ? `${Head}${SnakeCase<Tail>}` : `_${Lowercase<Head>}${SnakeCase<Tail>}`
  : S

type SnakeKeys<Fields> = { readonly [Key in keyof Fields]: SnakeCase<Key & string> }

/** A field's name on the wire. */
export const snakeCase = (key: string): string =>
  key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** A struct's name in the OpenAPI document, and what it is. */
type StructDocument = {
  readonly identifier: string
  readonly description: string
  /** What its fields are called, where a request with an unknown one is refused rather than answered. */
  readonly strictAbout?: string
}

/** The values of a struct by name. */
type Values = Readonly<Record<PropertyKey, unknown>>

/** A field as it is sent, with what the document says of it. */
const sentField = (field: Schema.Constraint): Schema.Constraint => {
  const sent = Schema.toEncoded(field)
  const annotations = field.ast.context?.annotations
  return annotations === undefined ? sent : Schema.annotateKey<typeof sent>(annotations)(sent)
}

/**
 * A struct spelled camelCase in code and snake_case on the wire. Every one that a caller sends or gets has a
 * name, which is its component in the OpenAPI document.
 */
export const wire = <const Fields extends Schema.Struct.Fields>(fields: Fields, named?: StructDocument) => {
  const keys = Object.keys(fields)
  const toWire = Object.fromEntries(keys.map((key) => [key, snakeCase(key)]))
  const toCode = Object.fromEntries(keys.map((key) => [snakeCase(key), key]))
  const sent = Schema.Struct(
    Object.fromEntries(keys.map((key) => [snakeCase(key), sentField(fields[key]!)]))
  )
  const own = Schema.Struct<Schema.Struct.Fields>(fields)
  const schema = (named === undefined ? sent : sent.annotate(named)).pipe(Schema.decodeTo(
    named === undefined ? own : own.annotate(named),
    SchemaTransformation.transform<Values, Values>({
      decode: Struct.renameKeys(toCode),
      encode: Struct.renameKeys(toWire)
    })
  ))
  // The type of `Schema.encodeKeys`, which drops what the document says of the fields.
  return schema as unknown as Schema.encodeKeys<Schema.Struct<Fields>, SnakeKeys<Fields>>
}

/** A field of which the OpenAPI document says that it reads as `value`, in wire form, when it is left out. */
const withDefault = (value: unknown) => <S extends Schema.Constraint>(schema: S): S =>
  // Annotations do not change the type, and the document alone reads this one.
  Schema.annotateKey<Schema.Top>({ default: value })(schema as unknown as Schema.Top) as unknown as S

/** A field and what the OpenAPI document says of it. */
export const described = <S extends Schema.Top>(schema: S, description: string): S["Rebuild"] =>
  Schema.annotateKey<S>({ description })(schema)

/** A field that may be left out on the wire and in code; both then read `value` (given in wire form). */
export const defaulted = <S extends Schema.Constraint & Schema.WithoutConstructorDefault>(
  schema: S,
  value: S["Encoded"] & S["~type.make.in"]
) =>
  Schema.withConstructorDefault<S>(Effect.succeed(value))(schema).pipe(
    Schema.withDecodingDefaultKey<Schema.withConstructorDefault<S>>(Effect.succeed(value)),
    withDefault(value)
  )

/** A field that may be null or left out; both read null. */
export const nullable = <S extends Schema.Constraint>(schema: S) =>
  Schema.NullOr(schema).pipe(
    Schema.withConstructorDefault(Effect.succeed(null)),
    Schema.withDecodingDefaultKey(Effect.succeed(null)),
    withDefault(null)
  )

/** A field of a query that may be left out; it then reads `value`. */
export const queryDefault = <S extends Schema.Constraint>(schema: S, value: S["Encoded"]) =>
  withDefault(value)(Schema.withDecodingDefaultKey<S>(Effect.succeed(value))(schema))
