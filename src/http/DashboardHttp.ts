/* Serves the dashboard's page and its files at `/dashboard`. */
import { Effect } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse, ProblemDetails } from "effect/http"
import { createHash } from "node:crypto"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { extname, join } from "node:path"

export const dashboardPath = "/dashboard"
export const faviconPath = "/favicon.ico"

/** The folder that `npm run dashboard` writes the bundle to; `dist` has it at the same place. */
const bundleDirectory = join(import.meta.dirname, "../../packages/dashboard/bundle")

interface Asset {
  readonly bytes: Uint8Array
  readonly contentType: string
  readonly etag: string
}

const contentTypes: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml"
}

const assetAt = (path: string): Asset => {
  const bytes = readFileSync(path)
  const digest = createHash("sha256").update(bytes).digest("base64url").slice(0, 22)
  const contentType = contentTypes[extname(path)] ?? "application/octet-stream"
  return { bytes, contentType, etag: `"${digest}"` }
}

/** The bundle's files by name; empty when it was not built. */
const assetsOf = (directory: string): ReadonlyMap<string, Asset> =>
  new Map(
    (existsSync(directory) ? readdirSync(directory) : [])
      .map((name) => [name, assetAt(join(directory, name))])
  )

const securityHeaders = {
  "content-security-policy": [
    "default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'",
    "img-src 'self' data:", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"
  ].join("; "),
  "referrer-policy": "no-referrer",
  // Browsers revalidate each time, and get 304 when nothing changed: a new version shows at once.
  "cache-control": "no-cache"
}

const serve = ({ bytes, contentType, etag }: Asset) =>
  HttpServerRequest.HttpServerRequest.use(({ headers }) => {
    const all = { ...securityHeaders, etag }
    return Effect.succeed(headers["if-none-match"] === etag
      ? HttpServerResponse.empty({ status: 304, headers: all })
      : HttpServerResponse.uint8Array(bytes, { contentType, headers: all }))
  })

const notBuilt = ProblemDetails.toResponse({
  type: ProblemDetails.blankType,
  title: "Dashboard not built",
  status: 503,
  detail: "The dashboard's bundle is missing; to build it, run `npm run dashboard` in Sextant's directory"
})

/** Answers the request for an icon that browsers make on every page, `/docs` among them. */
const noFavicon = HttpServerResponse.empty({ status: 204, headers: { "cache-control": "max-age=86400" } })

/** The page and its files, read once. They need no key, because they contain no data. */
export const layer = (directory: string = bundleDirectory) =>
  HttpRouter.use(Effect.fnUntraced(function*(router) {
    const assets = assetsOf(directory)
    const page = assets.get("index.html")
    yield* router.add("GET", dashboardPath, page === undefined ? notBuilt : serve(page))
    for (const [name, asset] of assets) {
      yield* router.add("GET", `${dashboardPath}/${name}`, serve(asset))
    }
    yield* router.add("GET", faviconPath, noFavicon)
  }))
