/* Sends a problem as the answer if Node's HTTP parser rejects a request. */
import { STATUS_CODES, type Server } from "node:http"
import type { Socket } from "node:net"

interface ParserProblem {
  readonly status: number
  readonly title: string
  readonly detail: string
}

const problemsByCode: Readonly<Record<string, ParserProblem>> = {
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
const unmetExpectation: ParserProblem = {
  status: 417,
  title: "Expectation failed",
  detail: "The only supported expectation is 100-continue"
}
const malformed: ParserProblem = {
  status: 400,
  title: "Invalid request",
  detail: "The request is not valid HTTP"
}

const bodyOf = ({ detail, status, title }: ParserProblem): string =>
  JSON.stringify({ type: "about:blank", title, status, detail })

const headersOf = (body: string) => ({
  "content-type": "application/problem+json",
  "content-length": Buffer.byteLength(body),
  "x-content-type-options": "nosniff",
  connection: "close"
})

const textOf = (refusal: ParserProblem): string => {
  const body = bodyOf(refusal)
  return [
    `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status] ?? ""}`,
    ...Object.entries(headersOf(body)).map(([name, value]) => `${name}: ${value}`),
    "",
    body
  ].join("\r\n")
}

/** Node keeps the answer in progress in a field of the socket that has no public type. */
type ServerSocket = Socket & { readonly _httpMessage?: { readonly headersSent: boolean } | null }

/** True if part of an answer was sent; the client would read another answer as the rest of it. */
const isAnswering = (socket: ServerSocket): boolean => socket._httpMessage?.headersSent === true

/**
 * Answers an unreadable request with a problem document if the connection is open and no answer was begun.
 * Closes an unreadable request's connection, because the beginning of the next request is unknown.
 */
export const answerClientErrors = (server: Server): void => {
  server.on("checkExpectation", (_request, response) => {
    const body = bodyOf(unmetExpectation)
    response.writeHead(unmetExpectation.status, headersOf(body)).end(body)
  })
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) => {
    if (error.code === "ECONNRESET" || !socket.writable || isAnswering(socket)) {
      socket.destroy()
      return
    }
    socket.end(textOf(problemsByCode[error.code ?? ""] ?? malformed), () => socket.destroySoon())
  })
}
