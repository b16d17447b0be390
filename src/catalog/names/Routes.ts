/* Removes the words that gateways, clouds and hosts put before a model's name. */

/** The makers of models. Each list has words for one maker, and the first word stands for all. */
const makers: ReadonlyArray<ReadonlyArray<string>> = [
  ["alibaba", "qwen", "dashscope", "alibaba-cloud"],
  ["amazon", "nova", "amazon_nova"],
  ["anthropic"],
  ["bytedance", "bytedance-seed", "volcengine", "byteplus"],
  ["cohere", "cohere_chat", "cohereforai", "coherelabs"],
  ["deepseek", "deepseek-ai"],
  ["google", "gemini", "google-ai-studio", "google_ai_studio", "google_genai", "google-genai", "google-gla",
    "googleai"],
  ["meta", "meta-llama", "meta_llama"],
  ["microsoft"],
  ["minimax", "minimaxai"],
  ["mistral", "mistralai", "mistral-ai"],
  ["moonshotai", "moonshot"],
  ["nvidia"],
  ["openai", "openai-chat", "openai_chat"],
  ["stepfun", "stepfun-ai"],
  ["tencent"],
  ["thinkingmachines"],
  ["upstage"],
  ["xai", "x-ai"],
  ["xiaomi", "xiaomimimo"],
  ["zai", "z-ai", "zai-org", "zhipu", "zhipuai"]
]

const makerByWord: ReadonlyMap<string, string> = new Map(
  makers.flatMap((words) => words.map((word) => [word, words[0] ?? word] as const))
)

/** Returns the maker that a provider's name means, or an unknown name in lower case. */
export const makerOf = (provider: string): string => {
  const word = provider.toLowerCase()
  return makerByWord.get(word) ?? word
}

/** Words for the place where a model runs: gateways, clouds, hosts, and parts of their paths. */
const places: ReadonlySet<string> = new Set([
  // Gateways
  "openrouter", "litellm", "litellm_proxy", "vercel", "vercel_ai_gateway", "ai-gateway", "gateway", "portkey",
  "helicone", "requesty", "llmgateway", "aihubmix", "cloudflare", "workers-ai", "compat", "opencode", "poe",
  // Clouds
  "bedrock", "bedrock_converse", "bedrock-converse", "bedrock_mantle", "amazon-bedrock", "amazon_bedrock",
  "aws", "aws-bedrock", "converse", "converse_like", "invoke", "sagemaker", "sagemaker_chat", "azure",
  "azure_ai", "azure-ai", "azure-openai", "azure_openai", "azureml", "azure-foundry", "foundry", "vertex",
  "vertexai", "vertex_ai", "vertex_ai_beta", "vertex-ai", "google-vertex", "google_vertexai", "gcp",
  "databricks", "snowflake", "watsonx", "oci", "github", "github-models", "github_copilot",
  "github-copilot",
  // Hosts
  "groq", "together", "together_ai", "togetherai", "fireworks", "fireworks_ai", "fireworks-ai", "deepinfra",
  "novita", "nebius", "hyperbolic", "sambanova", "cerebras", "baseten", "friendli", "friendliai", "lambda",
  "lambda_ai", "parasail", "siliconflow", "replicate", "huggingface", "hf", "ollama", "ollama_chat",
  "lm_studio", "lmstudio", "vllm", "hosted_vllm", "nvidia_nim", "ovhcloud", "scaleway", "chutes",
  // Paths
  "accounts", "models", "model", "publishers", "responses", "chat", "global", "global-standard", "datazone",
  "data-zone-standard", "us", "eu", "apac"
])

/** Words of a path that are followed by an argument, as in `projects/<id>/locations/<region>/…`. */
const takesArgument: ReadonlySet<string> = new Set(["projects", "locations"])

const cloudRegion = new RegExp(
  "^(?:(?:us|eu|ap|ca|sa|me|af|il|mx)(?:-gov)?-[a-z]+-\\d"
  + "|(?:us|europe|asia|me|africa|australia|northamerica|southamerica)-[a-z]+\\d{1,2})$"
)
const isPlace = (word: string): boolean => places.has(word) || cloudRegion.test(word)

/** Matches a Bedrock ARN that names a model or a predefined inference profile, up to the name. */
const bedrockArn = /^arn:aws[a-z-]*:bedrock:[a-z0-9-]*:\d*:(?:foundation-model|inference-profile)\//

