// The clients that the service serves: their bytes, how they are answered, and real installs of both by their URLs.
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { execFile } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"
import { it } from "vitest"
import { buildClients } from "../../scripts/build-clients.ts"
import { version } from "../../src/domain/Version.ts"
import { baseUrl, fakeService, sendRequest } from "../http/FakeService.ts"
import { temporaryFolder } from "../support/temporaryFolder.ts"
import { pythonClient, runPython, withPython } from "./python.ts"

const directory = temporaryFolder()
const archives = join(directory, "archives")
/** The archive of another version, whose place the build takes. */
const older = join(archives, "sextant-client-0.0.1.tgz")
mkdirSync(archives)
writeFileSync(older, "")
const [tarball = "", wheel = ""] = buildClients(archives)

const bare = { key: null }
const npmPath = `/clients/sextant-client-${version}.tgz`
const pipPath = `/clients/sextant_client-${version}-py3-none-any.whl`

interface Ended {
  readonly code: number
  readonly said: string
}

/** Runs a program to its end, which leaves the server of this process free to answer it. */
const run = (
  command: string,
  args: ReadonlyArray<string>,
  cwd: string,
  environment: Readonly<Record<string, string>> = {}
): Promise<Ended> =>
  new Promise((done) => {
    execFile(command, args, { cwd, env: { ...process.env, ...environment } }, (error, stdout, stderr) =>
      done({ code: error === null ? 0 : Number(error.code), said: stdout + stderr }))
  })

/** An index of packages with these answers, null for a name that is free. */
const registryOf = async (answer: (path: string) => object | null) => {
  const server = createServer((request, response) => {
    const found = answer(request.url ?? "")
    response.writeHead(found === null ? 404 : 200, { "content-type": "application/json" }).end(JSON.stringify(found ?? {}))
  })
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
  const address = server.address()
  return { url: `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`, close: () => void server.close() }
}

layer(fakeService({ clientsDirectory: archives }), { excludeTestServices: true })("a client that the service serves", (it) => {
  it.effect("is read without a key and kept by its tag, under the names of the service's version alone", () =>
    Effect.gen(function*() {
      const { clients } = (yield* sendRequest("GET", "/", bare)).body
      assert.deepStrictEqual(clients, { npm: npmPath, pip: pipPath })
      for (const [path, file, type] of [[npmPath, tarball, "application/gzip"], [pipPath, wheel, "application/zip"]] as const) {
        const { headers, status } = yield* sendRequest("GET", path, bare)
        assert.deepStrictEqual(
          [status, headers.get("content-type"), headers.get("cache-control"), headers.get("x-content-type-options")],
          [200, type, "public, no-cache", "nosniff"]
        )
        const head = yield* sendRequest("HEAD", path, bare)
        assert.deepStrictEqual([head.status, head.text], [200, ""])
        assert.strictEqual(head.headers.get("content-length"), String(readFileSync(file).length))
        const etag = headers.get("etag") ?? ""
        for (const held of [etag, `W/${etag}`, `"x", ${etag}`]) {
          const same = yield* sendRequest("GET", path, { ...bare, init: { headers: { "if-none-match": held } } })
          assert.deepStrictEqual([same.status, same.text, same.headers.get("etag")], [304, "", etag])
        }
        assert.strictEqual((yield* sendRequest("POST", path, { ...bare, json: {} })).status, 405)
      }
      const strangers = [
        "", "sextant-client-9.9.9.tgz", "..%2fpackage.json", "%2e%2e/README.md", "../package.json", "%00", "archives",
        `sextant-client-${version}.tgz/..`, "__proto__", "sextant-client.tgz"
      ]
      for (const name of strangers) {
        const { headers, status } = yield* sendRequest("GET", `/clients/${name}`, bare)
        assert.deepStrictEqual([status, headers.get("content-type")], [404, "application/problem+json"], name)
      }
    }))

  it.effect("stands on the start page with the host that was called", () =>
    Effect.gen(function*() {
      const { text } = yield* sendRequest("GET", "/", { ...bare, init: { headers: { accept: "text/html" } } })
      const url = yield* baseUrl
      assert.include(text, `npm install ${url}${npmPath}\npip install ${url}${pipPath}`)
    }))

  it.effect("is installed by npm in an empty folder, with its command, and by the same URL again", () =>
    Effect.gen(function*() {
      const project = temporaryFolder()
      writeFileSync(join(project, "package.json"), `{"private":true,"type":"module"}`)
      writeFileSync(join(project, "use.mjs"), "import { createSextant } from 'sextant-client'\n"
        + "await import('sextant-client/verify')\nconsole.log(typeof createSextant)\n")
      const url = `${yield* baseUrl}${npmPath}`
      // npm looks at the frameworks that may stand beside the client, and installs none.
      const registry = yield* Effect.promise(() => registryOf((path) => ({
        name: decodeURIComponent(path.slice(1)), "dist-tags": { latest: "0.0.1" }, versions: {}
      })))
      yield* Effect.addFinalizer(() => Effect.sync(registry.close))
      const environment = { npm_config_cache: join(directory, "cache"), npm_config_registry: registry.url }
      const installed = yield* Effect.promise(() =>
        run("npm", ["install", "--no-audit", "--no-fund", url], project, environment))
      assert.strictEqual(installed.code, 0, installed.said)
      const used = yield* Effect.promise(() => run(process.execPath, ["use.mjs"], project))
      assert.deepStrictEqual(used, { code: 0, said: "function\n" })
      const helped = yield* Effect.promise(() => run("npx", ["--no", "--", "sextant-client", "--version"], project, environment))
      assert.deepStrictEqual(helped, { code: 0, said: `${version}\n` })
      const again = yield* Effect.promise(() => run("npm", ["ci", "--no-audit", "--no-fund"], project, environment))
      assert.strictEqual(again.code, 0, again.said)
    }), 240_000)
})

