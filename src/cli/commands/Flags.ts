/* The flags, the configuration and the service's address that several commands share. */
import { Config, Console, Effect, Option, Schema } from "effect"
import { Flag } from "effect/cli"
import { AppConfig, storageName } from "../Config.ts"
import { refusal } from "../Refusal.ts"

export const instanceName = Schema.String.check(Schema.isPattern(/^[a-z0-9-]{1,64}$/))

export const instance = Flag.String("instance").pipe(
  Flag.withDescription("The account, 1 to 64 characters of a-z, 0-9 and -"),
  Flag.withSchema(instanceName)
)

export const listOf = (text: string): ReadonlyArray<string> =>
  [...new Set(text.split(",").map((part) => part.trim()).filter((part) => part !== ""))]

/** Makes a flag that is false if it is not given. */
export const switchFlag = (name: string, description: string): Flag.Flag<boolean> =>
  Flag.Boolean(name).pipe(Flag.withDescription(description), Flag.withDefault(false))

export const textFlag = (name: string, description: string): Flag.Flag<Option.Option<string>> =>
  Flag.String(name).pipe(Flag.withDescription(description), Flag.optional)

/** Reads the configuration, and prints on standard error which database the command will use. */
export const serviceConfig = Effect.tap(AppConfig, (config) =>
  Console.error(`Storage: ${storageName(config)}`))

export const serviceUrl = Config.String("SEXTANT_URL").pipe(Config.withDefault("http://127.0.0.1:8080"))

export const serviceKey = Config.option(Config.Redacted("SEXTANT_KEY")).pipe(
  Effect.flatMap(Option.match({
    onSome: Effect.succeed,
    onNone: () =>
      Effect.fail(refusal("Set SEXTANT_KEY to a key of the service at SEXTANT_URL. The service printed one "
        + "when it first started; `sextant keys create` makes another"))
  }))
)
