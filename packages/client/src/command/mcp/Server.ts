/* A server of the Model Context Protocol with tools only: JSON-RPC 2.0, one message or batch per line. No
   message can end the server. Every request gets one answer unless it is cancelled. */
import { type Fields, isFields } from "../../agents/Json.ts"
import { textOf } from "../../ForeignValues.ts"
import type { InputSchema } from "./ToolSchemas.ts"

/** Supported versions of the Model Context Protocol, newest first. */
const versions: ReadonlyArray<string> = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"]
/** The only version of the protocol in which this server accepts several messages in a line. */
const batchVersion = "2025-03-26"
/** Maximum number of calls at the same time, and of messages in a batch. */
const callsMax = 64

const parseError = -32700
const invalidRequest = -32600
const unknownMethod = -32601
const invalidParams = -32602
const internalError = -32603

type Id = string | number

/** A failed tool sends a result with `isError`, not a JSON-RPC error. */
export interface ToolResult {
  readonly content: ReadonlyArray<{ readonly type: "text"; readonly text: string }>
  readonly structuredContent?: Fields
  readonly isError?: true
}

export interface Tool {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly inputSchema: InputSchema
  readonly annotations: Fields
  /** Runs the tool. The promise of `call` may reject only if its signal is aborted. */
  readonly call: (given: Fields, signal: AbortSignal) => Promise<ToolResult>
}

export interface ServerOptions {
  readonly tools: ReadonlyArray<Tool>
  /** Tools for Claude Code's hooks, which `tools/list` hides so that no agent calls them. */
  readonly unlisted: ReadonlyArray<Tool>
  readonly version: string
  readonly instructions: string
  /** Writes `message`, which has no line feed, as one line. */
  readonly send: (message: string) => void
}

export interface Server {
  /** Handles one line of input, or null for a line that was too long. */
  readonly receive: (line: string | null) => void
  readonly idle: () => Promise<void>
}

class ProtocolError extends Error {
  readonly code: number

  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

const isId = (value: unknown): value is Id =>
  typeof value === "string" || Number.isSafeInteger(value)

const replyOf = (id: Id | null, { code, message }: ProtocolError): Fields =>
  ({ jsonrpc: "2.0", id, error: { code, message } })

const protocolErrorOf = (error: unknown): ProtocolError =>
  error instanceof ProtocolError
    ? error
    : new ProtocolError(internalError, `Internal error: ${textOf(error)}`)

export const createServer = ({ instructions, send, tools, unlisted, version }: ServerOptions): Server => {
  const byName = new Map([...tools, ...unlisted].map((tool) => [tool.name, tool]))
  const running = new Map<Id, AbortController>()
  const work = new Set<Promise<void>>()
  let negotiated: string | null = null

  const initialize = ({ protocolVersion }: Fields): Fields => {
    const wanted = String(protocolVersion)
    negotiated = versions.includes(wanted) ? wanted : versions[0] ?? wanted
    return {
      protocolVersion: negotiated,
      capabilities: { tools: {} },
      serverInfo: { name: "sextant", title: "Sextant", version },
      instructions
    }
  }

  const list = ({ cursor }: Fields): Fields => {
    if (cursor !== undefined) throw new ProtocolError(invalidParams, "Unknown cursor: the list has one page")
    return { tools: tools.map(({ call: _, ...described }) => described) }
  }

  const call = async (params: Fields, signal: AbortSignal): Promise<ToolResult> => {
    const { arguments: given = {}, name } = params
    const tool = typeof name === "string" ? byName.get(name) : undefined
    if (tool === undefined) {
      const names = tools.map((one) => one.name).join(", ")
      throw new ProtocolError(invalidParams, `Unknown tool; there are ${names}`)
    }
    if (!isFields(given)) throw new ProtocolError(invalidParams, "arguments is not an object")
    if (running.size > callsMax) {
      throw new ProtocolError(internalError, `More than ${callsMax} calls are under way`)
    }
    return tool.call(given, signal)
  }

  const resultOf = (method: string, params: Fields, signal: AbortSignal): unknown => {
    switch (method) {
      case "initialize":
        return initialize(params)
      case "ping":
        return {}
      case "tools/list":
        return list(params)
      case "tools/call":
        return call(params, signal)
    }
    throw new ProtocolError(unknownMethod, "Unknown method")
  }

  const onNotification = (method: string, params: unknown): void => {
    const { requestId } = isFields(params) ? params : {}
    if (method === "notifications/cancelled" && isId(requestId)) running.get(requestId)?.abort()
  }

  /** Handles a message and returns the reply; null for a notification, a reply, or a cancelled request. */
  const handle = async (message: unknown): Promise<Fields | null> => {
    if (!isFields(message)) return replyOf(null, new ProtocolError(invalidRequest, "A message is an object"))
    const { id, jsonrpc, method, params = {} } = message
    const refused = (code: number, text: string): Fields =>
      replyOf(isId(id) ? id : null, new ProtocolError(code, text))
    if (jsonrpc !== "2.0") return refused(invalidRequest, "jsonrpc is not \"2.0\"")
    // This server sends no requests, so a received reply is ignored.
    if (method === undefined && ("result" in message || "error" in message)) return null
    if (typeof method !== "string") return refused(invalidRequest, "method is not a string")
    if (id === undefined) {
      onNotification(method, params)
      return null
    }
    if (!isId(id)) return refused(invalidRequest, "id is neither a string nor an integer")
    if (!isFields(params)) return refused(invalidParams, "params is not an object")
    if (running.has(id)) return refused(invalidRequest, "A request with this id is under way")
    const controller = new AbortController()
    running.set(id, controller)
    try {
      return { jsonrpc, id, result: await resultOf(method, params, controller.signal) }
    } catch (error) {
      return controller.signal.aborted ? null : replyOf(id, protocolErrorOf(error))
    } finally {
      running.delete(id)
    }
  }

  /** Returns the reply to a line, a list of replies to a batch, or null if there is nothing to reply. */
  const answerTo = async (line: string | null): Promise<unknown> => {
    if (line === null) return replyOf(null, new ProtocolError(invalidRequest, "The line is too long"))
    if (line.trim() === "") return null
    const message = parsed(line)
    if (message instanceof ProtocolError) return replyOf(null, message)
    if (!Array.isArray(message)) return handle(message)
    if (negotiated !== batchVersion || message.length === 0 || message.length > callsMax) {
      return replyOf(null, new ProtocolError(invalidRequest, "Batches are not supported"))
    }
    const replies = (await Promise.all(message.map(handle))).filter((reply) => reply !== null)
    return replies.length === 0 ? null : replies
  }

  const answer = async (line: string | null): Promise<void> => {
    const reply = await answerTo(line)
    if (reply !== null) send(JSON.stringify(reply))
  }

  return {
    receive: (line) => {
      const one: Promise<void> = answer(line).finally(() => work.delete(one))
      work.add(one)
    },
    idle: async () => {
      while (work.size > 0) await Promise.all(work)
    }
  }
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    // The answer does not repeat the text, because the text may contain a secret.
    return new ProtocolError(parseError, "The line is not JSON")
  }
}