layer(fakeService({ clientsDirectory: join(directory, "missing") }), { excludeTestServices: true })(
  "a client that was never packed",
  (it) => {
    it.effect("names the command that packs it", () =>
      Effect.gen(function*() {
        const { body, status } = yield* sendRequest("GET", npmPath, bare)
        assert.strictEqual(status, 503)
        assert.include(body["detail"], "npm run clients")
      }))
  }
)

withPython("the wheel that the service serves", () => {
  layer(fakeService({ clientsDirectory: archives }), { excludeTestServices: true })((it) => {
    it.effect("holds every module, the mark of types, and a record that is true", () =>
      Effect.gen(function*() {
        const program = `import base64, hashlib, re, sys, zipfile
archive = zipfile.ZipFile(sys.argv[1])
names = archive.namelist()
record = archive.read(next(name for name in names if name.endswith("/RECORD"))).decode()
for path, digest, size in re.findall(r"^(.+),sha256=(.+),(\\d+)$", record, re.MULTILINE):
    data = archive.read(path)
    names.remove(path)
    found = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    assert (found, len(data)) == (digest, int(size)), path
print(*names)`
        const { code, stderr, stdout } = yield* runPython(["-c", program, wheel], {})
        assert.deepStrictEqual([code, stderr, stdout], [0, "", `sextant_client-${version}.dist-info/RECORD\n`])
        const packed = readFileSync(wheel, "latin1")
        const modules = readdirSync(join(pythonClient, "sextant_client")).filter((name) => /\.py$|^py\.typed$/.test(name))
        assert.deepStrictEqual(modules.filter((name) => !packed.includes(`sextant_client/${name}`)), [])
      }))

    it.effect("is installed by pip into an empty environment", () =>
      Effect.gen(function*() {
        const place = join(directory, "venv")
        // A pip that is here installs into an environment without one, whose own would take seconds to unpack.
        const hasPip = (yield* runPython(["-m", "pip", "--version"], { PYTHONPATH: "" })).code === 0
        const made = yield* runPython(["-m", "venv", ...(hasPip ? ["--without-pip"] : []), place], { PYTHONPATH: "" })
        if (made.code !== 0) return void console.warn("skipped, because Python has no venv here: the install by pip")
        const python = join(place, "bin/python")
        const pip = hasPip ? ["python3", "-m", "pip", "--python", python] : [python, "-m", "pip"]
        const install = ["install", "--disable-pip-version-check", "--no-index", `${yield* baseUrl}${pipPath}`]
        const installed = yield* Effect.promise(() => run(pip[0] ?? "", [...pip.slice(1), ...install], directory))
        assert.strictEqual(installed.code, 0, installed.said)
        const program = "import sextant_client; print(sextant_client.__version__)"
        assert.deepStrictEqual(
          yield* Effect.promise(() => run(python, ["-c", program], place)), { code: 0, said: `${version}\n` }
        )
      }), 240_000)
  })
})

describe("the archives", () => {
  it("take the place of other versions", () => {
    assert.isFalse(existsSync(older))
  })

  const release = async (answer: (path: string) => object | null) => {
    const { close, url } = await registryOf(answer)
    const script = join(import.meta.dirname, "../../scripts/release.ts")
    const ended = await run(process.execPath, [script, "--dry-run", "--only", "names", "--pypi", url], directory, {
      npm_config_registry: url, npm_config_cache: join(directory, "cache"),
      ACTIONS_ID_TOKEN_REQUEST_URL: "", GITHUB_REPOSITORY: ""
    })
    close()
    return ended
  }

  it("are what a dry release would publish, which names every check that does not hold", async () => {
    const free = await release(() => null)
    // A further build, of another process, has the same bytes.
    for (const path of [tarball, wheel]) assert.include(free.said, createHash("sha256").update(readFileSync(path)).digest("hex"))
    assert.match(free.said, /\+ sextant-client@/)
    assert.notMatch(free.said, /another's|published already/)
    assert.match(free.said, /provenance: `repository.url`/)
    assert.strictEqual(free.code, 1)

    const taken = await release((path) => path.startsWith("/pypi/")
      ? { info: { summary: "Navigation at sea" }, releases: {} }
      : { description: JSON.parse(readFileSync("packages/client/package.json", "utf8")).description, versions: { [version]: {} } })
    assert.match(taken.said, /sextant-client 0\.1\.0 is published already/)
    assert.match(taken.said, /the name sextant-client is another's package/)
  }, 240_000)
})
