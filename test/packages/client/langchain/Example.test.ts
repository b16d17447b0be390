// The agent of the examples, run as its README says, with everything up and with something down.
import { assert, beforeAll, it } from "@effect/vitest"
import { linkPackages } from "../../../examples/world.ts"
import { textOf } from "../support/FakeProvider.ts"
import { onEachVersion } from "../support/Peers.ts"
import { stagedExample } from "../support/StagedExample.ts"

const name = "langchain"

const { linesOf, world } = stagedExample(name)

onEachVersion("langchain", ({ version }) => {
  beforeAll(() => linkPackages(name, `langchain/${version}`))

  it("The agent runs the models that the service names, keeps its conversation, and reports its checks", async () => {
    const [first = "", named = "", ...rest] = await linesOf()
    assert.match(named, /^ {2}\((\w+), named by the service; its check is reported\)$/)
    assert.include(named, first.replace("hello from ", ""))
    assert.strictEqual(rest.at(-1), "reports lost: 0")
    assert.strictEqual(world.service.asked[1]?.incumbent_model_id, world.provider.asked[0]?.model)
    assert.sameMembers(world.service.reports.map(({ sent }) => `${sent.outcome} ${sent.evidence_source}`),
      ["success none", "success gate", "success none", "success gate"])
    assert.isTrue(world.service.reports.every(({ answer }) => answer.accepted))
  })

  it("The agent goes on with another model when a provider is out", async () => {
    await linesOf()
    const pick = world.provider.asked[0]?.model ?? ""
    world.provider.reset()
    world.provider.set(pick, 500)
    const [first] = await linesOf()
    assert.notStrictEqual(first, textOf(pick))
  })

  it("The agent goes on with its default model when the service is down", async () => {
    world.service.set("down")
    const named = "  (cheap, named by the default: unreachable; nothing to score)"
    assert.deepStrictEqual(await linesOf(), [textOf("cheap"), named, textOf("cheap"), named, "reports lost: 0"])
  })
})
