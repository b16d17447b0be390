// You learn two ways to verdicts without work: a schema is the gate of a task with a form, and a model of yours judges
// a share of the other answers.
import { createSextant } from "sextant-client"
import { gates } from "sextant-client/gates"
import { judged } from "sextant-client/judge"
import { runVerified } from "sextant-client/verify"

const { MODELS, OPENAI_API_KEY, OPENAI_BASE_URL, SEXTANT_DEADLINE_MS, SEXTANT_KEY, SEXTANT_URL } = process.env
const models = MODELS.split(",")
const sextant = createSextant({
  baseUrl: SEXTANT_URL, apiKey: SEXTANT_KEY, models, defaultModelId: models[0], deadlineMs: Number(SEXTANT_DEADLINE_MS ?? 400)
})

/** One call of a model; its text is what gate and judge read. */
const ask = async (model, prompt) => {
  const response = await fetch(`${OPENAI_BASE_URL}/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${OPENAI_API_KEY}`, "content-type": "application/json" },
    body: JSON.stringify({ model, messages: [{ role: "user", content: prompt }] })
  })
  // An error with a status tells an outage of the provider from a mistake of this program.
  if (!response.ok) throw Object.assign(new Error("the provider failed"), { status: response.status })
  const { choices: [{ message: { content: text } }], usage } = await response.json()
  return { text, usage }
}
const usage = ({ usage: { completion_tokens: outputTokens, prompt_tokens: inputTokens } }) => ({ inputTokens, outputTokens })

// A gate: the answer is of this form, or the next model tries. One in ten wrong answers has the form too.
const invoice = gates.json({
  type: "object",
  properties: { total: { type: "number", minimum: 0 }, currency: { enum: ["EUR", "USD"] } },
  required: ["total", "currency"],
  additionalProperties: false
}, { passWrong: 0.1 })

const task = "Write the total of this invoice as JSON, with the fields total and currency: 3 chairs, 40 EUR each"
const done = await runVerified(sextant, task, (model) => ask(model, task), {
  verify: invoice, usage, request: { success_value_usd: 1 }
})
for (const { modelId, quality } of done.attempts) console.log(`gate: ${modelId} ${quality === 1 ? "passes" : "fails"}`)
console.log(done.isVerified ? `result: ${done.best.result.text}` : `no result: ${done.stop}`)
// A judge: your own model, with your own key. Here it judges every answer; a share of 0.05 is usual.
const review = judged({
  sextant, share: 1, budgetUsd: 0.5,
  judge: async (prompt) => {
    const { text, usage: { completion_tokens, prompt_tokens } } = await ask("judge", prompt)
    // What this model costs: $1 for a million tokens of input, $4 for a million of output.
    return { text, costUsd: prompt_tokens / 1e6 + 4 * completion_tokens / 1e6 }
  },
  onJudged: ({ end, modelId, quality }) => console.log(`judge: ${modelId} ${quality ?? end}`)
})
for (const prompt of ["What do 3 chairs cost together, at 40 EUR each?", "Add up 2 lamps at 60 EUR each"]) {
  const choice = await sextant.choose(prompt)
  const { text } = await review(prompt, choice.run((model) => ask(model, prompt), { usage }), choice)
  console.log(`answer: ${text}`)
}
await review.flush()
await sextant.flush()
console.log(`judged: ${review.totals().judged}, for $${review.totals().costUsd}, reports lost: ${sextant.dropped()}`)
