import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { pythonTypesOf } from "../../scripts/generate/pythonTypes.ts"
import { ownComponents } from "../../scripts/generate/schemas.ts"
import { dataDirectory } from "../support/Databases.ts"
import { type Service, startService } from "../support/Service.ts"
import { pythonClient, runPython, startPython, withPython } from "./python.ts"

/* The Python client: its types, its files, its own tests, and its package. */

/** Chooses and runs until the service is gone, and ten times more. */
const killed = `
import os, time
from sextant_client import Sextant
sextant = Sextant(os.environ["SEXTANT_URL"], os.environ["SEXTANT_KEY"], ["gpt-4o", "gpt-4o-mini"], "gpt-4o",
                  deadline_ms=10_000, on_default=lambda *_: None, on_dropped=lambda _: None)
defaults = 0
while defaults < 10:
    choice = sextant.choose("Write a haiku")
    defaults += choice.source == "default"
    print(choice.source, *([choice.reason] if choice.reason else []), choice.run(lambda model_id: "ran"), flush=True)
sextant.flush()
print(f"ended, {sextant.dropped} lost")
`

const filesUnder = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".py")).map((path) => join(folder, path))

describe("the types of the Python client", () => {
  it("mark a field that may be missing, and one that may be null", () => {
    const text = pythonTypesOf({
      RecommendRequest: {
        type: "object",
        description: "What is asked.",
        required: ["task"],
        properties: { task: { type: "string" }, user_id: { anyOf: [{ type: "string" }, { type: "null" }] } }
      },
      RecommendResponse: { type: "object", additionalProperties: { type: "number" }, description: "Numbers." },
      FeedbackRequest: { type: "string", enum: ["a", "b"], description: "Words." },
      FeedbackResponse: { type: "array", items: { $ref: "#/components/schemas/FeedbackRequest" }, description: "List." }
    })
    assert.include(text, "class _RecommendRequestRequired(TypedDict):\n    task: str\n")
    assert.include(text, "class RecommendRequest(_RecommendRequestRequired, total=False):")
    assert.include(text, "    user_id: Optional[str]\n")
    assert.include(text, "RecommendResponse = Dict[str, float]\n")
    assert.include(text, `FeedbackRequest = Literal["a", "b"]\n`)
    assert.include(text, "FeedbackResponse = List[FeedbackRequest]\n")
  })

  it("are refused by the generator for a schema that Python has no type for", () => {
    assert.throws(() => pythonTypesOf({ ...ownComponents, FeedbackResponse: { not: {} } as object }), /No type of Python/)
  })
})

const sum = (numbers: ReadonlyArray<number>): number => numbers.reduce((total, one) => total + one, 0)

withPython("the Python client", () => {
  const scope = Effect.runSync(Scope.make())
  // The last test kills it.
  const service = {} as Service
  beforeAll(async () => {
    const started = Effect.flatMap(dataDirectory, (directory) => startService({ SEXTANT_DATA_DIR: directory }))
    Object.assign(service, await Effect.runPromise(Scope.provide(started, scope)))
  })
  afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

  it.live("compiles", () =>
    Effect.map(runPython(["-m", "py_compile", ...filesUnder(pythonClient)], {}), ({ code, stderr }) => {
      assert.deepStrictEqual({ code, stderr }, { code: 0, stderr: "" })
    }), 60_000)

  it.live("is written in the syntax of Python 3.9", () => {
    const program = "import ast, sys\nfor path in sys.argv[1:]: ast.parse(open(path).read(), path, feature_version=(3, 9))"
    return Effect.map(runPython(["-c", program, ...filesUnder(pythonClient)], {}), ({ code, stderr }) => {
      assert.deepStrictEqual({ code, stderr }, { code: 0, stderr: "" })
    })
  })

  it.live("passes its own tests against the service and against hostile servers, and skips none", () =>
    Effect.gen(function*() {
      const modules = readdirSync(join(pythonClient, "tests")).filter((name) => /^test_\w+\.py$/.test(name))
        .map((name) => `tests.${name.slice(0, -3)}`)
      // Most of their time is waiting: two processes take half of it.
      const halves = [0, 1].map((half) => modules.filter((_, i) => i % 2 === half))
      const ended = yield* Effect.forEach(halves, (names) =>
        runPython(["-m", "unittest", ...names], { SEXTANT_URL: service.baseUrl, SEXTANT_KEY: service.key }), { concurrency: 2 })
      const numbersOf = (pattern: RegExp) => ended.map(({ stderr }) => Number(pattern.exec(stderr)?.[1] ?? 0))
      for (const { code, stderr } of ended) {
        assert.strictEqual(code, 0, stderr)
        assert.match(stderr, /^OK(?: \(skipped=\d+\))?$/m)
      }
      assert.isAtLeast(sum(numbersOf(/^Ran (\d+) tests/m)), 200)
      // Only openssl and pip may be missing.
      assert.isAtMost(sum(numbersOf(/skipped=(\d+)/)), 4)
    }), 180_000)

  it.live("lets its program go on with the default model when the service is killed beside it", () =>
    Effect.gen(function*() {
      const python = yield* startPython(["-c", killed], { SEXTANT_URL: service.baseUrl, SEXTANT_KEY: service.key })
      const lines = () => python.stdout().trimEnd().split("\n")
      while (python.stdout() === "") yield* Effect.sleep("10 millis")
      yield* service.kill("SIGKILL")
      assert.strictEqual(yield* python.exitCode, 0, python.stderr())
      const last = lines().at(-1)
      const from = lines().findIndex((line) => line.startsWith("default"))
      assert.isAbove(from, 0)
      assert.isTrue(lines().slice(0, from).every((line) => line === "service ran"))
      assert.isTrue(lines().slice(from, -1).every((line) => /^default \w+ ran$/.test(line)), python.stdout())
      assert.match(last ?? "", /^ended, \d+ lost$/)
    }), 60_000)
})
