/* The plugin of opencode, which replaces the model `sextant/auto` in each user message with a real model. An
   error or an unknown model would fail the person's turn, so errors are caught, and the default model is set
   first. */
import { added, ask, askedRow, noTokens, type Ran, report, type Tokens } from "./Ask.ts"
import { isGate } from "./Gates.ts"
import { countAt, type Fields, fieldsAt, isFields, textAt } from "./Json.ts"
import { NoAnswer } from "./Post.ts"
import { homeOf, readSettings, type Settings } from "./Settings.ts"
import { forgetOld, remember } from "./State.ts"
import { isTask } from "./TaskText.ts"

interface Message {
  readonly id: string
  readonly sessionID: string
  readonly agent?: string
  model: { readonly providerID: string; readonly modelID: string; readonly variant?: string }
}

interface Received {
  readonly message: Message
  readonly parts: ReadonlyArray<Fields>
}

interface Host {
  readonly client?: { readonly config?: { providers(): Promise<unknown> } }
}

interface Open {
  readonly recommendationId: string
  readonly session: string
  readonly effort: string | null
  readonly from: number
  readonly counted: Set<string>
  modelId: string
  tokens: Tokens
  costUsd: number
  hasPassed: boolean | null
}

interface Session {
  /** Whether the session's last message ran on `sextant/auto`, by its own or its parent session's choice. */
  readonly isAuto: boolean
  readonly parent?: string
  readonly runs?: string
  readonly incumbent?: string
}

const modelOf = (name: string): { readonly providerID: string; readonly modelID: string } => {
  const at = name.indexOf("/")
  return { providerID: name.slice(0, at), modelID: name.slice(at + 1) }
}

const wordsOf = (parts: ReadonlyArray<Fields>): string =>
  parts.filter((part) => part["type"] === "text" && part["synthetic"] !== true && part["ignored"] !== true)
    .map((part) => textAt(part, "text")).join("\n")

const nameOf = ({ modelID, providerID }: Message["model"]): string => `${providerID}/${modelID}`

/** The names `<provider>/<model>`; null if the list has an unknown form. */
const namesIn = (answer: unknown): ReadonlySet<string> | null => {
  const { providers } = fieldsAt(answer, "data")
  if (!Array.isArray(providers)) return null
  return new Set(providers.flatMap((one) =>
    Object.keys(fieldsAt(one, "models")).map((model) => `${textAt(one, "id")}/${model}`)))
}

/** opencode's input count excludes cached tokens, and its output count excludes reasoning. */
export const opencodeTokens = (message: Fields): Tokens => {
  const tokens = fieldsAt(message, "tokens")
  const cache = fieldsAt(tokens, "cache")
  const [cached, cacheWrite] = [countAt(cache, "read"), countAt(cache, "write")]
  const reasoning = countAt(tokens, "reasoning")
  return {
    cached, cacheWrite, input: countAt(tokens, "input") + cached + cacheWrite,
    output: countAt(tokens, "output") + reasoning, reasoning
  }
}

