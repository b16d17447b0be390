// The agent loop of the examples, run as its README says, with everything up and with the service down.
import { assert, beforeAll, it } from "@effect/vitest"
import { linkPackages } from "../../../examples/world.ts"
import { onEachVersion } from "../support/Peers.ts"
import { models } from "../support/RealService.ts"
import { stagedExample } from "../support/StagedExample.ts"

const name = "openai-agent-loop"

const { linesOf, world } = stagedExample(name)

onEachVersion("openai", ({ version }) => {
  beforeAll(() => linkPackages(name, `openai/${version}`))

  it("The loop hands the work on until the tests pass, and the tests are the gate of each round", async () => {
    const lines = await linesOf()
    assert.deepStrictEqual(lines.slice(-1), ["done, reports lost: 0"])
    const rounds = lines.slice(0, -1).map((line) => line.split(" ")[0] ?? "")
    assert.deepStrictEqual(world.provider.asked.map(({ model }) => model), rounds)
    const verdicts = world.service.reports.map(({ sent }) => sent).filter((sent) => sent.evidence_source === "gate")
    assert.deepStrictEqual(
      verdicts.map(({ chosen_model_id: id, quality_score: quality }) => [id, quality]).sort(),
      rounds.map((id) => [id, id === "middle" ? 0 : 1]).sort()
    )
    // A model whose code failed is no candidate of the next round.
    assert.deepStrictEqual(
      world.service.asked.map(({ constraints }) => constraints?.candidate_models),
      rounds.map((_, i) => models.filter((id) => !rounds.slice(0, i).includes(id)))
    )
  })

  it("The loop runs its default model when the service is down, and scores nothing", async () => {
    world.service.set("down")
    assert.deepStrictEqual(await linesOf(), [
      "cheap (named by the default: unreachable): the tests pass", "done, reports lost: 0"
    ])
    assert.lengthOf(world.service.reports, 0)
  })
})
