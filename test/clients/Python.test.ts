import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { pythonTypesFile, pythonTypesOf } from "../../scripts/build-python-types.ts"
import { ownComponents } from "../../scripts/clientSchemas.ts"
import { dataDirectory } from "../support/Databases.ts"
import { startService } from "../support/Service.ts"
import { pythonClient, runPython, withPython } from "./python.ts"

/* The Python client: its types, its files, its own tests, and its package. */

const filesUnder = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".py")).map((path) => join(folder, path))

describe("the types of the Python client", () => {
  it("are those of the OpenAPI document of now (`npm run python-types` writes them)", () => {
    assert.strictEqual(readFileSync(pythonTypesFile, "utf8"), pythonTypesOf(ownComponents))
  })

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

withPython("the Python client", () => {
  it.live("compiles", () =>
    Effect.map(runPython(["-m", "py_compile", ...filesUnder(pythonClient)], {}), ({ code, stderr }) => {
      assert.deepStrictEqual({ code, stderr }, { code: 0, stderr: "" })
    }), 60_000)

  it.live("is written in the syntax of Python 3.9", () => {
    const program = "import ast, sys\nfor path in sys.argv[1:]: ast.parse(open(path).read(), path, feature_version=(3, 9))"
    return Effect.map(runPython(["-c", program, ...filesUnder(pythonClient)], {}), ({ code, stderr }) => {
      assert.deepStrictEqual({ code, stderr }, { code: 0, stderr: "" })
    })
  }, 60_000)

  it.live("passes its own tests against the service and against hostile servers, and skips none", () =>
    Effect.gen(function*() {
      const service = yield* startService({ SEXTANT_DATA_DIR: yield* dataDirectory })
      const { code, stderr } = yield* runPython(["-m", "unittest"], { SEXTANT_URL: service.baseUrl, SEXTANT_KEY: service.key })
      assert.strictEqual(code, 0, stderr)
      assert.match(stderr, /^Ran 1\d\d tests/m)
      assert.match(stderr, /^OK(?: \(skipped=\d+\))?$/m)
      // Only openssl and pip may be missing.
      assert.isAtMost(Number(/skipped=(\d+)/.exec(stderr)?.[1] ?? 0), 4)
    }), 180_000)
})
