/** A bare Node server: it reads each body, and answers the bytes of its standard input. */
import { createServer } from "node:http"
import { text } from "node:stream/consumers"

const answer = Buffer.from(await text(process.stdin))
const head = {
  "content-type": "application/json",
  "content-length": answer.length,
  "x-content-type-options": "nosniff",
  "cache-control": "no-store"
}
const server = createServer((request, response) => {
  request.resume().once("end", () => response.writeHead(200, head).end(answer))
})
server.listen(0, "127.0.0.1", () => {
  const address = server.address()
  console.log(typeof address === "object" ? address?.port : address)
})
