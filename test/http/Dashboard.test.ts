import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { temporaryFolder } from "../support/temporaryFolder.ts"
import { sendRequest, fakeService } from "./FakeService.ts"

const directory = temporaryFolder()
writeFileSync(join(directory, "index.html"), "<!doctype html><title>page</title>")
writeFileSync(join(directory, "main.js"), "export {}")
writeFileSync(join(directory, "style.css"), "p { margin: 0 }")

const bare = { key: null }

layer(fakeService({ dashboardDirectory: directory }), { excludeTestServices: true })("the dashboard", (it) => {
  it.effect("is served without a key, under a policy that blocks other origins", () =>
    Effect.gen(function*() {
      const { headers, status, text } = yield* sendRequest("GET", "/dashboard", bare)
      assert.strictEqual(status, 200)
      assert.include(text, "<title>page</title>")
      assert.strictEqual(headers.get("content-type"), "text/html; charset=utf-8")
      assert.strictEqual(headers.get("x-content-type-options"), "nosniff")
      const policy = headers.get("content-security-policy") ?? ""
      for (const rule of ["default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'"]) {
        assert.include(policy, rule)
      }
      assert.notInclude(policy, "unsafe")
    }))

  it.effect("sends a browser that adds a slash to the page itself, where its relative links work", () =>
    Effect.gen(function*() {
      for (const path of ["/dashboard", "/docs"]) {
        const { headers, status } = yield* sendRequest("GET", `${path}/?days=7`, { ...bare, init: { redirect: "manual" } })
        assert.deepStrictEqual([status, headers.get("location")], [308, `..${path}?days=7`])
      }
    }))

  it.effect("serves its files with their types, and no others", () =>
    Effect.gen(function*() {
      const script = yield* sendRequest("GET", "/dashboard/main.js", bare)
      assert.strictEqual(script.headers.get("content-type"), "text/javascript; charset=utf-8")
      const style = yield* sendRequest("GET", "/dashboard/style.css", bare)
      assert.strictEqual(style.headers.get("content-type"), "text/css; charset=utf-8")
      for (const path of ["nope.js", "..%2fpackage.json", "../package.json"]) {
        assert.strictEqual((yield* sendRequest("GET", `/dashboard/${path}`, bare)).status, 404, path)
      }
    }))

  it.effect("compresses its files where that is accepted", () =>
    Effect.gen(function*() {
      const ask = (encoding: string) =>
        sendRequest("GET", "/dashboard/main.js", { ...bare, init: { headers: { "accept-encoding": encoding } } })
      const [plain, gzipped] = [yield* ask("identity"), yield* ask("gzip")]
      assert.deepStrictEqual([plain, gzipped].map(({ headers }) => headers.get("content-encoding")), [null, "gzip"])
      assert.strictEqual(gzipped.text, plain.text)
    }))

  it.effect("answers 304 to a browser that has the same version", () =>
    Effect.gen(function*() {
      const etag = (yield* sendRequest("GET", "/dashboard/main.js", bare)).headers.get("etag") ?? ""
      const same = yield* sendRequest("GET", "/dashboard/main.js", { ...bare, init: { headers: { "if-none-match": etag } } })
      assert.deepStrictEqual([same.status, same.text], [304, ""])
      const other = yield* sendRequest("GET", "/dashboard/main.js", { ...bare, init: { headers: { "if-none-match": "\"x\"" } } })
      assert.strictEqual(other.status, 200)
    }))

  it.effect("accepts only requests that read", () =>
    Effect.gen(function*() {
      const { headers, status } = yield* sendRequest("POST", "/dashboard", { ...bare, json: {} })
      assert.deepStrictEqual([status, headers.get("allow")], [405, "GET, HEAD, OPTIONS"])
      assert.strictEqual((yield* sendRequest("HEAD", "/dashboard", bare)).status, 200)
    }))

  it.effect("answers the request for a favicon", () =>
    Effect.gen(function*() {
      assert.strictEqual((yield* sendRequest("GET", "/favicon.ico", bare)).status, 204)
    }))
})

layer(fakeService({ dashboardDirectory: join(directory, "missing") }), { excludeTestServices: true })(
  "a dashboard that was never built",
  (it) => {
    it.effect("names the command that builds it", () =>
      Effect.gen(function*() {
        const { body, headers, status } = yield* sendRequest("GET", "/dashboard", bare)
        assert.strictEqual(status, 503)
        assert.strictEqual(headers.get("content-type"), "application/problem+json")
        assert.include(body["detail"], "npm run dashboard")
      }))
  }
)
