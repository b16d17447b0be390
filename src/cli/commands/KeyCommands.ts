/* `sextant keys`: create, list, rotate and revoke the keys of accounts. */
import { Clock, Console, Effect, Option, Redacted } from "effect"
import { Command, Flag } from "effect/cli"
import { type KeyInfo, Keys } from "../../accounts/Keys.ts"
import { Role } from "../../domain/account/Role.ts"
import { AccountId } from "../../domain/Scope.ts"
import { AppConfig } from "../Config.ts"
import * as Layers from "../Layers.ts"
import { refusal } from "../Refusal.ts"
import { instance, textFlag } from "./Flags.ts"

const withKeys = <A, E>(effect: Effect.Effect<A, E, Keys>) =>
  Effect.flatMap(AppConfig, (config) => Effect.provide(effect, Layers.keys(config)))

const unitMs: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Parses a duration such as `90d`, `24h` or `30m` into milliseconds; null for any other text. */
const durationMs = (text: string): number | null => {
  const [, count, unit] = /^(\d{1,6})\s*([mhd])$/.exec(text) ?? []
  return count === undefined || unit === undefined ? null : Number(count) * (unitMs[unit] ?? NaN)
}

/** Parses the expiry of a new key: a date, a moment, or a duration from now. */
const expiryOf = Effect.fnUntraced(function*(text: string) {
  const nowMs = yield* Clock.currentTimeMillis
  const fromNowMs = durationMs(text)
  const dateMs = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : NaN
  const endMs = fromNowMs === null ? dateMs : nowMs + fromNowMs
  const invalid = (expected: string) => refusal(`--expires ${text}: ${expected}`)
  if (Number.isNaN(endMs)) {
    return yield* invalid("give a date (2027-01-01, from midnight UTC), a moment or a duration (90d, 12h)")
  }
  if (endMs <= nowMs) return yield* invalid("give a time in the future")
  return new Date(endMs)
})

const keyId = Flag.String("key-id").pipe(Flag.withDescription("The id of the key, as `keys list` prints it"))

const create = Command.make(
  "create",
  {
    instance,
    role: Flag.Literals("role", Role.literals).pipe(
      Flag.withDescription("use: all but settings; read: reports and dashboard; admin: all"),
      Flag.withDefault("use")
    ),
    expires: textFlag(
      "expires", "When the key expires: 2027-01-01, or a duration such as 90d; default: never"
    )
  },
  ({ expires, instance, role }) =>
    withKeys(Effect.gen(function*() {
      const expiresAt = Option.isNone(expires) ? null : yield* expiryOf(expires.value)
      yield* Console.log(Redacted.value(yield* (yield* Keys).create(instance, { role, expiresAt })))
    }))
).pipe(Command.withDescription("Create a key and print it; it cannot be printed again"))

const stateOf = ({ expiresAt, revokedAt }: KeyInfo, nowMs: number): string => {
  if (revokedAt !== null) return `revoked ${revokedAt.toISOString()}`
  return expiresAt !== null && expiresAt.getTime() <= nowMs ? `expired ${expiresAt.toISOString()}` : "live"
}

const list = Command.make("list", {}, () =>
  withKeys(Effect.gen(function*() {
    const nowMs = yield* Clock.currentTimeMillis
    for (const key of yield* (yield* Keys).list) {
      const { accountId, createdAt, expiresAt, keyId, lastUsedAt, role } = key
      yield* Console.log([
        accountId, keyId, role, `created ${createdAt.toISOString()}`,
        `expires ${expiresAt?.toISOString() ?? "never"}`, `last used ${lastUsedAt?.toISOString() ?? "never"}`,
        stateOf(key, nowMs)
      ].join("\t"))
    }
  }))).pipe(
    Command.withDescription("List the keys without their secrets; the last use is rounded to the hour")
  )

const noSuchKey = (instance: string, keyId: string) => refusal(`No live key ${keyId} of ${instance}`)

const rotate = Command.make(
  "rotate",
  {
    instance,
    keyId,
    overlap: Flag.String("overlap").pipe(
      Flag.withDescription("How long the old key remains valid: 24h, 7d; 0h ends it at once"),
      Flag.withDefault("24h")
    )
  },
  ({ instance, keyId, overlap }) =>
    Effect.gen(function*() {
      const overlapMs = durationMs(overlap)
      if (overlapMs === null) {
        return yield* refusal(`--overlap ${overlap}: give a duration such as 24h, 7d or 30m`)
      }
      const rotation = { accountId: AccountId.make(instance), keyId, overlapMs }
      const key = yield* withKeys(Effect.flatMap(Keys, (keys) => keys.rotate(rotation)))
      if (key === null) return yield* noSuchKey(instance, keyId)
      yield* Console.log(Redacted.value(key))
      yield* Console.error(overlapMs === 0
        ? `${keyId} of ${instance} has ended. Running services refuse it within 5 s.`
        : `${keyId} of ${instance} ends in ${overlap}, or earlier if it expires before.`)
    })
).pipe(
  Command.withDescription("Create a successor of a key, with its role; the old key ends after the overlap")
)

const revoke = Command.make(
  "revoke",
  { instance, keyId },
  ({ instance, keyId }) =>
    withKeys(Effect.gen(function*() {
      const isRevoked = yield* (yield* Keys).revoke(AccountId.make(instance), keyId)
      if (!isRevoked) return yield* noSuchKey(instance, keyId)
      yield* Console.log(`Revoked ${keyId} of ${instance}. Running services refuse it within 5 s.`)
    }))
).pipe(Command.withDescription("Revoke a key"))

export const keys = Command.make("keys").pipe(
  Command.withSubcommands([create, list, rotate, revoke])
)