const hooksOf = (settings: Settings, home: string, host: Host) => {
  const { defaultModel, models, shadow } = settings.tool("opencode")
  const sessions = new Map<string, Session>()
  const open = new Map<string, Open>()
  /** Models in the person's configuration; `known` lists opencode's models. */
  const configured = new Set<string>()
  let known: Promise<ReadonlySet<string> | null> | null = null

  const leftOut = (session: string, error: unknown): void =>
    remember(home, session, {
      kind: "left_out", tool: "opencode", reason: error instanceof NoAnswer ? error.reason : "failed"
    })

  /** Runs one hook. A hook's error is stored for `agents status` and not thrown. */
  const safely = async (session: string, work: () => Promise<void> | void): Promise<void> => {
    try {
      await work()
    } catch (error) {
      try {
        leftOut(session, error)
      } catch {
        // A full disk prevents storing the error.
      }
    }
  }

  const isKnown = async (name: string): Promise<boolean> => {
    if (configured.has(name)) return true
    known ??= host.client?.config?.providers().then(namesIn, () => null) ?? Promise.resolve(null)
    let timer: ReturnType<typeof setTimeout> | undefined
    const late = new Promise<null>((resolve) => timer = setTimeout(resolve, settings.deadlineMs, null))
    const names = await Promise.race([known, late])
    clearTimeout(timer)
    return names?.has(name) === true
  }

  const route = async (message: Message, prompt: string): Promise<void> => {
    const { incumbent, ...session } = sessions.get(message.sessionID) ?? { isAuto: true }
    const startedAt = Date.now()
    const pick = await ask(settings, {
      tool: "opencode", agent: message.agent ?? "main", prompt, session: message.sessionID, models, shadow,
      ...(incumbent === undefined ? {} : { incumbent }),
      baseline: Object.keys(models).find((id) => models[id] === defaultModel) ?? ""
    }, settings.deadlineMs)
    const isApplied = !shadow && await isKnown(pick.model)
    const variant = pick.effort === null ? {} : { variant: pick.effort }
    if (isApplied) message.model = { ...modelOf(pick.model), ...variant }
    const held = isApplied ? { incumbent: pick.modelId } : {}
    sessions.set(message.sessionID, { ...session, runs: nameOf(message.model), ...held })
    open.set(message.id, {
      recommendationId: pick.recommendationId, session: message.sessionID, from: startedAt,
      effort: isApplied ? pick.effort : null, counted: new Set(), modelId: "", tokens: noTokens, costUsd: 0,
      hasPassed: null
    })
    remember(home, message.sessionID, askedRow("opencode", pick, isApplied, startedAt))
  }

  const onAnswer = async (info: Fields): Promise<void> => {
    const of = textAt(info, "parentID")
    const run = open.get(of)
    const isCounted = run?.counted.has(textAt(info, "id")) === true
    if (run === undefined || isCounted || countAt(info["time"], "completed") === 0) return
    // opencode sends the same message several times, so each message is counted once.
    run.counted.add(textAt(info, "id"))
    run.tokens = added(run.tokens, opencodeTokens(info))
    run.costUsd += countAt(info, "cost")
    const name = `${textAt(info, "providerID")}/${textAt(info, "modelID")}`
    const id = Object.keys(models).find((one) => models[one] === name)
    run.modelId = id?.replace(/#.*/, "") ?? textAt(info, "modelID")
    const isBroken = isFields(info["error"])
    if (!isBroken && ["", "tool-calls"].includes(textAt(info, "finish"))) return
    open.delete(of)
    const ran: Ran = { ...run, calls: run.counted.size, latencyMs: Date.now() - run.from, isBroken }
    const told = await report(settings, run.recommendationId, ran)
    remember(home, run.session, { kind: "reported", tool: "opencode", ...told })
    forgetOld(home)
  }

  return {
    config: (config: { provider?: Record<string, unknown> }) =>
      safely("config", () => {
        config.provider ??= {}
        for (const [id, provider] of Object.entries(config.provider)) {
          for (const model of Object.keys(fieldsAt(provider, "models"))) configured.add(`${id}/${model}`)
        }
        // `sextant/auto` needs no real URL: the hook `chat.message` replaces this model before any call.
        config.provider["sextant"] = {
          npm: "@ai-sdk/openai-compatible", name: "Sextant",
          options: { baseURL: "http://127.0.0.1:9/never", apiKey: "none" },
          models: {
            auto: {
              name: "Auto", tool_call: true, reasoning: true, attachment: true,
              limit: { context: 200_000, output: 32_000 }
            }
          }
        }
      }),

    "chat.message": (_input: unknown, { message, parts }: Received) =>
      safely(textAt(message, "sessionID"), async () => {
        const isAuto = message.model.providerID === "sextant"
        // The default model is set first, so that the message has a real model even if the question fails.
        if (isAuto) message.model = modelOf(defaultModel)
        const { sessionID } = message
        const session = sessions.get(sessionID)
        const parent = sessions.get(session?.parent ?? "")
        // A subagent inherits `sextant/auto` only if it runs on the same model as its parent.
        const isInherited = parent?.isAuto === true && parent.runs === nameOf(message.model)
        sessions.set(sessionID, { ...session, isAuto: isAuto || isInherited, runs: nameOf(message.model) })
        if (!isAuto && !isInherited) return
        const prompt = wordsOf(parts)
        if (isTask(prompt)) await route(message, prompt)
      }),

    "tool.execute.after": (input: Fields, output: Fields) =>
      safely(textAt(input, "sessionID"), () => {
        const { exit } = fieldsAt(output, "metadata")
        const run = [...open.values()].findLast(({ session }) => session === textAt(input, "sessionID"))
        const command = textAt(input["args"], "command")
        if (textAt(input, "tool") !== "bash" || run === undefined || typeof exit !== "number") return
        if (isGate(command, settings.gates)) run.hasPassed = exit === 0
      }),

    event: (given: unknown) => {
      const event = fieldsAt(given, "event")
      const properties = fieldsAt(event, "properties")
      return safely(textAt(properties, "sessionID"), async () => {
        const info = fieldsAt(properties, "info")
        const parent = textAt(info, "parentID")
        if (event["type"] === "session.created" && parent !== "") {
          sessions.set(textAt(info, "id"), { isAuto: false, parent })
        }
        if (event["type"] === "message.updated" && textAt(info, "role") === "assistant") await onAnswer(info)
      })
    }
  }
}

/** The plugin that opencode loads; without hooks if the settings cannot be used. */
export const Sextant = async (host: Host): Promise<Partial<ReturnType<typeof hooksOf>>> => {
  const home = homeOf()
  const settings = readSettings(home, process.env)
  if (typeof settings === "string") return {}
  const { defaultModel, models } = settings.tool("opencode")
  return defaultModel.includes("/") && Object.keys(models).length > 0 ? hooksOf(settings, home, host) : {}
}