/** The region at the beginning of a Bedrock inference profile, with the dot after it. */
const profileRegion = /^(?:us|us-gov|eu|apac|jp|au|ca|amer|global)\./

/** Databricks' prefixes, which end without a slash. */
const bareWord = /^(?:databricks-|system\.ai\.)/

export interface NameReading {
  readonly name: string
  /** Makers that the removed prefixes name. If a prefix names a maker, other makers' models do not match. */
  readonly makers: ReadonlyArray<string>
  /** True if the id has Bedrock's form: a maker and a dot before the name. */
  readonly isDotted: boolean
}

/** A prefix: its length in characters, and the maker that it names, if any. */
interface Prefix {
  readonly length: number
  readonly maker: string | undefined
  readonly isDotted: boolean
}

type MakerNamed = (word: string) => string | undefined

const before = (text: string, separator: string): string | null => {
  const at = text.indexOf(separator)
  return at <= 0 ? null : text.slice(0, at)
}

const prefixOf = (text: string, isFirst: boolean, makerNamed: MakerNamed): Prefix | null => {
  const place = (length: number): Prefix => ({ length, maker: undefined, isDotted: false })
  const arn = bedrockArn.exec(text)
  if (arn !== null) return place(arn[0].length)
  const segment = before(text, "/")
  if (segment !== null) {
    const argument = takesArgument.has(segment) ? before(text.slice(segment.length + 1), "/") : null
    if (argument !== null) return place(segment.length + argument.length + 2)
    // Portkey writes `@slug/name` with any slug, and Cloudflare writes `@cf/`.
    if (isPlace(segment) || (isFirst && segment.startsWith("@"))) return place(segment.length + 1)
    const maker = makerNamed(segment)
    if (maker !== undefined) return { length: segment.length + 1, maker, isDotted: false }
  }
  const scheme = before(text, ":")
  if (scheme !== null && !scheme.includes("/")) {
    if (isPlace(scheme)) return place(scheme.length + 1)
    const maker = makerNamed(scheme)
    if (maker !== undefined) return { length: scheme.length + 1, maker, isDotted: false }
  }
  if (segment !== null) return null
  const bare = profileRegion.exec(text) ?? bareWord.exec(text)
  if (bare !== null) return place(bare[0].length)
  const dotted = before(text, ".")
  const maker = dotted === null ? undefined : makerNamed(dotted)
  return dotted === null || maker === undefined ? null : { length: dotted.length + 1, maker, isDotted: true }
}

const prefixesMax = 8

/** Fireworks writes the point in a version as `p`, for example `kimi-k2p6`. */
const pointedByP = /(\d)p(\d)/g

/**
 * Returns the readings of an id: the id itself, then the id without prefixes, then other spellings of the
 * rest.
 */
export const readingsOf = (id: string, ownMakers: ReadonlySet<string>): ReadonlyArray<NameReading> => {
  const makerNamed: MakerNamed = (word) => makerByWord.get(word) ?? (ownMakers.has(word) ? word : undefined)
  const readings: Array<NameReading> = [{ name: id, makers: [], isDotted: false }]
  const named: Array<string> = []
  const text = id.toLowerCase()
  let at = 0
  let isDotted = false
  for (let taken = 0; taken < prefixesMax; taken++) {
    const prefix = prefixOf(text.slice(at), taken === 0, makerNamed)
    if (prefix === null || at + prefix.length >= text.length) break
    if (prefix.maker !== undefined) named.push(prefix.maker)
    isDotted ||= prefix.isDotted
    // `deepseek.v3.2` is short for `deepseek.deepseek-v3.2`.
    if (prefix.isDotted) {
      const joined = `${text.slice(at, at + prefix.length - 1)}-${text.slice(at + prefix.length)}`
      readings.push({ name: joined, makers: [...named], isDotted })
    }
    at += prefix.length
    readings.push({ name: text.slice(at), makers: [...named], isDotted })
  }
  const rest = text.slice(at)
  // Helicone writes the provider at the end: `claude-sonnet-4-5/anthropic`.
  const end = rest.lastIndexOf("/")
  const last = rest.slice(end + 1)
  const maker = makerNamed(last)
  if (end > 0 && (isPlace(last) || maker !== undefined)) {
    readings.push({
      name: rest.slice(0, end), makers: maker === undefined ? named : [...named, maker], isDotted
    })
  }
  const pointed = text.includes("fireworks") ? rest.replace(pointedByP, "$1.$2") : rest
  if (pointed !== rest) readings.push({ name: pointed, makers: named, isDotted })
  return readings
}
