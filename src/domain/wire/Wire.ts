/* Schemas of structs whose fields are in camelCase in code and in snake_case on the wire. */
import { Effect, Schema, SchemaTransformation, Struct } from "effect"

type SnakeCase<S extends string> = S extends `${infer Head}${infer Tail}`
  ? Head extends Lowercase<Head> ? `${Head}${SnakeCase<Tail>}` : `_${Lowercase<Head>}${SnakeCase<Tail>}`
  : S

type SnakeKeys<Fields> = { readonly [Key in keyof Fields]: SnakeCase<Key & string> }

export const snakeCase = (key: string): string =>
  key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

type StructDocument = {
  readonly identifier: string
  readonly description: string
  /** The struct's name in errors. If `strictAbout` is set, unknown fields in the struct are refused. */
  readonly strictAbout?: string
}

type Values = Readonly<Record<PropertyKey, unknown>>

/** Returns the wire form of a field, with the annotations that the OpenAPI document shows. */
const sentField = (field: Schema.Constraint): Schema.Constraint => {
  const sent = Schema.toEncoded(field)
  const annotations = field.ast.context?.annotations
  return annotations === undefined ? sent : Schema.annotateKey<typeof sent>(annotations)(sent)
}

/** Makes a struct with snake_case on the wire; `named` gives its component in the OpenAPI document. */
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
  // `Schema.encodeKeys` has the wanted type, but would drop the fields' annotations.
  return schema as unknown as Schema.encodeKeys<Schema.Struct<Fields>, SnakeKeys<Fields>>
}

/** Adds a field's default, in wire form, to the OpenAPI document. */
const withDefault = (value: unknown) => <S extends Schema.Constraint>(schema: S): S =>
  Schema.annotateKey<Schema.Top>({ default: value })(schema as unknown as Schema.Top) as unknown as S

export const described = <S extends Schema.Top>(schema: S, description: string): S["Rebuild"] =>
  Schema.annotateKey<S>({ description })(schema)

/** A field that may be left out. A missing field gets `value`, which is in wire form. */
export const defaulted = <S extends Schema.Constraint & Schema.WithoutConstructorDefault>(
  schema: S,
  value: S["Encoded"] & S["~type.make.in"]
) =>
  Schema.withConstructorDefault<S>(Effect.succeed(value))(schema).pipe(
    Schema.withDecodingDefaultKey<Schema.withConstructorDefault<S>>(Effect.succeed(value)),
    withDefault(value)
  )

/** A field that is null or missing decodes to null. */
export const nullable = <S extends Schema.Constraint>(schema: S) =>
  Schema.NullOr(schema).pipe(
    Schema.withConstructorDefault(Effect.succeed(null)),
    Schema.withDecodingDefaultKey(Effect.succeed(null)),
    withDefault(null)
  )

/** A field of a query that gets `value`, which is in wire form, if it is missing. */
export const queryDefault = <S extends Schema.Constraint>(schema: S, value: S["Encoded"]) =>
  withDefault(value)(Schema.withDecodingDefaultKey<S>(Effect.succeed(value))(schema))
