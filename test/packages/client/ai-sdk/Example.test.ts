// The chat of the examples, run as its README says, with everything up and with something down.
import { assert, beforeAll, it } from "@effect/vitest"
import { linkPackages } from "../../../examples/world.ts"
import { textOf } from "../support/FakeProvider.ts"
import { onEachVersion } from "../support/Peers.ts"
import { stagedExample } from "../support/StagedExample.ts"

const name = "ai-sdk-chat"

const { linesOf, world } = stagedExample(name)

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
