import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { basename } from "node:path"
import { request, type IncomingHttpHeaders } from "node:http"
import * as Server from "../../src/http/Server.ts"
import * as KeysLocal from "../local/KeysLocal.ts"
import { localMemory } from "../engine/pipelines.ts"
import { baseUrl, goodKey, fakeService } from "./FakeService.ts"
import { memoryServer } from "../support/InProcess.ts"

interface Seen {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

/** One request with its target exactly as it is given. */
const ask = (method: string, path: string, headers: Readonly<Record<string, string>> = {}) =>
  Effect.flatMap(baseUrl, (base) =>
    Effect.callback<Seen>((resume) => {
      const { hostname, port } = new URL(base)
      const asked = request({ hostname, port, method, path, headers }, (response) => {
        let text = ""
        response.setEncoding("utf8").on("data", (chunk: string) => text += chunk)
        response.once("end", () =>
          resume(Effect.succeed({ status: response.statusCode ?? 0, headers: response.headers, text })))
      })
      asked.once("error", (error) => resume(Effect.die(error)))
      asked.end()
    }))

/** Ways to spell a path that the router, or what stands before it, takes for the same. */
const spellings = (path: string): ReadonlyArray<string> => {
  const escaped = path.replace(/[a-z]/, (letter) => `%${letter.charCodeAt(0).toString(16)}`)
  const shouted = path.toUpperCase()
  const all = path.replace(/[a-z]/g, (letter) => `%${letter.charCodeAt(0).toString(16)}`)
  return [
    path, `/${path}`, `//${path}`, path.replaceAll("/", "//"), escaped, all, shouted, `${path}/`, `${path}//`,
    `${path}?x=/docs`, `${path}?`, `${path}#/docs`, `${path};/docs`, `http://other.example${path}`,
    `HTTP://other.example/${shouted}`, `${path}/../docs`, `/docs/..${path}`, `/./${path}`, `${path}%2f`, `${path}%00`
  ]
}

const guarded = ["cache-control", "content-security-policy", "x-frame-options", "x-content-type-options"]
const guardsOf = ({ headers }: Seen) => guarded.map((name) => headers[name])

const key = { authorization: `Bearer ${goodKey}` }
const reports = new Set(["/v1/savings", "/v1/calibration", "/v1/policy-value", "/v1/dashboard", "/v1/advice", "/v1/calls", "/v1/observed-calls"])
const isOpen = (path: string) => path.startsWith("/docs") || path === "/openapi.json" || /^\/(dashboard|favicon|clients)/.test(path)

layer(fakeService(), { excludeTestServices: true })("a route of the service", (it) => {
  it.effect("keeps its cache and frame headers however its path is spelled", () =>
    Effect.gen(function*() {
      let found = 0
      for (const [path, methods] of Server.known.methods) {
        for (const method of [...methods, "HEAD", "PUT", "OPTIONS"]) {
          for (const headers of [{}, key]) {
            const plain = yield* ask(method, path, headers)
            for (const spelled of spellings(path)) {
              const seen = yield* ask(method, spelled, headers)
              const what = `${method} ${spelled}`
              assert.strictEqual(seen.headers["x-frame-options"], "DENY", what)
              assert.strictEqual(seen.headers["x-content-type-options"], "nosniff", what)
              assert.notProperty(seen.headers, "access-control-allow-origin", what)
              if (seen.status === plain.status) found++
              // A page with relative links is sent to the path from which they lead on.
              else if (seen.status === 308) assert.strictEqual(seen.headers["location"]?.split("?")[0], `../${basename(path)}`, what)
              // A report refuses a parameter that it does not know.
              else assert.strictEqual(seen.status, spelled === `${path}?x=/docs` && reports.has(path) ? 400 : 404, what)
              if (seen.status === 404 || !isOpen(path)) assert.strictEqual(seen.headers["cache-control"], "no-store", what)
              if (seen.status === plain.status) assert.deepStrictEqual(guardsOf(seen), guardsOf(plain), what)
            }
          }
        }
      }
      // Most spellings are the same path to the router: otherwise this would show nothing.
      assert.isAbove(found, Server.known.methods.size * 3 * 2 * 10)
    }), 60_000)

  it.effect("that is a page forbids frames", () =>
    Effect.gen(function*() {
      for (const path of ["/docs", "//docs", "/%64ocs", "/DOCS/", "/dashboard", "//dashboard", "/DASHBOARD"]) {
        const { headers, status } = yield* ask("GET", path)
        assert.include([200, 308, 503], status, path)
        assert.strictEqual(headers["x-frame-options"], "DENY", path)
        if (status === 200) assert.include(headers["content-security-policy"], "frame-ancestors 'none'", path)
      }
    }))

  it.effect("that is the root gives browsers a page, and lists URLs for programs", () =>
    Effect.gen(function*() {
      for (
        const accept of [
          "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8", "text/html", "TEXT/HTML, */*;q=0.1",
          "application/json;q=0.5, text/html;q=0.9"
        ]
      ) {
        const browser = yield* ask("GET", "/", { accept })
        assert.deepStrictEqual([browser.status, browser.headers.vary], [200, "accept"], accept)
        assert.match(browser.headers["content-type"] ?? "", /^text\/html/, accept)
        assert.strictEqual(browser.headers["cache-control"], "no-store")
        assert.include(browser.headers["content-security-policy"], "default-src 'none'")
        assert.notInclude(browser.headers["content-security-policy"], "unsafe")
      }
      for (
        const headers of [
          {}, { accept: "*/*" }, { accept: "application/json" }, { accept: "" }, { accept: "text/*;q=0, */*" },
          { accept: "text/html;q=0.1, application/json" }, { accept: "text/html;q=x" }, { accept: "text/htmlx" },
          { accept: "application/json, text/html" }, { accept: `${"text/html;q=0,".repeat(300)}*/*` }
        ]
      ) {
        const program = yield* ask("GET", "/", headers)
        assert.deepStrictEqual([program.status, program.headers.location, program.headers.vary], [200, undefined, "accept"])
        assert.match(program.headers["content-type"] ?? "", /^application\/json/, JSON.stringify(headers))
      }
      assert.strictEqual((yield* ask("POST", "/")).status, 405)
    }))

  it.effect("that is the root shows a browser the URL that it called, and no other text of the request", () =>
    Effect.gen(function*() {
      const accept = "text/html"
      const shown = (headers: Readonly<Record<string, string>>) =>
        Effect.map(ask("GET", "/", { accept, ...headers }), ({ text }) => /curl -s (.*)\/v1\/recommend/.exec(text)?.[1])
      assert.strictEqual(yield* shown({ host: "sextant.example:8443" }), "http://sextant.example:8443")
      assert.strictEqual(yield* shown({ host: "[::1]:8080" }), "http://[::1]:8080")
      assert.strictEqual(yield* shown({ host: "a.example", "x-forwarded-proto": "https" }), "https://a.example")
      assert.strictEqual(yield* shown({ host: "a.example", "x-forwarded-proto": "javascript" }), "http://a.example")
      for (const host of ["a\"><script>alert(1)</script>", "a b", "x'", "a/b", "a@b", "a:b", "a".repeat(300)]) {
        const { text } = yield* ask("GET", "/", { accept, host })
        assert.notInclude(text, "<script", host)
        assert.notInclude(text, `//${host}`, host)
        assert.include(text, "http://localhost:8080", host)
      }
    }))
})

const memory = memoryServer().pipe(
  Layer.provide([localMemory(), KeysLocal.layer([])])
)

layer(memory, { excludeTestServices: true })("a route of a memory that is served alone", (it) => {
  it.effect("is stored by no cache however its path is spelled", () =>
    Effect.gen(function*() {
      for (const path of ["/memory/v1/account", "/memory/v1/recall", "/health", "/livez", "/readyz", "/nothing"]) {
        for (const spelled of spellings(path)) {
          const { headers } = yield* ask("GET", spelled)
          assert.strictEqual(headers["cache-control"], "no-store", spelled)
          assert.strictEqual(headers["x-frame-options"], "DENY", spelled)
        }
      }
    }))
})
