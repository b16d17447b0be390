import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { mkdirSync, writeFileSync } from "node:fs"
import { connect } from "node:net"
import { join } from "node:path"
import { temporaryFolder } from "../../support/temporaryFolder.ts"
import { baseUrl, fakeService, sendRequest } from "../FakeService.ts"

const directory = temporaryFolder()
mkdirSync(join(directory, "using"))
writeFileSync(join(directory, "index.html"), "<!doctype html><title>contents</title>")
writeFileSync(join(directory, "using/start.html"), `<!doctype html><meta name="command" content="sextant"><title>start</title>`)
writeFileSync(join(directory, "docs.js"), "export {}")
writeFileSync(join(directory, "search.json"), "[]")

const bare = { key: null }

/** The status of a path as it stands: `fetch` would tidy it first. */
const statusOf = (path: string) =>
  Effect.flatMap(baseUrl, (url) =>
    Effect.callback<number>((resume) => {
      const { hostname, port } = new URL(url)
      const socket = connect(Number(port), hostname, () =>
        socket.write(`GET ${path} HTTP/1.1\r\nhost: ${hostname}\r\nconnection: close\r\n\r\n`))
      socket.once("data", (data) => {
        socket.destroy()
        resume(Effect.succeed(Number(data.toString("latin1").split(" ")[1])))
      })
    }))

layer(fakeService({ docsDirectory: directory }), { excludeTestServices: true })("the documentation", (it) => {
  it.effect("is pages without their ending, under a policy that allows its own files alone", () =>
    Effect.gen(function*() {
      for (const [path, title] of [["/docs", "contents"], ["/docs/using/start", "start"], ["/DOCS//using/start", "start"]] as const) {
        const { headers, status, text } = yield* sendRequest("GET", path, bare)
        assert.strictEqual(status, 200, path)
        assert.include(text, `<title>${title}</title>`)
        assert.strictEqual(headers.get("content-type"), "text/html; charset=utf-8")
        assert.include(headers.get("content-security-policy"), "default-src 'none'; script-src 'self'")
        assert.notInclude(headers.get("content-security-policy"), "unsafe")
      }
      assert.strictEqual((yield* sendRequest("GET", "/docs/search.json", bare)).headers.get("content-type"), "application/json")
    }))

  it.effect("names the command that runs where this service is", () =>
    Effect.gen(function*() {
      const { text } = yield* sendRequest("GET", "/docs/using/start", bare)
      assert.include(text, `content="npm run -s sextant --"`)
    }))

  it.effect("sends a browser that adds a slash to the page, from which its relative links lead on", () =>
    Effect.gen(function*() {
      const { headers, status } = yield* sendRequest("GET", "/docs/using/start/?q", { ...bare, init: { redirect: "manual" } })
      assert.deepStrictEqual([status, headers.get("location")], [308, "../start?q"])
    }))

  it.effect("has nothing at a path that leads elsewhere, however it is spelled", () =>
    Effect.gen(function*() {
      for (
        const path of [
          "/docs/../package.json", "/docs/%2e%2e/package.json", "/docs/..%2f..%2fpackage.json", "/docs/..%5c..%5cpackage.json",
          "/docs//../../etc/passwd", "/docs/using/../../v1/models", "/docs/using/start%00.html", "/docs/%c0%ae%c0%ae/x",
          "/docs/....//package.json", "/docs/using", "/docs/index", "/docs/index.html", "/docs/using/start.html", "/docs/nope"
        ]
      ) assert.strictEqual(yield* statusOf(path), 404, path)
      assert.strictEqual(yield* statusOf("/docs/using/start"), 200)
    }))
})

layer(fakeService({ docsDirectory: join(directory, "missing") }), { excludeTestServices: true })(
  "documentation that was never built",
  (it) => {
    it.effect("names the command that builds it, and leaves the reference of the API", () =>
      Effect.gen(function*() {
        const { body, status } = yield* sendRequest("GET", "/docs", bare)
        assert.strictEqual(status, 503)
        assert.include(body["detail"], "npm run docs")
        assert.strictEqual((yield* sendRequest("GET", "/docs/reference", bare)).status, 200)
      }))
  }
)
