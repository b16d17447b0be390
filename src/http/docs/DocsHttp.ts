/*
 * Serves `/docs`: the reference of the API and the guides, as one page that needs no internet. The page is
 * made at its first request, because its script has 3 MB, which most processes never send.
 */
import { Effect, Exit } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiScalar } from "effect/http-api"
import { createHash } from "node:crypto"
import { promisify } from "node:util"
import { gzip } from "node:zlib"
import { etagOf, isHeld } from "../Assets.ts"
import { docsPath } from "../limits/Limits.ts"
import { GuidedApi } from "./DocumentedApi.ts"

/** Darker greys, and wider guides than Scalar's own, which leave room for samples that guides do not have. */
const readableCss = `
.light-mode {
  --scalar-color-2: #52525b; --scalar-color-3: #63636b;
  --scalar-color-orange: #b93815; --scalar-color-blue: #0b62a6;
}
.dark-mode { --scalar-color-2: #b4b4bb; --scalar-color-3: #a0a0a8; }
.section-columns:has(> .section-column:last-child:empty) > .section-column:first-child {
  flex: none; width: 100%; max-width: 46rem;
}
.section-columns > .section-column:last-child:empty { display: none; }
.markdown pre code.hljs { white-space: pre-wrap !important; overflow-wrap: anywhere; }
`

/**
 * Settings of Scalar's page. Its tools that send the document to Scalar's own hosts are off, and the samples
 * that it makes itself are hidden: ours were run by a test.
 */
const scalar = {
  withDefaultFonts: false,
  telemetry: false,
  showDeveloperTools: "never",
  hideClientButton: true,
  agent: { disabled: true },
  mcp: { disabled: true },
  hiddenClients: true,
  documentDownloadType: "json",
  authentication: { preferredSecurityScheme: "bearer" },
  favicon: "/dashboard/icon.svg",
  customCss: readableCss
}

/** The page as Scalar's layer answers with it, in the language that it is written in. */
const rendered = Effect.scoped(Effect.gen(function*() {
  const app = yield* HttpRouter.toHttpEffect(HttpApiScalar.layer(GuidedApi, { path: docsPath, scalar }))
  const request = HttpServerRequest.fromWeb(new Request(`http://localhost${docsPath}`))
  const response = yield* Effect.provideService(app, HttpServerRequest.HttpServerRequest, request)
  const text = yield* Effect.promise(() => HttpServerResponse.toWeb(response).text())
  return text.replace("<html>", '<html lang="en">')
}))

/** Allows the scripts that the page contains, by their hashes, and requests to this service alone. */
const policyOf = (html: string): string => {
  const scripts = [...html.matchAll(/<script>([\s\S]*?)<\/script>/g)].map(([, source = ""]) =>
    `'sha256-${createHash("sha256").update(source).digest("base64")}'`)
  return [
    "default-src 'self'", `script-src ${scripts.join(" ")}`, "style-src 'unsafe-inline'",
    "img-src 'self' data: blob:", "font-src data:", "connect-src 'self'", "worker-src 'none'",
    "object-src 'none'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"
  ].join("; ")
}

const compress = promisify(gzip)

const made = Effect.gen(function*() {
  const html = yield* rendered
  const bytes = Buffer.from(html)
  const headers = {
    "content-security-policy": policyOf(html),
    etag: etagOf(bytes),
    vary: "accept-encoding",
    // Browsers revalidate each time, and get 304 when nothing changed: a new version shows at once.
    "cache-control": "no-cache"
  }
  return { bytes, headers, gzipped: yield* Effect.promise(() => compress(bytes)) }
})

const acceptsGzip = (accepted: string | undefined): boolean =>
  /(?:^|,)\s*gzip\s*(?:;\s*q=(?!0(?:\.0*)?\s*(?:,|$))[\d.]+\s*)?(?:,|$)/i.test(accepted ?? "")

const contentType = "text/html; charset=utf-8"

/** The page, made once; a failure is not kept. */
export const layer = HttpRouter.use(Effect.fnUntraced(function*(router) {
  const page = yield* Effect.cachedWithTTL(made, (exit) => Exit.isSuccess(exit) ? Infinity : 0)
  yield* router.add("GET", docsPath, HttpServerRequest.HttpServerRequest.use((request) =>
    Effect.map(page, ({ bytes, gzipped, headers }) => {
      if (isHeld(request.headers["if-none-match"], headers.etag)) {
        return HttpServerResponse.empty({ status: 304, headers })
      }
      return acceptsGzip(request.headers["accept-encoding"])
        ? HttpServerResponse.uint8Array(gzipped, {
          contentType, headers: { ...headers, "content-encoding": "gzip" }
        })
        : HttpServerResponse.uint8Array(bytes, { contentType, headers })
    })))
}))
