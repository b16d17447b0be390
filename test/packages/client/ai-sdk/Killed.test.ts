// A stranger's app on the AI SDK, in a process of its own: it changes one line, the service is killed, the app goes on,
// and it asks the service again when that is back.
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import type { RoutedMetadata } from "../../../../packages/client/src/ai-sdk/index.ts"
import { dataDirectory } from "../../../support/Databases.ts"
import { acmeKey, startService } from "../../../support/Service.ts"
import { startFakeProvider, textOf } from "../support/FakeProvider.ts"
import { installClient } from "../support/Installed.ts"
import { onAllVersions, type Peers } from "../support/Peers.ts"

/** The app's author changes this line, and no other. */
const line = `const model = provider("gpt-5-mini")`
const changed = `const model = (await import("sextant-client/ai-sdk")).routed({ baseUrl: process.env.SEXTANT_URL, `
  + `apiKey: process.env.SEXTANT_KEY, defaultModelId: "gpt-5-mini", models: { `
  + `"gpt-5-mini": provider("gpt-5-mini"), "claude-sonnet-4-5": provider("claude-sonnet-4-5"), `
  + `"gemini-2.5-flash": provider("gemini-2.5-flash") } })`

/** Puts the built package where npm would, and the changed app beside it; yields the app's path. */
const installIn = ({ folder }: Peers): string => {
  const modules = join(folder, "node_modules")
  installClient(modules)
  mkdirSync(join(modules, ".sextant"), { recursive: true })
  const before = readFileSync(join(import.meta.dirname, "stranger.mjs"), "utf8")
  assert.include(before, line)
  const path = join(modules, ".sextant/stranger.mjs")
  writeFileSync(path, before.replace(line, changed))
  return path
}

interface Line {
  readonly delta?: true
  readonly text?: string
  readonly metadata?: { readonly sextant: RoutedMetadata }
}

/** Starts the app; it is killed when the scope closes. */
const startApp = (path: string, env: Readonly<Record<string, string>>) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const child = spawn(process.execPath, [path], {
        env: { PATH: process.env["PATH"], NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"], ...env }, stdio: ["pipe", "pipe", "inherit"]
      })
      const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
      const next = async (): Promise<Line> => {
        const { done, value } = await lines.next()
        if (done === true) throw new Error("The app ended")
        return JSON.parse(value) as Line
      }
      return {
        child,
        next,
        ask: (prompt: string, isStream: boolean) => void child.stdin.write(`${JSON.stringify({ prompt, isStream })}\n`),
        /** The answer that is under way, its parts left out. */
        answer: async (): Promise<Line> => {
          for (;;) {
            const read = await next()
            if (read.delta === undefined) return read
          }
        }
      }
    }),
    ({ child }) => Effect.sync(() => child.kill("SIGKILL"))
  )

const provider = Effect.acquireRelease(
  Effect.promise(() => startFakeProvider()),
  (started) => Effect.sync(started.close)
)

onAllVersions("ai-sdk", (all) => {
  it.live("An app with one line changed goes on when the service is killed, and asks it once back", () =>
    Effect.gen(function*() {
      const fake = yield* provider
      const environment = { SEXTANT_DATA_DIR: yield* dataDirectory }
      const service = yield* startService(environment)
      // One service has the apps of all versions: it is killed once, while an answer of each streams.
      const apps = yield* Effect.all(all.map((peers) => startApp(installIn(peers), {
        PROVIDER_URL: `${fake.url}/v1`, SEXTANT_URL: service.baseUrl, SEXTANT_KEY: acmeKey
      })))
      type App = typeof apps[number]
      const answered = (app: App) => Effect.promise(() => app.answer())
      const ofEach = (work: (app: App) => Effect.Effect<void>) => Effect.forEach(apps, work, { concurrency: "unbounded", discard: true })
      /** The first questions of a service that has just started may take longer than the app waits. */
      const served = Effect.fnUntraced(function*(app: App) {
        let known: Line = {}
        for (let tries = 0; tries < 200 && known.metadata?.sextant.source !== "service"; tries++) {
          if (tries > 0) yield* Effect.sleep("100 millis")
          app.ask("Say hello", tries % 2 === 1)
          known = yield* answered(app)
        }
        const { modelId = "", source } = known.metadata?.sextant ?? {}
        assert.strictEqual(source, "service")
        assert.strictEqual(known.text, textOf(modelId))
      })
      yield* ofEach(served)

      // Killed while answers stream.
      for (const id of ["gpt-5-mini", "claude-sonnet-4-5", "gemini-2.5-flash"]) fake.set(id, "slow")
      yield* ofEach(Effect.fnUntraced(function*(app) {
        app.ask("Say hello", true)
        assert.isTrue((yield* Effect.promise(app.next)).delta)
      }))
      yield* service.kill("SIGKILL")
      assert.isNull(yield* service.exitCode)
      yield* ofEach((app) => Effect.map(answered(app), ({ text }) => assert.match(text ?? "", /^hello from /)))
      fake.reset()

      yield* ofEach(Effect.fnUntraced(function*(app) {
        const reasons = new Set<string | null | undefined>()
        for (let i = 0; i < 10; i++) {
          app.ask("Say hello", i % 2 === 1)
          const { metadata, text } = yield* answered(app)
          assert.strictEqual(text, textOf("gpt-5-mini"))
          assert.deepInclude(metadata?.sextant, { source: "default", modelId: "gpt-5-mini", recommendationId: null })
          reasons.add(metadata?.sextant.reason)
        }
        assert.deepStrictEqual([...reasons], ["unreachable", "paused"])
        assert.isNull(app.child.exitCode)
      }))

      yield* startService({ ...environment, PORT: new URL(service.baseUrl).port })
      yield* ofEach(Effect.fnUntraced(function*(app) {
        yield* served(app)
        app.child.stdin.end()
        assert.strictEqual(yield* Effect.promise(() => new Promise((resolve) => app.child.on("exit", resolve))), 0)
      }))
    }).pipe(Effect.scoped), 120_000)
})
