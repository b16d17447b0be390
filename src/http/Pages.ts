/* Serves a folder of pages, scripts and styles to browsers. The pages need no key. */
import { Effect } from "effect"
import { HttpRouter, ProblemDetails } from "effect/http"
import { type Asset, assetOf, assetsOf, pageAt, serveAsset } from "./Assets.ts"
import { sextantCommand } from "./docs/StartPage.ts"

const securityHeaders = {
  "content-security-policy": [
    "default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'",
    "img-src 'self' data:", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"
  ].join("; "),
  "referrer-policy": "no-referrer"
}

/** Puts the command for Sextant's command-line program into the page's `command` tag. */
const commanded = ({ bytes, contentType }: Asset): Asset => {
  const text = new TextDecoder().decode(bytes)
    .replace('name="command" content="sextant"', `name="command" content="${sextantCommand}"`)
  return assetOf(text, contentType)
}

interface Built {
  readonly title: string
  readonly script: string
}

/**
 * Serves the files of `directory` below `path`. If `directory` has no `index.html`, `path` answers 503 and
 * names the command that builds it.
 */
export const layer = (path: `/${string}`, directory: string, { script, title }: Built) =>
  HttpRouter.use(Effect.fnUntraced(function*(router) {
    const assets = assetsOf(directory)
    if (!assets.has("index.html")) {
      yield* router.add("GET", path, ProblemDetails.toResponse({
        type: ProblemDetails.blankType,
        title: `${title} not built`,
        status: 503,
        detail: `${path} has no files; to build them, run \`npm run ${script}\` in Sextant's directory`
      }))
    }
    for (const [name, asset] of assets) {
      const [, page] = /^(.*)\.html$/.exec(name) ?? []
      const at: `/${string}` = page === "index" ? path : `${path}/${page ?? name}`
      yield* router.add("GET", at, page === undefined
        ? serveAsset(asset, securityHeaders)
        : pageAt(at, serveAsset(commanded(asset), securityHeaders)))
    }
  }))
