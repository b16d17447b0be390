/* Readers of environment variables. Errors of all wrong variables are reported together, each with the
   expected values and its value unless that may be a secret. */
import { Config, ConfigProvider, Effect, Option, Result } from "effect"
import { configErrorLines } from "./doctor/ErrorLine.ts"

type VariableReading<A> = Effect.Effect<A, Config.ConfigError>

export const configError = (message: string, cause?: unknown) =>
  new Config.ConfigError(new ConfigProvider.SourceError({ message, cause }))

const shownMax = 40

/** A long value is hidden, because it may be a misplaced key. */
const shownValue = (text: string): string =>
  text.length > shownMax ? `got a text of ${text.length} characters` : `got ${JSON.stringify(text)}`

const readAs = <A>(name: string, read: (text: string) => A | null, wants: string) =>
  Config.String(name).pipe(Config.mapEffect((text) => {
    const value = read(text)
    return value === null
      ? Effect.fail(configError(`${name}: ${shownValue(text)}, wants ${wants}`))
      : Effect.succeed(value)
  }))

/** `orElse` adds other accepted values to the error line. */
export const wholeNumber = (name: string, minimum: number, maximum = Infinity, orElse = "") =>
  readAs(name, (text) => {
    const value = text.trim() === "" ? NaN : Number(text)
    return Number.isSafeInteger(value) && value >= minimum && value <= maximum ? value : null
  }, `a whole number from ${minimum} ${maximum === Infinity ? "on" : `to ${maximum}`}${orElse}`)

export const oneOf = <const Words extends ReadonlyArray<string>>(name: string, words: Words) =>
  readAs<Words[number]>(name, (text) => words.find((word) => word === text) ?? null, words.join(" or "))

/** The log format, which the command line also reads before it loads a command. */
export const logFormat = oneOf("SEXTANT_LOG_FORMAT", ["logfmt", "json"]).pipe(Config.withDefault("logfmt"))

/** Returns what is wrong with a URL, without quoting it, as it may hold a password; null if it is right. */
const urlProblem = (text: string): string | null => {
  if (!URL.canParse(text)) return "a text that is not a URL"
  const { password, protocol, search, username } = new URL(text)
  if (protocol !== "http:" && protocol !== "https:") return `a URL of the scheme ${protocol}`
  if (username !== "" || password !== "") return "a URL with a user or a password"
  return search === "" ? null : "a URL with a query"
}

const urlWants = "wants an http or https URL without credentials and query"

/** Reads an http or https URL without user, password and query. */
export const httpUrl = (name: string) =>
  Config.String(name).pipe(Config.mapEffect((text) => {
    const problem = urlProblem(text)
    return problem === null
      ? Effect.succeed(new URL(text))
      : Effect.fail(configError(`${name}: got ${problem}, ${urlWants}`))
  }))

export const required = <A>(name: string, reading: Config.Config<A>, wants: string) =>
  Config.option(reading).pipe(Config.mapEffect((value) =>
    Option.isSome(value)
      ? Effect.succeed(value.value)
      : Effect.fail(configError(`${name}: not set, wants ${wants}`))))

const failTogether = (errors: ReadonlyArray<Config.ConfigError>) =>
  Effect.fail(configError(errors.flatMap(configErrorLines).join("\n")))

type ReadValues<Readings> = {
  readonly [Name in keyof Readings]: Readings[Name] extends VariableReading<infer A> ? A : never
}

/** Reads several variables and reports the errors of all; `Config.all` would report only the first error. */
export const readAll = <const Readings extends Readonly<Record<string, VariableReading<unknown>>>>(
  readings: Readings
): VariableReading<ReadValues<Readings>> =>
  Effect.gen(function*() {
    const errors: Array<Config.ConfigError> = []
    const values: Record<string, unknown> = {}
    for (const [name, reading] of Object.entries(readings)) {
      const read = yield* Effect.result(reading)
      if (Result.isFailure(read)) errors.push(read.failure)
      else values[name] = read.success
    }
    if (errors.length > 0) return yield* failTogether(errors)
    return values as ReadValues<Readings>
  })

/** Reads an endpoint's URL and its other variables. Without the URL, the other variables are not read. */
export const withUrl = <A extends object>(
  url: VariableReading<Option.Option<URL>>,
  rest: VariableReading<A>
) =>
  Effect.gen(function*() {
    const address = yield* Effect.result(url)
    if (Result.isSuccess(address) && Option.isNone(address.success)) return Option.none()
    const others = yield* Effect.result(rest)
    if (Result.isFailure(address)) {
      return yield* failTogether([address.failure, ...Result.isFailure(others) ? [others.failure] : []])
    }
    if (Result.isFailure(others)) return yield* Effect.fail(others.failure)
    return Option.map(address.success, (at) => ({ ...others.success, url: at }))
  })
