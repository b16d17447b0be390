import { Config, ConfigProvider, Effect, Option, Result } from "effect"
import { problemsOf } from "./doctor/ErrorLine.ts"

/*
 * How environment variables are read: a bad one says its name, what it got and what it wants, unless what it
 * got may be a secret; and all bad ones are told at once.
 */

type Reading<A> = Effect.Effect<A, Config.ConfigError>

/** The failure of a variable, as a line for people. */
export const unusable = (message: string, cause?: unknown) =>
  new Config.ConfigError(new ConfigProvider.SourceError({ message, cause }))

const shownMax = 40

/** What a variable holds, as far as it may be shown: longer ones may be misplaced keys. */
export const got = (text: string): string =>
  text.length > shownMax ? `got a text of ${text.length} characters` : `got ${JSON.stringify(text)}`

const readAs = <A>(name: string, read: (text: string) => A | null, wants: string) =>
  Config.String(name).pipe(Config.mapEffect((text) => {
    const value = read(text)
    return value === null
      ? Effect.fail(unusable(`${name}: ${got(text)}, wants ${wants}`))
      : Effect.succeed(value)
  }))

/** A whole number; without a maximum, any from the minimum on. `orElse` ends what the sentence wants. */
export const whole = (name: string, minimum: number, maximum = Infinity, orElse = "") =>
  readAs(name, (text) => {
    const value = text.trim() === "" ? NaN : Number(text)
    return Number.isSafeInteger(value) && value >= minimum && value <= maximum ? value : null
  }, `a whole number from ${minimum} ${maximum === Infinity ? "on" : `to ${maximum}`}${orElse}`)

/** One of a few words. */
export const oneOf = <const Words extends ReadonlyArray<string>>(name: string, words: Words) =>
  readAs<Words[number]>(name, (text) => words.find((word) => word === text) ?? null, words.join(" or "))

/** What is wrong with a URL that an operator gives, which may hold a password; null for a good one. */
const urlProblem = (text: string): string | null => {
  if (!URL.canParse(text)) return "a text that is no URL"
  const { password, protocol, search, username } = new URL(text)
  if (protocol !== "http:" && protocol !== "https:") return `a URL of the scheme ${protocol}`
  if (username !== "" || password !== "") return "a URL with a user or a password"
  return search === "" ? null : "a URL with a query"
}

const urlWants = "wants an http or https URL without credentials and query"

/** An http or https URL without credentials and query. */
export const httpUrl = (name: string) =>
  Config.String(name).pipe(Config.mapEffect((text) => {
    const problem = urlProblem(text)
    return problem === null
      ? Effect.succeed(new URL(text))
      : Effect.fail(unusable(`${name}: got ${problem}, ${urlWants}`))
  }))

/** A variable without a default, which another one makes necessary. */
export const needed = <A>(name: string, reading: Config.Config<A>, wants: string) =>
  Config.option(reading).pipe(Config.mapEffect((value) =>
    Option.isSome(value)
      ? Effect.succeed(value.value)
      : Effect.fail(unusable(`${name}: not set, wants ${wants}`))))

/** The failures of several readings as one. */
const together = (errors: ReadonlyArray<Config.ConfigError>) =>
  Effect.fail(unusable(errors.flatMap(problemsOf).join("\n")))

type Values<Readings> = {
  readonly [Name in keyof Readings]: Readings[Name] extends Reading<infer A> ? A : never
}

/** Reads all of them, as `Config.all` does, and fails with every one that is wrong. */
export const collected = <const Readings extends Readonly<Record<string, Reading<unknown>>>>(
  readings: Readings
): Reading<Values<Readings>> =>
  Effect.gen(function*() {
    const errors: Array<Config.ConfigError> = []
    const values: Record<string, unknown> = {}
    for (const [name, reading] of Object.entries(readings)) {
      const read = yield* Effect.result(reading)
      if (Result.isFailure(read)) errors.push(read.failure)
      else values[name] = read.success
    }
    if (errors.length > 0) return yield* together(errors)
    // The seam to the record's type: every name of `readings` has its value here.
    return values as Values<Readings>
  })

/** What a URL's variable and those beside it say; none, and those are not read, where it is not set. */
export const beside = <A extends object>(url: Reading<Option.Option<URL>>, rest: Reading<A>) =>
  Effect.gen(function*() {
    const address = yield* Effect.result(url)
    if (Result.isSuccess(address) && Option.isNone(address.success)) return Option.none()
    const others = yield* Effect.result(rest)
    if (Result.isFailure(address)) {
      return yield* together([address.failure, ...Result.isFailure(others) ? [others.failure] : []])
    }
    if (Result.isFailure(others)) return yield* Effect.fail(others.failure)
    return Option.map(address.success, (at) => ({ ...others.success, url: at }))
  })
