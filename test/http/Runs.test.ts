import { NodeServices } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { bundledRows } from "../../src/catalog/file/CatalogFile.ts"
import { snapshot } from "../support/builders.ts"
import { catalogOf } from "../support/fakes.ts"
import { undated } from "../support/undatedCatalog.ts"
import { engineService, key, recommend } from "./EngineService.ts"
import { sendRequest } from "./FakeService.ts"

const { cards } = await Effect.runPromise(bundledRows.pipe(Effect.provide(NodeServices.layer)))

const service = () => engineService({ catalog: catalogOf(undated(snapshot(cards))) })

interface Ranked {
  readonly model_id: string
  readonly predicted_success: number
}

const named = ["claude-fable-5", "claude-sonnet-4-6"]

/** Predicted success of the named models at one task that is a call or a run. */
const predictions = (unit: "call" | "run") =>
  Effect.map(
    recommend({
      task: { task: "Make the failing test in orders.py pass", task_type: "code", difficulty: "medium", unit },
      constraints: { candidate_models: named }
    }),
    ({ body }) => new Map((body["ranked"] as ReadonlyArray<Ranked>)
      .map((each) => [each.model_id, each.predicted_success]))
  )

describe("A run over HTTP", () => {
  it.live("is predicted by what runs of the model say, and a call is not", () =>
    Effect.gen(function*() {
      const [call, run] = [yield* predictions("call"), yield* predictions("run")]
      assert.sameMembers([...run.keys()], named)
      // Fable does better at runs than at calls, and Sonnet worse.
      assert.isAbove(run.get("claude-fable-5")!, call.get("claude-fable-5")!)
      assert.isBelow(run.get("claude-sonnet-4-6")!, call.get("claude-sonnet-4-6")!)
    }).pipe(Effect.provide(service())), 60_000)

  it.live("is known by the catalog beside the task types", () =>
    Effect.gen(function*() {
      const { body, status } = yield* sendRequest("GET", "/v1/models?provider=anthropic", { key })
      assert.strictEqual(status, 200)
      const models = body["models"] as ReadonlyArray<Readonly<Record<string, unknown>>>
      const fable = models.find((model) => model["model_id"] === "claude-fable-5")?.["capability_by_task_type"]
      assert.property(fable, "agent_run")
      assert.property(fable, "code")
    }).pipe(Effect.provide(service())), 60_000)
})
