/* Serves `/openapi.json`, and the API reference as a page that needs no internet. The page's script has 3
   MB, so it is a separate file that a browser caches. */
import { Effect, Exit } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiScalar, OpenApi } from "effect/http-api"
import { createHash } from "node:crypto"
import { basename } from "node:path"
import { assetOf, pageAt, serveAsset } from "../Assets.ts"
import { docsPath } from "../limits/Limits.ts"
import { DocumentedApi, ReferenceApi } from "./DocumentedApi.ts"

export const openapiPath = "/openapi.json"

export const referencePath = `${docsPath}/reference`
export const scriptPath = `${referencePath}.js`

/** Colours with more contrast than Scalar's own. */
const readableCss = `
.light-mode {
  --scalar-color-2: #52525b; --scalar-color-3: #63636b;
  --scalar-color-orange: #b93815; --scalar-color-blue: #0b62a6;
}
.dark-mode { --scalar-color-2: #b4b4bb; --scalar-color-3: #a0a0a8; }
`

/** Scalar's settings: no tools that send the document to others, and no code samples made by Scalar. */
const scalar = {
  withDefaultFonts: false,
  telemetry: false,
  hideModels: true,
  showDeveloperTools: "never",
  hideClientButton: true,
  agent: { disabled: true },
  mcp: { disabled: true },
  hiddenClients: true,
  documentDownloadType: "json",
  authentication: { preferredSecurityScheme: "bearer" },
  favicon: "../dashboard/icon.svg",
  customCss: readableCss
}

const rendered = Effect.scoped(Effect.gen(function*() {
  const page = HttpApiScalar.layer(ReferenceApi, { path: referencePath, scalar })
  const app = yield* HttpRouter.toHttpEffect(page)
  const request = HttpServerRequest.fromWeb(new Request(`http://localhost${referencePath}`))
  const response = yield* Effect.provideService(app, HttpServerRequest.HttpServerRequest, request)
  const text = yield* Effect.promise(() => HttpServerResponse.toWeb(response).text())
  return text.replace("<html>", '<html lang="en">')
}))

const inlineScripts = /<script>([\s\S]*?)<\/script>/g

/** The policy allows scripts of this service, requests to it, and the page's inline scripts by hash. */
const policyOf = (html: string): string => {
  const scripts = [...html.matchAll(inlineScripts)].map(([, source = ""]) =>
    `'sha256-${createHash("sha256").update(source).digest("base64")}'`)
  return [
    "default-src 'self'", `script-src 'self' ${scripts.join(" ")}`, "style-src 'unsafe-inline'",
    "img-src 'self' data: blob:", "font-src data:", "connect-src 'self'", "worker-src 'none'",
    "object-src 'none'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"
  ].join("; ")
}

const made = Effect.gen(function*() {
  const html = yield* rendered
  const [, source = ""] = [...html.matchAll(inlineScripts)]
    .reduce((one, other) => one[0].length < other[0].length ? other : one)
  const script = assetOf(source, "text/javascript; charset=utf-8")
  // The link contains the script's tag, so that a browser may cache the file.
  const link = `<script src="${basename(scriptPath)}?${script.etag.slice(1, -1)}"></script>`
  const page = html.replace(`<script>${source}</script>`, () => link)
  return {
    script: serveAsset(script, { "cache-control": "public, max-age=31536000, immutable" }),
    page: serveAsset(assetOf(page, "text/html; charset=utf-8"), {
      "content-security-policy": policyOf(page)
    })
  }
})

const document = Effect.sync(() =>
  serveAsset(assetOf(JSON.stringify(OpenApi.fromApi(DocumentedApi)), "application/json")))

/** Makes the document, the page and its script at the first request, and serves them. */
export const layer = HttpRouter.use(Effect.fnUntraced(function*(router) {
  const keepsSuccess = <A, E>(exit: Exit.Exit<A, E>) => Exit.isSuccess(exit) ? Infinity : 0
  yield* router.add("GET", openapiPath, Effect.flatten(yield* Effect.cachedWithTTL(document, keepsSuccess)))
  const files = yield* Effect.cachedWithTTL(made, keepsSuccess)
  yield* router.add("GET", referencePath, pageAt(referencePath, Effect.flatMap(files, ({ page }) => page)))
  yield* router.add("GET", scriptPath, Effect.flatMap(files, ({ script }) => script))
}))
