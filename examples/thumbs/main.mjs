// A page with an answer and two thumbs below it: the reader's vote goes from the browser to Sextant, without a key.
import { readFile } from "node:fs/promises"
import { createServer } from "node:http"
import { createSextant } from "sextant-client"

const { MODELS, OPENAI_API_KEY, OPENAI_BASE_URL, PORT, SEXTANT_DEADLINE_MS, SEXTANT_KEY, SEXTANT_URL } = process.env
const models = MODELS.split(",")
const sextant = createSextant({
  baseUrl: SEXTANT_URL, apiKey: SEXTANT_KEY, deadlineMs: Number(SEXTANT_DEADLINE_MS ?? 400),
  models, defaultModelId: models[0]
})

const ask = async (model, prompt) => {
  const response = await fetch(`${OPENAI_BASE_URL}/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${OPENAI_API_KEY}`, "content-type": "application/json" },
    body: JSON.stringify({ model, messages: [{ role: "user", content: prompt }] })
  })
  if (!response.ok) throw Object.assign(new Error("the provider failed"), { status: response.status })
  const { choices: [{ message }], usage } = await response.json()
  return { text: message.content, usage }
}
const usage = ({ usage: { completion_tokens, prompt_tokens } }) =>
  ({ inputTokens: prompt_tokens, outputTokens: completion_tokens })

const escaped = (text) => text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)

const pageOf = async (prompt) => {
  // `vote` asks for the token of this answer. Reports say which model ran, and nothing of quality: the vote does.
  const choice = await sextant.choose(prompt, { request: { vote: true } })
  const { text } = await choice.run((model) => ask(model, prompt), { usage })
  const token = choice.recommendation?.vote_token
  const attribute = token ? ` data-vote-token="${escaped(token)}"` : ""
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Answer</title>
    <p${attribute}>${escaped(text)}</p>
    <script src="/thumbs.js" data-sextant="${escaped(SEXTANT_URL)}"></script></html>`
}

const server = createServer(async ({ url }, response) => {
  try {
    const isScript = url === "/thumbs.js"
    const content = isScript
      ? await readFile(new URL("thumbs.js", import.meta.url))
      : await pageOf("What do 3 chairs cost together, at 40 EUR each?")
    response.writeHead(200, { "content-type": isScript ? "text/javascript" : "text/html" }).end(content)
  } catch {
    response.writeHead(502).end()
  }
})
server.listen(Number(PORT ?? 0), "127.0.0.1", () => console.log(`page: http://127.0.0.1:${server.address().port}/`))
