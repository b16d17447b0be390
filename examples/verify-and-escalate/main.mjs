// You learn how Sextant plans several attempts at one task: a cheap model may try first to fix a failing test, and a
// better one goes on from what failed.
import { spawnSync } from "node:child_process"
import { copyFileSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createSextant } from "sextant-client"
import { runVerified } from "sextant-client/verify"

const { MODELS, OPENAI_API_KEY, OPENAI_BASE_URL, SEXTANT_DEADLINE_MS, SEXTANT_KEY, SEXTANT_URL } = process.env
const models = MODELS.split(",")
const sextant = createSextant({
  baseUrl: SEXTANT_URL, apiKey: SEXTANT_KEY, models, defaultModelId: models[0], deadlineMs: Number(SEXTANT_DEADLINE_MS ?? 400)
})

const read = (name) => readFileSync(new URL(name, import.meta.url), "utf8")
const goal = "This test fails. Fix the code, and answer with one block of code, the whole module.\n\n"
  + `cart.mjs:\n${read("cart.mjs")}\ncart.test.mjs:\n${read("cart.test.mjs")}`

/** What the test says of the code; empty if it passes. The code may read its own folder, and nothing else. */
const complaintsOf = (code) => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "verify-")))
  writeFileSync(join(folder, "cart.mjs"), code)
  copyFileSync(new URL("cart.test.mjs", import.meta.url), join(folder, "cart.test.mjs"))
  const args = ["--permission", `--allow-fs-read=${folder}`, join(folder, "cart.test.mjs")]
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: "utf8", timeout: 10_000, env: {} })
  rmSync(folder, { recursive: true })
  return status === 0 ? "" : `The test fails:\n${stderr.slice(-2_000)}`
}

/** One call of a model; what failed before is a part of the prompt. */
const fix = async (model, _call, attempts) => {
  const earlier = attempts.flatMap(({ result: { complaints, text } }) =>
    [{ role: "assistant", content: text }, { role: "user", content: complaints }])
  const response = await fetch(`${OPENAI_BASE_URL}/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${OPENAI_API_KEY}`, "content-type": "application/json" },
    body: JSON.stringify({ model, messages: [{ role: "user", content: goal }, ...earlier] })
  })
  // An error with a status tells an outage of the provider from a mistake of this program.
  if (!response.ok) throw Object.assign(new Error("the provider failed"), { status: response.status })
  const { choices: [{ message: { content: text } }], usage } = await response.json()
  return { text, usage, complaints: "" }
}

const done = await runVerified(sextant, { task: goal, task_type: "code" }, fix, {
  verify: (result, model) => {
    result.complaints = complaintsOf(/```\w*\n([\s\S]*?)```/.exec(result.text)?.[1] ?? result.text)
    console.log(`${model}: the test ${result.complaints === "" ? "passes" : "fails"}`)
    return result.complaints === ""
  },
  usage: ({ usage: { completion_tokens: outputTokens, prompt_tokens: inputTokens } }) => ({ inputTokens, outputTokens }),
  // What the fix is worth: at $0.05 no plan would reach the dearest model, at $100 it would begin there.
  request: { success_value_usd: 1 }
})
const by = done.isVerified ? `fixed by ${done.best.modelId}` : `not fixed: ${done.stop}`
console.log(`${by}, attempts: ${done.attempts.length}, cost: ${done.costUsd === null ? "not known" : `$${done.costUsd}`}`)
await sextant.flush()
console.log(`reports lost: ${sextant.dropped()}`)
