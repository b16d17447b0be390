/* Providers by catalog name, with the variables and packages that show their use. */

export interface Binding {
  readonly package: string
  /** Name of the package's function that takes a model's id, or of its class that takes `{ model }`. */
  readonly name: string
}

export interface Provider {
  readonly name: string
  readonly variables: ReadonlyArray<string>
  readonly packages: ReadonlyArray<string>
  readonly aiSdk?: Binding
  readonly langchain?: Binding
}

const aiSdk = (name: string): Binding => ({ package: `@ai-sdk/${name}`, name })

const langchain = (suffix: string, name: string): Binding => ({ package: `@langchain/${suffix}`, name })

export const providers: ReadonlyArray<Provider> = [
  {
    name: "openai", variables: ["OPENAI_API_KEY", "AZURE_OPENAI_API_KEY"], packages: ["openai"],
    aiSdk: aiSdk("openai"), langchain: langchain("openai", "ChatOpenAI")
  },
  {
    name: "anthropic", variables: ["ANTHROPIC_API_KEY"], packages: ["@anthropic-ai/sdk"],
    aiSdk: aiSdk("anthropic"), langchain: langchain("anthropic", "ChatAnthropic")
  },
  {
    name: "google", variables: ["GOOGLE_API_KEY", "GEMINI_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY"],
    packages: ["@google/genai", "@google/generative-ai"],
    aiSdk: aiSdk("google"), langchain: langchain("google-genai", "ChatGoogleGenerativeAI")
  },
  {
    name: "mistral", variables: ["MISTRAL_API_KEY"], packages: ["@mistralai/mistralai"],
    aiSdk: aiSdk("mistral"), langchain: langchain("mistralai", "ChatMistralAI")
  },
  {
    name: "groq", variables: ["GROQ_API_KEY"], packages: ["groq-sdk"],
    aiSdk: aiSdk("groq"), langchain: langchain("groq", "ChatGroq")
  },
  {
    name: "xai", variables: ["XAI_API_KEY"], packages: [],
    aiSdk: aiSdk("xai"), langchain: langchain("xai", "ChatXAI")
  },
  {
    name: "deepseek", variables: ["DEEPSEEK_API_KEY"], packages: [],
    aiSdk: aiSdk("deepseek"), langchain: langchain("deepseek", "ChatDeepSeek")
  },
  {
    name: "cohere", variables: ["COHERE_API_KEY", "CO_API_KEY"], packages: ["cohere-ai"],
    aiSdk: aiSdk("cohere"), langchain: langchain("cohere", "ChatCohere")
  },
  { name: "moonshotai", variables: ["MOONSHOT_API_KEY"], packages: [], aiSdk: aiSdk("moonshotai") },
  { name: "alibaba", variables: ["DASHSCOPE_API_KEY"], packages: [], aiSdk: aiSdk("alibaba") },
  { name: "zai", variables: ["ZAI_API_KEY"], packages: [] },
  { name: "minimax", variables: ["MINIMAX_API_KEY"], packages: [] }
]
