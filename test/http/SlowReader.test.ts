import { assert, describe, it } from "@effect/vitest"
import { once } from "node:events"
import { connect } from "node:net"
import { makeServer } from "../../src/http/Listener.ts"

const listening = async (server: ReturnType<typeof makeServer>): Promise<number> => {
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  return typeof address === "object" && address !== null ? address.port : 0
}

describe("a client that does not read its answer", () => {
  it("loses its connection after the timeout, and a client that reads does not", async () => {
    const server = makeServer({ answerReadMs: 300 })
    const body = Buffer.alloc(20_000_000, "x")
    let isSlowEnded = false
    server.on("request", (request, response) => {
      if (request.url === "/slow") response.once("close", () => {
        isSlowEnded = !response.writableFinished
      })
      response.end(request.url === "/slow" ? body : "short")
    })
    const port = await listening(server)
    const slow = connect({ port, host: "127.0.0.1" }).on("error", () => {}).pause()
    slow.write("GET /slow HTTP/1.1\r\nhost: x\r\n\r\n")
    const brisk = connect({ port, host: "127.0.0.1" })
    let heard = ""
    brisk.on("data", (chunk: Buffer) => {
      heard += chunk.toString("latin1")
    })
    brisk.write("GET /quick HTTP/1.1\r\nhost: x\r\n\r\n")
    while (!isSlowEnded) await new Promise((resolve) => setTimeout(resolve, 20))
    brisk.write("GET /again HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")
    await once(brisk, "close")
    assert.lengthOf(heard.match(/short/g) ?? [], 2)
    slow.destroy()
    server.close()
    server.closeAllConnections()
  }, 30_000)
})
