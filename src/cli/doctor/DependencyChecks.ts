import { Effect, Redacted } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { accessSync, constants, existsSync, statfsSync } from "node:fs"
import { dirname, resolve } from "node:path"
import type { CatalogSnapshot } from "../../domain/Model.ts"
import { givenKeyProblems, parseForeign } from "../../accounts/Key.ts"
import { fail, type Check, ok, warn } from "./Check.ts"
import { errorLine } from "./ErrorLine.ts"

/** The shapes of the keys that the service is given; never a word of the keys themselves. */
export const givenKeys = (keys: ReadonlyArray<string>, isForeign: boolean): Check => {
  const wrong = isForeign
    ? keys.flatMap((key, i) => parseForeign(key) === null ? [`number ${i + 1} is no key`] : [])
    : givenKeyProblems(keys)
  if (wrong.length > 0) {
    return fail("key shape", `SEXTANT_BOOTSTRAP_KEYS: ${wrong.join("; ")}`,
      "sxt_<instance>_<keyid>_<secret>, secret of 32 characters or more; `sextant keys create` mints one")
  }
  return ok("key shape", keys.length === 0 ? "no bootstrap keys" : `${keys.length} well-formed`)
}

/** How many keys work. */
export const liveKeys = (count: number): Check =>
  count > 0
    ? ok("keys", `${count} live`)
    : warn("keys", "nobody can call: there is no live key", "sextant keys create --instance <account>")

const hourMs = 3_600_000

export const prices = (snapshot: CatalogSnapshot, nowMs: number): Check => {
  const { costSource, models, refreshedAt, stale } = snapshot
  const hours = Math.round((nowMs - refreshedAt.getTime()) / hourMs)
  const says = `${models.length} models, prices of ${costSource}, ${hours} h old`
  return stale
    ? warn("prices", says, "let the service reach the price sources, or give SEXTANT_CATALOG_FILE")
    : ok("prices", says)
}

export interface Endpoint {
  /** As the finding names it: `reasoner`. */
  readonly of: string
  readonly url: string
  readonly method: "GET" | "POST"
  readonly headers: Readonly<Record<string, Redacted.Redacted<string>>>
  readonly body?: unknown
  /** The variables that say where it is and with which key. */
  readonly variables: string
}

/** Whether something answers there, and takes the key. */
export const endpoint = ({ body, headers, method, of, url, variables }: Endpoint) =>
  Effect.gen(function*() {
    const client = yield* HttpClient.HttpClient
    let request = HttpClientRequest.make(method)(url)
    for (const [name, value] of Object.entries(headers)) {
      request = HttpClientRequest.setHeader(request, name, Redacted.value(value))
    }
    if (body !== undefined) request = HttpClientRequest.bodyJsonUnsafe(request, body)
    const { status } = yield* client.execute(request)
    const { host } = new URL(url)
    if (status === 401 || status === 403) {
      return fail(of, `${host} refuses the key (${status})`, `check ${variables}`)
    }
    if (status >= 500) return fail(of, `${host} answers ${status}`, "wait, or ask its operator")
    // Some have no list of models; that they answer as they please is answer enough.
    if (status >= 400) return warn(of, `${host} answers ${status} to ${method}`, `check ${variables}`)
    return ok(of, `${host} answers`)
  }).pipe(
    Effect.timeout("5 seconds"),
    Effect.catch((error) =>
      Effect.succeed(fail(of, errorLine(error), `check ${variables}, and the way there`)))
  )

const bytesFail = 200e6
const bytesWarn = 2e9

/** Room for the embedded database and the last good prices, in whichever folder of the path exists. */
export const disk = (directory: string, isDatabase: boolean): Check => {
  let existing = resolve(directory)
  while (!existsSync(existing) && dirname(existing) !== existing) existing = dirname(existing)
  try {
    accessSync(existing, constants.W_OK)
  } catch {
    const says = `${directory} cannot be written`
    const fix = "give its folder to the user that runs the service, or set SEXTANT_DATA_DIR"
    // Without the embedded database only the last good prices lie there.
    return isDatabase ? fail("disk", says, fix) : warn("disk", says, fix)
  }
  const { bavail, bsize } = statfsSync(existing)
  const free = bavail * bsize
  const says = `${(free / 1e9).toFixed(1)} GB free at ${directory}`
  if (free < bytesFail && isDatabase) return fail("disk", says, "make room")
  return free < bytesWarn && isDatabase ? warn("disk", says, "make room soon") : ok("disk", says)
}
