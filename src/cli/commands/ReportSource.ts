/* Reads a report from an account of this storage or from a running service. */
import { Config, Effect, type Layer, Option, Redacted } from "effect"
import { Flag } from "effect/cli"
import { SextantClient } from "../../client/Client.ts"
import { AccountId, Namespace } from "../../domain/Scope.ts"
import { ReportDays } from "../../domain/Units.ts"
import * as Layers from "../Layers.ts"
import { refusal } from "../Refusal.ts"
import { instance, serviceConfig, textFlag } from "./Flags.ts"

/** Flags that name an account in the configured database, or the URL and the key of a running service. */
export const sourceFlags = {
  instance: instance.pipe(Flag.optional),
  url: textFlag(
    "url", "A running service to ask instead of the storage, such as http://127.0.0.1:8080"
  ),
  key: Flag.Redacted("key").pipe(
    Flag.withDescription("The key for --url, whose role may be read; rather set SEXTANT_KEY, since others"
      + " on the machine see the command line"),
    Flag.optional
  )
}

export const windowFlags = (usualDays: number) => ({
  days: Flag.Finite("days").pipe(
    Flag.withDescription(`Days up to now that are looked at; ${usualDays} by default`),
    Flag.withSchema(ReportDays),
    Flag.withDefault(usualDays)
  ),
  namespace: Flag.String("namespace").pipe(
    Flag.withDescription("Only this namespace; all of the account otherwise"),
    Flag.withSchema(Namespace),
    Flag.optional
  )
})

interface ReportSource {
  readonly instance: Option.Option<string>
  readonly url: Option.Option<string>
  readonly key: Option.Option<Redacted.Redacted<string>>
}

type StoredReports = Layer.Success<ReturnType<typeof Layers.reports>>

const keyOf = (flag: ReportSource["key"]) =>
  Option.isSome(flag) ? Effect.succeed(flag) : Config.option(Config.Redacted("SEXTANT_KEY"))

/** Reads a report; fails if the flags name no source of reports, or two sources. */
export const readFrom = Effect.fnUntraced(function*<A, E, F>(
  { instance, key, url }: ReportSource,
  fromStorage: (accountId: AccountId) => Effect.Effect<A, E, StoredReports>,
  fromService: Effect.Effect<A, F, SextantClient>
) {
  const given = Option.isSome(url) ? yield* keyOf(key) : Option.none()
  if (Option.isSome(instance) && Option.isNone(url)) {
    const config = yield* serviceConfig
    return yield* Effect.provide(fromStorage(AccountId.make(instance.value)), Layers.reports(config))
  }
  if (Option.isNone(instance) && Option.isSome(url) && Option.isSome(given)) {
    const service = { baseUrl: url.value, apiKey: Redacted.value(given.value) }
    return yield* Effect.provide(fromService, SextantClient.layer(service))
  }
  return yield* refusal("Say whose report it is: --instance for an account of this storage, or --url with "
    + "the key of a running service in SEXTANT_KEY or --key")
})
