/* Schemas of structs that are camelCase in code and snake_case on the wire. */
import { Effect, Schema } from "effect"

type SnakeCase<S extends string> = S extends `${infer Head}${infer Tail}`
  ? Head extends Lowercase<Head> ? `${Head}${SnakeCase<Tail>}` : `_${Lowercase<Head>}${SnakeCase<Tail>}`
  : S

type SnakeKeys<Fields> = { readonly [Key in keyof Fields]: SnakeCase<Key & string> }

/** A field's name on the wire. */
export const snakeCase = (key: string): string =>
  key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** A struct spelled camelCase in code and snake_case on the wire. */
export const wire = <const Fields extends Schema.Struct.Fields>(fields: Fields) =>
  Schema.Struct(fields).pipe(
    Schema.encodeKeys(
      Object.fromEntries(Object.keys(fields).map((key) => [key, snakeCase(key)])) as SnakeKeys<Fields>
    )
  )

/** A field that may be left out on the wire and in code; both then read `value` (given in wire form). */
export const defaulted = <S extends Schema.Constraint & Schema.WithoutConstructorDefault>(
  schema: S,
  value: S["Encoded"] & S["~type.make.in"]
) =>
  Schema.withConstructorDefault<S>(Effect.succeed(value))(schema).pipe(
    Schema.withDecodingDefaultKey<Schema.withConstructorDefault<S>>(Effect.succeed(value))
  )

/** A field that may be null or left out; both read null. */
export const nullable = <S extends Schema.Constraint>(schema: S) =>
  Schema.NullOr(schema).pipe(
    Schema.withConstructorDefault(Effect.succeed(null)),
    Schema.withDecodingDefaultKey(Effect.succeed(null))
  )
