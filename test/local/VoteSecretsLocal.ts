/* The secrets of votes in the process, for tests. */
import { Effect, Layer, Redacted } from "effect"
import { randomBytes } from "node:crypto"
import { type VoteSecret, VoteSecrets } from "../../src/accounts/VoteSecrets.ts"

export const layer: Layer.Layer<never> = Layer.sync(VoteSecrets, () => {
  const secrets = new Map<string, VoteSecret>()
  const make = (accountId: string, version: number): VoteSecret => {
    const secret = { version, secret: Redacted.make(randomBytes(32).toString("base64url")) }
    secrets.set(accountId, secret)
    return secret
  }
  return {
    readOrMake: (accountId) => Effect.sync(() => secrets.get(accountId) ?? make(accountId, 1)),
    find: (accountId) => Effect.sync(() => secrets.get(accountId) ?? null),
    rotate: (accountId) => Effect.sync(() => make(accountId, (secrets.get(accountId)?.version ?? 0) + 1).version)
  }
})
