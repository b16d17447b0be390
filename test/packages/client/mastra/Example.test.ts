// The agent of the examples, run as its README says, with everything up and with something down.
import { afterAll, assert, beforeAll, beforeEach, it } from "@effect/vitest"
import { linkPackages, runExample, startWorld, type World } from "../../../examples/world.ts"
import { onEachVersion } from "../support/Peers.ts"

const name = "mastra"

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())
beforeEach(() => {
  world.service.set("up")
  world.provider.reset()
  world.service.asked.length = world.service.reports.length = 0
})

const linesOf = async (): Promise<ReadonlyArray<string>> => {
  const { code, stderr, stdout } = await runExample(name, world)
  assert.strictEqual(code, 0, stderr)
  return stdout.trimEnd().split("\n")
}

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
