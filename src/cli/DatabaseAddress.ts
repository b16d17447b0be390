/* Checks the address of a PostgreSQL server, and returns it without user and password. */
import { Config, Effect, Option, Redacted } from "effect"
import { isIPv6 } from "node:net"
import { addressOf, withHost } from "../sql/IdleTimeoutStream.ts"
import { configError } from "./Variables.ts"

/** Parameters of libpq that the driver would silently ignore. */
const unreadParameters = ["sslrootcert", "sslcert", "sslkey"]

/** Returns what is wrong with a database's address, without quoting it; null if nothing is wrong. */
const addressProblem = (text: string): string | null => {
  if (!/^postgres(ql)?:/.test(text) || !URL.canParse(withHost(text))) {
    return "must be a URL like postgres://user:password@host:5432/database"
  }
  const given = new URL(withHost(text)).searchParams
  const unread = unreadParameters.filter((name) => given.has(name))
  return unread.length === 0
    ? null
    : `has ${unread.join(", ")}, which Sextant does not read: for a certificate authority of your own, `
      + "set NODE_EXTRA_CA_CERTS to its file"
}

export const addressOnly = (name: string) =>
  Config.mapEffect((given: Option.Option<Redacted.Redacted<string>>) => {
    const problem = Option.isNone(given) ? null : addressProblem(Redacted.value(given.value))
    return problem === null ? Effect.succeed(given) : Effect.fail(configError(`${name} ${problem}`))
  })

/** Names the host and the database of an address, which {@link addressOnly} must have accepted. */
export const addressName = (given: string): string => {
  const text = withHost(given)
  const address = addressOf(text)
  const place = "path" in address
    ? address.path
    : `${isIPv6(address.host) ? `[${address.host}]` : address.host}:${address.port}`
  return `PostgreSQL at ${place}${new URL(text).pathname}`
}
