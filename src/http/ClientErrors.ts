import { STATUS_CODES, type Server } from "node:http"
import type { Socket } from "node:net"

interface Refusal {
  readonly status: number
  readonly title: string
  readonly detail: string
}

const refusals: Readonly<Record<string, Refusal>> = {
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: 408,
    title: "Request timeout",
    detail: "The request took too long to arrive"
  },
  HPE_HEADER_OVERFLOW: {
    status: 431,
    title: "Request header fields too large",
    detail: "The request line and headers are too large"
  },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: {
    status: 413,
    title: "Payload too large",
    detail: "The extensions of the body's chunks are too large"
  }
}
const unexpectable: Refusal = {
  status: 417,
  title: "Expectation failed",
  detail: "The only expectation that is met is 100-continue"
}
const malformed: Refusal = { status: 400, title: "Invalid request", detail: "The request is not valid HTTP" }

const bodyOf = ({ detail, status, title }: Refusal): string =>
  JSON.stringify({ type: "about:blank", title, status, detail })

const headersOf = (body: string) => ({
  "content-type": "application/problem+json",
  "content-length": Buffer.byteLength(body),
  "x-content-type-options": "nosniff",
  connection: "close"
})

const textOf = (refusal: Refusal): string => {
  const body = bodyOf(refusal)
  return [
    `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status] ?? ""}`,
    ...Object.entries(headersOf(body)).map(([name, value]) => `${name}: ${value}`),
    "",
    body
  ].join("\r\n")
}

/** Node keeps the answer in progress on the socket, under a name that its types leave out. */
type ServerSocket = Socket & { readonly _httpMessage?: { readonly headersSent: boolean } | null }

/** Whether a part of an answer is on its way already: a second one would be read as its continuation. */
const isAnswering = (socket: ServerSocket): boolean => socket._httpMessage?.headersSent === true

/**
 * Answers what Node's own parser refuses, before there is a request, as a problem like every other refusal,
 * and closes the connection: after bad framing nobody knows where the next request begins.
 */
export const refuseAsProblems = (server: Server): void => {
  server.on("checkExpectation", (_request, response) => {
    const body = bodyOf(unexpectable)
    response.writeHead(unexpectable.status, headersOf(body)).end(body)
  })
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) => {
    if (error.code === "ECONNRESET" || !socket.writable || isAnswering(socket)) {
      socket.destroy()
      return
    }
    socket.end(textOf(refusals[error.code ?? ""] ?? malformed), () => socket.destroySoon())
  })
}
