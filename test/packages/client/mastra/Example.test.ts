// The agent of the examples, run as its README says, with everything up and with something down.
import { assert, beforeAll, it } from "@effect/vitest"
import { linkPackages } from "../../../examples/world.ts"
import { onEachVersion } from "../support/Peers.ts"
import { stagedExample } from "../support/StagedExample.ts"

const name = "mastra"

const { linesOf, world } = stagedExample(name)

onEachVersion("mastra", () => {
  beforeAll(() => linkPackages(name))

  it("The agent runs the model that the service names, and reports usage and a verdict of each answer", async () => {
    const lines = await linesOf()
    assert.match(lines[0] ?? "", /^service (\w+): hello from \1$/)
    assert.strictEqual(lines.at(-1), "reports lost: 0")
    assert.sameMembers(world.service.reports.map(({ sent }) => `${sent.outcome} ${sent.evidence_source}`),
      ["success none", "success gate", "success none", "success gate"])
    assert.isTrue(world.service.reports.every(({ answer }) => answer.accepted))
    assert.isTrue(world.service.asked.every(({ namespace }) => namespace === "greetings"))
  })

  it("The agent goes on with its default model when the service is down", async () => {
    world.service.set("down")
    assert.deepStrictEqual(await linesOf(), [
      "default cheap: hello from cheap", "default cheap: hello from cheap", "reports lost: 0"
    ])
  })
})
