/* The checks of `sextant doctor` on keys, prices, endpoints and the disk. */
import { Effect, Redacted } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { accessSync, constants, existsSync, statfsSync } from "node:fs"
import { dirname, resolve } from "node:path"
import { givenKeyProblems } from "../../accounts/Key.ts"
import type { CatalogSnapshot } from "../../domain/model/Model.ts"
import { fail, type Check, ok, warn } from "./Check.ts"
import { errorLine } from "./ErrorLine.ts"

/** A wrong key is named by its number, because its text is a secret. */
export const bootstrapKeyShapes = (keys: ReadonlyArray<string>): Check => {
  const wrong = givenKeyProblems(keys)
  if (wrong.length > 0) {
    return fail("key shape", `SEXTANT_BOOTSTRAP_KEYS: ${wrong.join("; ")}`,
      "use sxt_<instance>_<keyid>_<secret>, with a secret of 32 characters or more, as "
        + "`sextant keys create` prints it")
  }
  return ok("key shape", keys.length === 0 ? "no bootstrap keys" : `${keys.length} well-formed`)
}

/** Checks that at least one key is neither revoked nor expired. */
export const liveKeys = (count: number): Check =>
  count > 0
    ? ok("keys", `${count} live`)
    : warn("keys", "there is no live key, so every request is refused",
      "run `sextant keys create --instance <account>`")

const hourMs = 3_600_000

export const prices = (snapshot: CatalogSnapshot, nowMs: number): Check => {
  const { costSource, models, refreshedAt, stale } = snapshot
  const hours = Math.round((nowMs - refreshedAt.getTime()) / hourMs)
  const detail = `${models.length} models, prices of ${costSource}, ${hours} h old`
  return stale
    ? warn("prices", detail, "let the service reach the price sources, or set SEXTANT_CATALOG_FILE")
    : ok("prices", detail)
}

export interface EndpointProbe {
  readonly name: string
  readonly url: string
  readonly method: "GET" | "POST"
  readonly headers: Readonly<Record<string, Redacted.Redacted<string>>>
  readonly body?: unknown
  readonly variables: string
}

export const endpoint = ({ body, headers, method, name, url, variables }: EndpointProbe) =>
  Effect.gen(function*() {
    const client = yield* HttpClient.HttpClient
    let request = HttpClientRequest.make(method)(url)
    for (const [header, value] of Object.entries(headers)) {
      request = HttpClientRequest.setHeader(request, header, Redacted.value(value))
    }
    if (body !== undefined) request = HttpClientRequest.bodyJsonUnsafe(request, body)
    const { status } = yield* client.execute(request)
    const { host } = new URL(url)
    if (status === 401 || status === 403) {
      return fail(name, `${host} refused the key (${status})`, `check ${variables}`)
    }
    if (status >= 500) return fail(name, `${host} answers ${status}`, "wait, or ask its operator")
    // Any answer shows at least that the host can be reached.
    if (status >= 400) return warn(name, `${host} answers ${status} to ${method}`, `check ${variables}`)
    return ok(name, `${host} answers`)
  }).pipe(
    Effect.timeout("5 seconds"),
    Effect.catch((error) =>
      Effect.succeed(fail(name, errorLine(error), `check ${variables}, and the network to that host`)))
  )

/** Free space, bytes, below which the check fails or warns if the database is embedded. Chosen. */
const bytesFail = 200e6
const bytesWarn = 2e9

/** Checks that the data directory, or its nearest existing parent, is writable and has free space. */
export const disk = (directory: string, isDatabase: boolean): Check => {
  let existing = resolve(directory)
  while (!existsSync(existing) && dirname(existing) !== existing) existing = dirname(existing)
  try {
    accessSync(existing, constants.W_OK)
  } catch {
    const detail = `${directory} is not writable`
    const fix = "let the service's user write to it, or set SEXTANT_DATA_DIR to another folder"
    // If the database is not the embedded one, the directory contains only the last good prices.
    return isDatabase ? fail("disk", detail, fix) : warn("disk", detail, fix)
  }
  const { bavail, bsize } = statfsSync(existing)
  const free = bavail * bsize
  const detail = `${(free / 1e9).toFixed(1)} GB free at ${directory}`
  if (free < bytesFail && isDatabase) return fail("disk", detail, "free some space")
  return free < bytesWarn && isDatabase ? warn("disk", detail, "free some space soon") : ok("disk", detail)
}
