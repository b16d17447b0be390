/* Serves the dashboard's page and its files at `/dashboard`. */
import { Effect } from "effect"
import { HttpRouter, HttpServerResponse, ProblemDetails } from "effect/http"
import { join } from "node:path"
import { type Asset, assetOf, assetsOf, pageAt, serveAsset } from "./Assets.ts"
import { sextantCommand } from "./docs/StartPage.ts"

export const dashboardPath = "/dashboard"
export const faviconPath = "/favicon.ico"

/** The folder that `npm run dashboard` writes the bundle to; `dist` has it at the same place. */
const bundleDirectory = join(import.meta.dirname, "../../packages/dashboard/bundle")

const securityHeaders = {
  "content-security-policy": [
    "default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'",
    "img-src 'self' data:", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"
  ].join("; "),
  "referrer-policy": "no-referrer"
}

const notBuilt = ProblemDetails.toResponse({
  type: ProblemDetails.blankType,
  title: "Dashboard not built",
  status: 503,
  detail: "The dashboard's bundle is missing; to build it, run `npm run dashboard` in Sextant's directory"
})

/** Answers the request for an icon that browsers make on every page, `/docs` among them. */
const noFavicon = HttpServerResponse.empty({ status: 204, headers: { "cache-control": "max-age=86400" } })

/** The page with the command of this service in the place of `sextant`. */
const commanded = ({ bytes, contentType }: Asset): Asset => {
  const text = new TextDecoder().decode(bytes)
    .replace('name="command" content="sextant"', `name="command" content="${sextantCommand}"`)
  return assetOf(text, contentType)
}

/** The page and its files, read once. They need no key, because they contain no data. */
export const layer = (directory: string = bundleDirectory) =>
  HttpRouter.use(Effect.fnUntraced(function*(router) {
    const assets = new Map([...assetsOf(directory)].map(([name, asset]) =>
      [name, name === "index.html" ? commanded(asset) : asset]))
    const page = assets.get("index.html")
    yield* router.add("GET", dashboardPath, page === undefined
      ? notBuilt
      : pageAt(dashboardPath, serveAsset(page, securityHeaders)))
    for (const [name, asset] of assets) {
      yield* router.add("GET", `${dashboardPath}/${name}`, serveAsset(asset, securityHeaders))
    }
    yield* router.add("GET", faviconPath, noFavicon)
  }))
