// The chat of the examples, run as its README says, with everything up and with something down.
import { afterAll, assert, beforeAll, beforeEach, it } from "@effect/vitest"
import { linkPackages, runExample, startWorld, type World } from "../../../examples/world.ts"
import { textOf } from "../support/FakeProvider.ts"
import { onEachVersion } from "../support/Peers.ts"

const name = "ai-sdk-chat"

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

onEachVersion("ai-sdk", ({ version }) => {
  beforeAll(() => linkPackages(name, `ai-sdk/${version}`))

  it("The chat runs the model that the service names, keeps its conversation, and reports what people say", async () => {
    const [first = "", named, thanks, ...rest] = await linesOf()
    assert.match(named ?? "", /^ {2}\((\w+), named by the service\)$/)
    assert.include(named, first.replace("hello from ", ""))
    assert.strictEqual(thanks, "  (thank you)")
    assert.strictEqual(rest.at(-1), "reports lost: 0")
    assert.isUndefined(world.service.asked[0]?.incumbent_model_id)
    assert.strictEqual(world.service.asked[1]?.incumbent_model_id, world.provider.asked[0]?.model)
    assert.sameMembers(world.service.reports.map(({ sent }) => `${sent.outcome} ${sent.evidence_source}`),
      ["success none", "success human", "success none"])
    assert.isTrue(world.service.reports.every(({ answer }) => answer.accepted))
  })

  it("The chat goes on with its default model when the service is down", async () => {
    world.service.set("down")
    assert.deepStrictEqual(await linesOf(), [
      textOf("cheap"), "  (cheap, named by the default: unreachable)", "  (nothing to score)",
      textOf("cheap"), "  (cheap, named by the default: unreachable)", "reports lost: 0"
    ])
  })
})
