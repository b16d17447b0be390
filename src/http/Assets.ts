/* Serves files that a build has made, read once, each with a tag by which a caller checks its copy. */
import { Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { createHash } from "node:crypto"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { extname, join } from "node:path"

export interface Asset {
  readonly bytes: Uint8Array
  /** For callers that accept it. */
  readonly gzipped?: Uint8Array
  readonly contentType: string
  readonly etag: string
}

const contentTypes: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".tgz": "application/gzip",
  ".whl": "application/zip"
}

/** The tag of these bytes: 132 bits of their hash. */
export const etagOf = (bytes: Uint8Array): string =>
  `"${createHash("sha256").update(bytes).digest("base64url").slice(0, 22)}"`

const assetAt = (path: string): Asset => {
  const bytes = readFileSync(path)
  const contentType = contentTypes[extname(path)] ?? "application/octet-stream"
  return { bytes, contentType, etag: etagOf(bytes) }
}

/** The files of a folder by name; empty where nothing was built. */
export const assetsOf = (directory: string): ReadonlyMap<string, Asset> =>
  new Map(
    (existsSync(directory) ? readdirSync(directory) : [])
      .map((name) => [name, assetAt(join(directory, name))])
  )

/** Whether one of the tags that the caller holds is this one; a proxy may have marked it as weak. */
export const isHeld = (held: string | undefined, etag: string): boolean =>
  (held ?? "").split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag)

const acceptsGzip = (accepted: string | undefined): boolean =>
  /(?:^|,)\s*gzip\s*(?:;\s*q=(?!0(?:\.0*)?\s*(?:,|$))[\d.]+\s*)?(?:,|$)/i.test(accepted ?? "")

/**
 * The page of a path, whose links are relative, since a proxy may have put a path before it. A browser that
 * asks with a slash at the end is sent to the path without one, where they lead to what they name.
 */
export const pageAt = <E, R>(
  path: string,
  page: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
) =>
  HttpServerRequest.HttpServerRequest.use(({ url }) => {
    const [asked = "", query] = url.split("?")
    const location = `..${path}${query === undefined ? "" : `?${query}`}`
    return asked.endsWith("/")
      ? Effect.succeed(HttpServerResponse.redirect(location, { status: 308 }))
      : page
  })

/** The file with these headers, or 304 to a caller that has it. */
export const serveAsset = (
  { bytes, contentType, etag, gzipped }: Asset,
  given: Readonly<Record<string, string>>
) =>
  HttpServerRequest.HttpServerRequest.use(({ headers: asked }) => {
    // Callers ask each time, and get 304 when nothing changed: a new version shows at once.
    const varying = gzipped === undefined ? {} : { vary: "accept-encoding" }
    const headers = { "cache-control": "no-cache", ...given, etag, ...varying }
    if (isHeld(asked["if-none-match"], etag)) {
      return Effect.succeed(HttpServerResponse.empty({ status: 304, headers }))
    }
    const isPacked = gzipped !== undefined && acceptsGzip(asked["accept-encoding"])
    return Effect.succeed(HttpServerResponse.uint8Array(isPacked ? gzipped : bytes, {
      contentType, headers: isPacked ? { ...headers, "content-encoding": "gzip" } : headers
    }))
  })
