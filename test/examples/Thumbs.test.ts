// The example of thumbs on a page, run as its README says, in a real browser, with everything up and with the service down.
import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { hasChromium } from "../packages/dashboard/browser.ts"
import { stagedExample } from "../packages/client/support/StagedExample.ts"
import { folderOf, linkPackages } from "./world.ts"

const name = "thumbs"
const { linesOf, world } = stagedExample(name)
linkPackages(name)

describe.skipIf(!hasChromium)("The thumbs of a page", () => {
  it("send the reader's vote from another origin, without a key, for the model that ran", async () => {
    assert.deepStrictEqual((await linesOf()).slice(1), ["reader: The currency is missing.", "page: Thank you."])
    const [report] = world.service.reports
    assert.deepInclude(report?.sent, { evidence_source: "none", outcome: "success" })
    const id = String(report?.sent.recommendation_id)
    const decisionOf = async () => {
      const response = await fetch(`${world.service.baseUrl}/v1/decision?recommendation_id=${id}`, {
        headers: { authorization: `Bearer ${world.service.apiKey}` }
      })
      return (await response.json() as { decision: Record<string, any> }).decision
    }
    for (let tries = 0; (await decisionOf())["outcomes"][0].provenance !== "vote"; tries++) {
      assert.isBelow(tries, 200)
      await new Promise((resume) => setTimeout(resume, 25))
    }
    const { outcomes, vote } = await decisionOf()
    assert.deepInclude(outcomes[0], { outcome: "failure", provenance: "vote", model_id: report?.sent.chosen_model_id })
    assert.deepInclude(vote, { thumb: "down", comment: "The currency is missing." })
  })

  it("are not on the page when the service is down", async () => {
    world.service.set("down")
    assert.deepStrictEqual(await linesOf(), ["answer: 120", "no thumbs: no token"])
  })
})

it("The snippet of the guide is the example's script, of at most 30 lines", () => {
  const script = readFileSync(join(folderOf(name), "thumbs.js"), "utf8")
  const guide = readFileSync(join(import.meta.dirname, "../../src/http/guides/scoring.md"), "utf8")
  assert.include(guide, `\`\`\`js\n${script}\`\`\``)
  assert.isAtMost(script.trimEnd().split("\n").length, 30)
})
