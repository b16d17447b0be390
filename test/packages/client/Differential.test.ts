// Each feature of the newest frameworks, direct and routed: the program gets the same, and the provider is asked the same.
import { withSextant as withAnthropic } from "../../../packages/client/src/anthropic/index.ts"
import { withSextant as withOpenAi } from "../../../packages/client/src/openai/index.ts"
import { declareAiSdk } from "./differential/AiSdk.ts"
import { anthropic } from "./differential/Anthropic.ts"
import { declareLangChain } from "./differential/LangChain.ts"
import { declareMastra } from "./differential/Mastra.ts"
import { openAi } from "./differential/OpenAi.ts"
import { declareSdk } from "./differential/Sdk.ts"
import { staged } from "./support/Stage.ts"

const stage = staged(1)

declareSdk(stage, {
  adapter: "openai", name: "openai", wrap: withOpenAi,
  make: ({ OpenAI }, options, url) => new OpenAI({ ...options, baseURL: `${url}/v1` })
}, openAi)

declareSdk(stage, {
  adapter: "anthropic", name: "@anthropic-ai/sdk", wrap: withAnthropic,
  make: ({ Anthropic }, options, url) => new Anthropic({ ...options, baseURL: url })
}, anthropic)

declareAiSdk(stage)

declareLangChain(stage)

declareMastra(stage)
