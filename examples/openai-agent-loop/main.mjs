// You learn how a loop of your own asks for a model in each round, how it leaves out those that failed, and how tests
// become the verdict: an agent on OpenAI's SDK writes code until its tests pass.
import OpenAI from "openai"
import { spawnSync } from "node:child_process"
import { randomUUID } from "node:crypto"
import { copyFileSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { auto, sextantOf, withSextant } from "sextant-client/openai"

const { MODELS, SEXTANT_DEADLINE_MS, SEXTANT_KEY, SEXTANT_URL } = process.env
const models = MODELS.split(",")

const client = withSextant(new OpenAI(), {
  baseUrl: SEXTANT_URL, apiKey: SEXTANT_KEY, deadlineMs: Number(SEXTANT_DEADLINE_MS ?? 400),
  models, defaultModelId: models[0]
})

const goal = "Write an ES module that exports `slug(title)`: lower case, words joined by hyphens, nothing else. "
  + "Answer with one block of code."

/** What the tests say of the code; empty if they pass. The code may read its own folder, and nothing else. */
const complaintsOf = (code) => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "agent-loop-")))
  writeFileSync(join(folder, "slug.mjs"), code)
  copyFileSync(new URL("slug.test.mjs", import.meta.url), join(folder, "slug.test.mjs"))
  const args = ["--permission", `--allow-fs-read=${folder}`, join(folder, "slug.test.mjs")]
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: "utf8", timeout: 10_000, env: {} })
  rmSync(folder, { recursive: true })
  return status === 0 ? "" : `The tests fail:\n${stderr.slice(-2_000)}`
}

const codeOf = (text) => /```\w*\n([\s\S]*?)```/.exec(text)?.[1] ?? text

const conversationId = randomUUID()
const messages = [{ role: "user", content: goal }]
let left = models
let passes = false

while (!passes && left.length > 0) {
  const answer = await client.chat.completions.create({ model: auto({ conversationId, models: left }), messages })
  const { content } = answer.choices[0].message
  const complaints = complaintsOf(codeOf(content))
  passes = complaints === ""
  client.sextant.score(answer, passes, "gate")
  const { modelId, reason, source } = sextantOf(answer)
  const named = reason === null ? source : `${source}: ${reason}`
  console.log(`${modelId} (named by the ${named}): the tests ${passes ? "pass" : "fail"}`)
  messages.push({ role: "assistant", content }, { role: "user", content: `${goal}\n\n${complaints}` })
  // A model whose code failed gets no second round.
  left = left.filter((id) => id !== modelId)
  // Without the service there is the default alone.
  if (source === "default") break
}

await client.sextant.flush()
console.log(`${passes ? "done" : "given up"}, reports lost: ${client.sextant.dropped()}`)
