/* `sextant-client mcp`: the server over standard input and output, until the input ends. */
import { connectionOf, type Environment } from "../Service.ts"
import { createTasks } from "./Attempts.ts"
import { createRemembered } from "./Explain.ts"
import { hookTool, prepareHooks } from "./HookTool.ts"
import { linesOf } from "./Lines.ts"
import { createServer } from "./Server.ts"
import { createTools } from "./Tools.ts"

/** Longest line, in bytes: more than any body that the service takes. */
const lineBytesMax = 4 * 1_024 * 1_024

const instructions = "Sextant recommends which language model should run a task, and learns from outcomes. "
  + "Before you start a sub-task on a model of your choice, call recommend_model; after it, report_outcome. "
  + "When a check of the result failed, next_attempt names the model that tries next. None of them is ever "
  + "needed to go on: when a tool fails, run your default model. Only when it says that the budget is used "
  + "up, run none."

/** What the server reads and writes; a process has them all. */
export interface McpStreams {
  readonly input: AsyncIterable<Uint8Array>
  /** Writes one text. */
  readonly write: (text: string) => void
  /** Waits while the reader of what was written is behind. */
  readonly drained: () => Promise<unknown>
  /** Says one line to a person. */
  readonly say: (line: string) => void
}

/** Serves until the input has ended and every call that it began. */
export const serveMcp = async (
  environment: Environment,
  version: string,
  streams: McpStreams
): Promise<void> => {
  const connection = connectionOf(environment)
  // A host shows a server that ends at its start as broken, and says nothing of why; a tool can say it.
  if (typeof connection === "string") streams.say(`sextant-client mcp: ${connection}`)
  const server = createServer({
    tools: createTools(connection, { remembered: createRemembered(), tasks: createTasks() }),
    unlisted: [hookTool],
    version,
    instructions,
    send: (message) => streams.write(`${message}\n`)
  })
  await prepareHooks()
  for await (const line of linesOf(streams.input, lineBytesMax)) {
    // Otherwise the answers to a host that does not read would fill the memory.
    await streams.drained()
    server.receive(line)
  }
  await server.idle()
}
