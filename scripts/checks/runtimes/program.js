// What scripts/checks/runtimes.ts runs in each runtime: the client against services that answer, fail, wait and redirect.
import assert from "node:assert/strict"
import { createServer } from "node:http"

/** @type {{ createSextant: Function, isOutage: (error: unknown) => boolean }} */
const { createSextant, isOutage } = await import(process.argv[2])

const answer = {
  recommendation_id: "r", recommended_model: { model_id: "a", predicted_success: 1 }, ranked: [], fallback_model: null
}
const servers = []
const start = async (listener) => {
  const server = createServer(listener)
  servers.push(server)
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve))
  return `http://127.0.0.1:${server.address().port}`
}
const clientOf = (baseUrl, deadlineMs = 5_000) =>
  createSextant({ baseUrl, apiKey: "k", models: ["a", "b"], defaultModelId: "b", deadlineMs })
const errorOf = (url, init) => fetch(url, init).then(() => null, (error) => error)

const good = await start((request, response) => {
  request.resume().once("end", () =>
    response.end(JSON.stringify(request.url.endsWith("/feedback") ? { accepted: true } : answer)))
})
const sextant = clientOf(good)
const choice = await sextant.choose("x")
assert.equal(await choice.run((model) => model, { usage: () => ({ outputTokens: 1 }) }), "a")
assert.equal(choice.source, "service")
assert.deepEqual([await sextant.flush(), sextant.dropped()], [true, 0])

const silent = await start(() => {})
const reset = await start((request) => request.socket.destroy())
const redirecting = await start((_, response) => response.writeHead(307, { location: `${good}/v1/recommend` }).end())
const gone = await start(() => {})
await new Promise((resolve) => servers.at(-1).close(resolve))
for (
  const [url, deadlineMs, reason] of [
    [silent, 50, "timeout"], [reset, 5_000, "unreachable"], [gone, 5_000, "unreachable"], [redirecting, 5_000, "refused"]
  ]
) {
  const { modelId, reason: why } = await clientOf(url, deadlineMs).choose("x")
  assert.deepEqual([modelId, why], ["b", reason])
}

// What this runtime's own fetch fails with is an outage; an abort and a mistake are not.
assert.ok(isOutage(await errorOf(gone)))
assert.ok(isOutage(await errorOf(reset)))
assert.ok(isOutage(await errorOf(silent, { signal: AbortSignal.timeout(50) })))
assert.ok(!isOutage(await errorOf(silent, { signal: AbortSignal.abort() })))
assert.ok(!isOutage(await errorOf("no url")))

// A report that waits for another attempt does not keep the process alive.
clientOf(gone).score("r", 1)
for (const server of servers) {
  server.closeAllConnections?.()
  server.close()
}
console.log("works")
