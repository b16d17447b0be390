import { Clock, Console, Effect, Option, Redacted, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { AppConfig } from "./Config.ts"
import { Role } from "../domain/Role.ts"
import { AccountId } from "../domain/Scope.ts"
import { type KeyInfo, Keys } from "../accounts/Keys.ts"
import * as Main from "./Layers.ts"
import { instance } from "./Commands.ts"

/*
 * `sextant keys`: the account keys of the service's database.
 */

const withKeys = <A, E>(effect: Effect.Effect<A, E, Keys>) =>
  Effect.flatMap(AppConfig, (config) => Effect.provide(effect, Main.keys(config)))

/** A length of time or a date on the command line is not what the flag takes. */
export class BadTime extends Schema.TaggedError<BadTime>()("BadTime", {
  flag: Schema.String,
  got: Schema.String,
  wants: Schema.String
}) {
  override get message() {
    return `--${this.flag} ${this.got}: ${this.wants}`
  }
}

const unitMs: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 }

/** `90d`, `24h`, `30m` in milliseconds; null for anything else. */
const lengthMs = (text: string): number | null => {
  const [, count, unit] = /^(\d{1,6})\s*([mhd])$/.exec(text) ?? []
  return count === undefined || unit === undefined ? null : Number(count) * (unitMs[unit] ?? NaN)
}

/** When a key ends that is made now: a date, a moment, or a length of time from now. */
const endOf = Effect.fnUntraced(function*(text: string) {
  const nowMs = yield* Clock.currentTimeMillis
  const length = lengthMs(text)
  const endMs = length !== null ? nowMs + length : /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : NaN
  const bad = (wants: string) => new BadTime({ flag: "expires", got: text, wants })
  if (Number.isNaN(endMs)) {
    return yield* bad("give a date (2027-01-01, from midnight UTC), a moment or a length (90d, 12h)")
  }
  if (endMs <= nowMs) return yield* bad("this is not in the future")
  return new Date(endMs)
})

const keyId = Flag.String("key-id").pipe(Flag.withDescription("As `keys list` shows it"))

const create = Command.make(
  "create",
  {
    instance,
    role: Flag.Literals("role", Role.literals).pipe(
      Flag.withDescription("use: all but settings; read: reports and dashboard; admin: use and settings"),
      Flag.withDefault("use")
    ),
    expires: Flag.String("expires").pipe(
      Flag.withDescription("When it ends: 2027-01-01, or a length from now such as 90d; never by default"),
      Flag.optional
    )
  },
  ({ expires, instance, role }) =>
    Effect.gen(function*() {
      const expiresAt = Option.isNone(expires) ? null : yield* endOf(expires.value)
      const key = yield* withKeys(Effect.flatMap(Keys, (keys) => keys.create(instance, { role, expiresAt })))
      yield* Console.log(Redacted.value(key))
    })
).pipe(Command.withDescription("Mint a key; it is shown only this once"))

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
  }))).pipe(Command.withDescription("List the keys, without their secrets; last use is told to the hour"))

export class NoSuchKey extends Schema.TaggedError<NoSuchKey>()("NoSuchKey", {
  instance: Schema.String,
  keyId: Schema.String
}) {
  override get message() {
    return `No live key ${this.keyId} of ${this.instance}`
  }
}

const rotate = Command.make(
  "rotate",
  {
    instance,
    keyId,
    overlap: Flag.String("overlap").pipe(
      Flag.withDescription("How long the old key stays good: 24h, 7d; 0h ends it at once"),
      Flag.withDefault("24h")
    )
  },
  ({ instance, keyId, overlap }) =>
    Effect.gen(function*() {
      const overlapMs = lengthMs(overlap)
      if (overlapMs === null) {
        const wants = "give a length such as 24h, 7d or 30m"
        return yield* new BadTime({ flag: "overlap", got: overlap, wants })
      }
      const rotation = { accountId: AccountId.make(instance), keyId, overlapMs }
      const key = yield* withKeys(Effect.flatMap(Keys, (keys) => keys.rotate(rotation)))
      if (key === null) return yield* new NoSuchKey({ instance, keyId })
      yield* Console.log(Redacted.value(key))
      yield* Console.error(overlapMs === 0
        ? `${keyId} of ${instance} has ended. Running services refuse it within 60 s.`
        : `${keyId} of ${instance} ends in ${overlap}, unless it had an earlier end.`)
    })
).pipe(Command.withDescription("Mint a key's successor of the same role; the old one ends after the overlap"))

const revoke = Command.make(
  "revoke",
  { instance, keyId },
  ({ instance, keyId }) =>
    withKeys(Effect.gen(function*() {
      const isRevoked = yield* (yield* Keys).revoke(AccountId.make(instance), keyId)
      if (!isRevoked) return yield* new NoSuchKey({ instance, keyId })
      yield* Console.log(`Revoked ${keyId} of ${instance}. Running services refuse it within 60 s.`)
    }))
).pipe(Command.withDescription("Revoke a key"))

export const keys = Command.make("keys").pipe(
  Command.withDescription("Account keys: create, list, rotate, revoke"),
  Command.withSubcommands([create, list, rotate, revoke])
)
