/* Serves files that are the same for all callers. Each file is read once, and has a tag for caches. */
import { Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { createHash } from "node:crypto"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { basename, extname, join } from "node:path"
import { promisify } from "node:util"
import { gzip } from "node:zlib"

export interface Asset {
  readonly bytes: Uint8Array
  /** Compresses the bytes at the first call; null if the content type is never compressed. */
  readonly gzipped: (() => Promise<Uint8Array>) | null
  readonly contentType: string
  readonly etag: string
}

const contentTypes: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".tgz": "application/gzip",
  ".whl": "application/zip"
}

const etagOf = (bytes: Uint8Array): string =>
  `"${createHash("sha256").update(bytes).digest("base64url").slice(0, 22)}"`

const compress = promisify(gzip)

export const assetOf = (content: string | Uint8Array, contentType: string): Asset => {
  const bytes = typeof content === "string" ? Buffer.from(content) : content
  let packed: Promise<Uint8Array> | undefined
  const gzipped = () => packed ??= compress(bytes).catch((error) => {
    packed = undefined
    throw error
  })
  const isArchive = /zip$|png$|octet-stream$/.test(contentType)
  return { bytes, contentType, etag: etagOf(bytes), gzipped: isArchive ? null : gzipped }
}

const assetAt = (path: string): Asset =>
  assetOf(readFileSync(path), contentTypes[extname(path)] ?? "application/octet-stream")

/** Reads a folder's files with any extension, also in sub-folders, by path; none if there is no folder. */
export const assetsOf = (directory: string): ReadonlyMap<string, Asset> =>
  new Map(
    (existsSync(directory) ? readdirSync(directory, { recursive: true, encoding: "utf8" }) : [])
      .filter((path) => extname(path) !== "")
      .map((path) => [path.replaceAll("\\", "/"), assetAt(join(directory, path))])
  )

/** True if the caller sent the file's ETag, even if a proxy marked the tag as weak (`W/`). */
const isHeld = (held: string | undefined, etag: string): boolean =>
  (held ?? "").split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag)

const acceptsGzip = (accepted: string | undefined): boolean =>
  /(?:^|,)\s*gzip\s*(?:;\s*q=(?!0(?:\.0*)?\s*(?:,|$))[\d.]+\s*)?(?:,|$)/i.test(accepted ?? "")

/** Serves a page. A URL with a final slash is redirected, because the page's relative links would fail. */
export const pageAt = <E, R>(
  path: string,
  page: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
) =>
  HttpServerRequest.HttpServerRequest.use(({ url }) => {
    const [asked = "", query] = url.split("?")
    const location = `../${basename(path)}${query === undefined ? "" : `?${query}`}`
    return asked.endsWith("/")
      ? Effect.succeed(HttpServerResponse.redirect(location, { status: 308 }))
      : page
  })

/** Serves the file with the headers `given`; answers 304 if the caller already has the file. */
export const serveAsset = (
  { bytes, contentType, etag, gzipped }: Asset,
  given: Readonly<Record<string, string>> = {}
) =>
  HttpServerRequest.HttpServerRequest.use(({ headers: asked }) => {
    const varying = gzipped === null ? {} : { vary: "accept-encoding" }
    const headers = { "cache-control": "no-cache", ...given, etag, ...varying }
    if (isHeld(asked["if-none-match"], etag)) {
      return Effect.succeed(HttpServerResponse.empty({ status: 304, headers }))
    }
    if (gzipped === null || !acceptsGzip(asked["accept-encoding"])) {
      return Effect.succeed(HttpServerResponse.uint8Array(bytes, { contentType, headers }))
    }
    return Effect.map(Effect.promise(gzipped), (packed) =>
      HttpServerResponse.uint8Array(packed, {
        contentType, headers: { ...headers, "content-encoding": "gzip" }
      }))
  })
