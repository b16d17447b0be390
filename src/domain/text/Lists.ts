/** Arrays in requests. The length is checked first, and decoding stops after too many errors. */
import {
  Effect, Result, Schema, type SchemaAST, SchemaIssue, SchemaParser, SchemaTransformation
} from "effect"

/** Number of wrong elements after which decoding of an array stops: one more than an error names. Chosen. */
export const wrongElementsMax = 11

type Plain = Schema.Constraint & { readonly DecodingServices: never; readonly EncodingServices: never }

const undecoded = (element: Plain) => {
  const encoded = Schema.toEncoded(element)
  return Schema.Any.check(Schema.makeFilter(() => true, {
    representation: { id: "sextant/domain/text/Lists/undecoded", payload: null, schemas: [encoded.ast] },
    toJsonSchema: ({ schemas: [schema] }) => schema ?? {}
  }))
}

type Parse<A> = (value: unknown, options?: SchemaAST.ParseOptions) => Result.Result<A, SchemaIssue.Issue>

/** Parses elements until {@link wrongElementsMax} are wrong, or one if only one error is wanted. */
const each = <A>(ast: SchemaAST.AST, parse: Parse<A>) =>
  (
    values: ReadonlyArray<unknown>,
    options: SchemaAST.ParseOptions
  ): Effect.Effect<ReadonlyArray<A>, SchemaIssue.Issue> => {
    const parsed: Array<A> = []
    const issues: Array<SchemaIssue.Issue> = []
    const issuesMax = options.errors === "all" ? wrongElementsMax : 1
    for (let i = 0; i < values.length && issues.length < issuesMax; i++) {
      const result = parse(values[i], options)
      if (Result.isSuccess(result)) parsed.push(result.success)
      else issues.push(new SchemaIssue.Pointer([i], result.failure))
    }
    const [first, ...others] = issues
    return first === undefined
      ? Effect.succeed(parsed)
      : Effect.fail(new SchemaIssue.Composite(ast, [first, ...others], values, options))
  }

interface Lengths {
  readonly min?: number
  readonly max: number
}

/** An array that is too long is not decoded. */
export const listOf = <S extends Plain>(element: S, { max, min = 0 }: Lengths) => {
  const others = min === 0 ? [] : [Schema.isMinLength(min)]
  const sent = Schema.Array(undecoded(element)).check(Schema.isMaxLength(max), ...others)
  return sent.pipe(Schema.decodeTo(
    Schema.Array(Schema.toType(element)).check(Schema.isMaxLength(max), ...others),
    SchemaTransformation.transformEffect<ReadonlyArray<S["Type"]>, ReadonlyArray<unknown>>({
      decode: each(sent.ast, SchemaParser.decodeUnknownResult(element)),
      encode: each(sent.ast, SchemaParser.encodeUnknownResult(element))
    })
  ))
}

/** Only the first `count` elements are read; further ones become null, which encoding leaves out. */
export const firstOf = <S extends Plain>(element: S, count: number) => {
  const sent = Schema.Array(undecoded(element))
  const decode = each(sent.ast, SchemaParser.decodeUnknownResult(element))
  const encode = each(sent.ast, SchemaParser.encodeUnknownResult(element))
  return sent.pipe(Schema.decodeTo(
    Schema.Array(Schema.NullOr(Schema.toType(element))),
    SchemaTransformation.transformEffect<ReadonlyArray<S["Type"] | null>, ReadonlyArray<unknown>>({
      decode: (values, options) =>
        Effect.map(decode(values.slice(0, count), options), (first) =>
          [...first, ...Array.from({ length: values.length - first.length }, () => null)]),
      encode: (values, options) => encode(values.filter((value) => value !== null), options)
    })
  ))
}
