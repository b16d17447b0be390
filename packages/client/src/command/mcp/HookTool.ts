/* The tool `hook`, which Claude Code's hooks of the type `mcp_tool` call in the running process. The tool
   is not listed, so that no agent calls it. */
import { type Fields, isFields, parsed } from "../../agents/Json.ts"
import { answerTo, prepare } from "../../agents/Hooks.ts"
import { homeOf, readSettings } from "../../agents/Settings.ts"
import type { Tool } from "./Server.ts"

/** Claude Code passes `tool_input` as a JSON text, which is parsed. */
const eventOf = (given: Fields): Fields => {
  const input = given["tool_input"]
  return { ...given, tool_input: typeof input === "string" ? parsed(input) : input }
}

/** Loads the modules of the installed hooks in advance, so that the first question is answered faster. */
export const prepareHooks = async (): Promise<void> => {
  const settings = readSettings(homeOf(), process.env)
  if (typeof settings !== "string") await prepare("claude-code", settings)
}

export const hookTool: Tool = {
  name: "hook",
  title: "Hook",
  description: "Answers the hooks of Claude Code.",
  annotations: {},
  inputSchema: { type: "object", properties: {}, required: [], additionalProperties: false },
  call: async (given) => {
    const home = homeOf()
    const settings = readSettings(home, process.env)
    const answer = await answerTo("claude-code", eventOf(given), home, settings, Date.now())
    return { content: [{ type: "text", text: isFields(answer) ? JSON.stringify(answer) : "" }] }
  }
}
