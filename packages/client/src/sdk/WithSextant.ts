/* Routes the requests of an OpenAI or Anthropic client, which all pass through `makeRequest`. */
import { endWithError } from "../Choice.ts"
import type { SextantOptions } from "../Options.ts"
import { remember } from "../Remembered.ts"
import { createSextant, type Sextant } from "../Sextant.ts"
import type { Usage } from "../Usage.ts"
import { fails } from "../adapters/Schema.ts"
import { measuredResponse, type ProviderUsage } from "./Measured.ts"
import {
  answeredToolId, type Body, conversationOf, namesAuto, needsOf, optionsOf, schemaOf, taskOf, tokensOf
} from "./Question.ts"
import { type AnswerSextant, marked, rememberRouted, type Routed, scoringAnswers } from "./RoutedAnswer.ts"

/** `models` is a list of ids, or a record of the provider's model name by Sextant's id. */
export interface RoutingOptions<Id extends string> extends Omit<SextantOptions<Id>, "models"> {
  readonly models: ReadonlyArray<Id> | Readonly<Record<Id, string>>
}

export interface Api {
  readonly name: string
  /** Paths of routed requests. The error about a path that is not routed names the APIs in `routes`. */
  readonly paths: RegExp
  readonly routes: string
  readonly usageOf: (usage: ProviderUsage) => Usage
  readonly prepared: (body: Body) => { readonly body: object; readonly hidesUsage: boolean }
}

interface RequestOptions {
  readonly path?: string
  readonly method?: string
  readonly body?: unknown
  readonly stream?: boolean
  readonly signal?: AbortSignal | null
}

interface Props {
  readonly response: Response
}

type MakeRequest = (
  options: RequestOptions | PromiseLike<RequestOptions>,
  retries: number | null,
  retryOf: string | undefined,
  ...rest: ReadonlyArray<unknown>
) => Promise<Props>

/** `_thenUnwrap` makes a promise that also has `withResponse` and `asResponse`. */
interface RequestPromise {
  readonly _thenUnwrap: (transform: (answer: unknown, props: Props) => unknown) => RequestPromise
}

/** The replaced methods of the SDK's client, of which `makeRequest` is private. */
interface Internals {
  makeRequest: MakeRequest
  post: (path: string, options?: unknown) => RequestPromise
  withOptions: (options: unknown) => object
}

/**
 * Runs a request on the chosen model and, after a provider's fault, on the next. If an answer that is no
 * stream does not fit the request's schema, a failure is reported. A tool's result goes to the model that
 * called the tool, because others may refuse that model's reasoning.
 */
const routedRequest = <Id extends string>(
  api: Api,
  sextant: Sextant<Id>,
  providerIdOf: (id: Id) => string,
  send: MakeRequest,
  called: Map<unknown, Id>
): MakeRequest => async (given, retries, retryOf, ...rest) => {
  const options = await given
  const body: Body = Object(options.body)
  // A request that names a real model, such as a retry by the SDK, is sent as it is.
  if (!namesAuto(options.body)) return send(options, retries, retryOf, ...rest)
  const { model, ...others } = body
  const isRouted = options.method === "post" && api.paths.test(options.path ?? "")
  if (!isRouted || typeof model !== "string" || namesAuto(others)) {
    throw new TypeError(`sextant/auto runs ${api.routes}: name a model for ${options.method} ${options.path}`)
  }
  const { signal } = options
  const read = { conversationId: conversationOf(body), ...optionsOf<Id>(model), signal }
  const caller = called.get(answeredToolId(body))
  const choice = await sextant.choose({ task: taskOf(body), expected_input_tokens: tokensOf(body) }, {
    ...read,
    parameters: body,
    ...(caller === undefined ? {} : { models: [caller] }),
    request: {
      // A single candidate leaves nothing to choose, so the needed abilities are not sent.
      inferred_requirements: caller === undefined ? needsOf(body) : undefined,
      ...read.request
    }
  })
  const schema = schemaOf(body)
  const isExhausted = choice.reason === "budget_exhausted"
  for (let id = isExhausted ? choice.modelId : caller ?? choice.modelId;;) {
    const call = choice.begin(id)
    const prepared = api.prepared({ ...body, model: providerIdOf(id) })
    try {
      // The SDK's own retries are off while another model is left, because that model can run at once.
      const [again, left] = choice.isLast ? [{}, retries] : [{ maxRetries: 0 }, null]
      const props = await send({ ...options, body: prepared.body, ...again }, left, retryOf, ...rest)
      const response = await measuredResponse(call, props.response, {
        isStream: options.stream === true,
        hidesUsage: prepared.hidesUsage,
        usageOf: api.usageOf,
        onText: schema === undefined ? schema : (text) => {
          if (!fails(schema, text)) return
          sextant.score(choice.recommendationId, 0, "gate", { modelId: id, notes: "not of its schema" })
        },
        onTool: (toolId) => remember(called, toolId, id),
        signal
      })
      const { detail, reason, recommendationId, source } = choice
      const routed: Routed = { recommendationId, modelId: id, source, reason, detail }
      rememberRouted(routed, response, signal)
      return { ...props, response }
    } catch (error) {
      const next = endWithError(call, error, signal) ? choice.next() : null
      if (next === null) throw error
      id = next
    }
  }
}

/** The type of an SDK's client, of which only the method `withOptions` is required. */
export interface SdkClient {
  withOptions: (options: never) => object
}

const install = <Client extends object, Id extends string>(
  api: Api,
  client: Client,
  sextant: Sextant<Id>,
  providerIdOf: (id: Id) => string
): Client & { readonly sextant: AnswerSextant<Id> } => {
  const internals = client as unknown as Internals
  const { makeRequest, post, withOptions } = internals
  if (typeof makeRequest !== "function" || typeof post !== "function") {
    throw new TypeError(`withSextant: no client of ${api.name} that is known`)
  }
  return Object.assign(client, {
    sextant: scoringAnswers(sextant),
    makeRequest: routedRequest(api, sextant, providerIdOf, makeRequest.bind(client), new Map()),
    post: (path: string, options?: unknown) => {
      const promise = post.call(client, path, options)
      if (!api.paths.test(path)) return promise
      return promise._thenUnwrap((answer, { response }) => marked(answer, response))
    },
    withOptions: (options: unknown) => install(api, withOptions.call(client, options), sextant, providerIdOf)
  })
}

/** Creates the Sextant client and routes the SDK client's requests for the model `sextant/auto`. */
export const routedClient = <Client extends SdkClient, Id extends string>(
  api: Api,
  client: Client,
  { models, ...options }: RoutingOptions<Id>
): Client & { readonly sextant: AnswerSextant<Id> } => {
  const isList = Array.isArray(models)
  const names: Partial<Record<Id, string>> = isList ? {} : models as Readonly<Record<Id, string>>
  const sextant = createSextant<Id>({ ...options, models: isList ? models : Object.keys(names) as Array<Id> })
  return install(api, client, sextant, (id) => names[id] ?? id)
}
