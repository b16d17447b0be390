/* The adapter of LangChain: a middleware that asks the service for the model of each step. After an
   outage the next model runs. */
import { askAgain, type Failed } from "../adapters/NextAttempt.ts"
import { type Route, routeOf } from "../adapters/Route.ts"
import { attempt } from "../ForeignValues.ts"
import { type Choice, createSextant, isAbort, type Sextant, type SextantOptions } from "../index.ts"
import { faultOf } from "../Outage.ts"
import { gatesOf } from "./Gates.ts"
import { namesOf } from "./Names.ts"
import { type CallEnd, observed } from "./Observed.ts"
import { questionOf, type RouterQuestion } from "./Question.ts"
import { type ChatModelLike, messageOf, type ModelRequestLike, usageOf } from "./Shapes.ts"

export type { RouterQuestion } from "./Question.ts"
export type { ChatModelLike, ModelRequestLike } from "./Shapes.ts"

export interface RouterOptions<Id extends string>
  extends Omit<SextantOptions<Id>, "aliases" | "models" | "defaultModelId"> {
  /** The models that may run, by catalog id. */
  readonly models: Readonly<Record<Id, ChatModelLike>>
  /** The model that runs when the service gives no answer. */
  readonly defaultModelId: NoInfer<Id>
  /** Returns facts about a call that its messages do not show. */
  readonly ask?: (request: ModelRequestLike) => RouterQuestion<NoInfer<Id>>
  /**
   * Names of errors that mean a wrong answer if an inner middleware or a node in `gate` throws them, such as
   * `TestsFailed`. `StructuredOutputParsingError` means a wrong answer even if `gateErrors` lacks it.
   */
  readonly gateErrors?: ReadonlyArray<string> | undefined
  /** Maximum number of attempts at a step whose answers fail a check; 3 by default. */
  readonly maxAttempts?: number | undefined
}

/** The value of `response_metadata.sextant` in a message, with the field names of the service's API. */
export interface RouterMetadata {
  /** The recommendation's id, to report a verdict with; null if the service gave no answer. */
  readonly recommendation_id: string | null
  /** Id or else name of the model that answered; null if neither is known. */
  readonly model_id: string | null
  /** `service` if the service chose the attempt's first model, otherwise `default`. */
  readonly source: "service" | "default"
  /** Why the service's recommendation was not used; null if it was used. */
  readonly reason: string | null
}

export interface SextantRouter<Id extends string> {
  readonly name: string
  readonly wrapModelCall: <Request extends ModelRequestLike, Answer>(
    request: Request,
    handler: (request: Request) => Answer | PromiseLike<Answer>
  ) => Promise<Answer>
  /**
   * Wraps a node. If the node throws an error of `gateErrors`, the last answer has failed a check, and the
   * error is thrown again. Until the user's next message, each question to Sextant lists the failed answer.
   */
  readonly gate: <State, Rest extends ReadonlyArray<unknown>, Result>(
    node: (state: State, ...rest: Rest) => Result | PromiseLike<Result>
  ) => (state: State, ...rest: Rest) => Promise<Result>
  readonly sextant: Sextant<Id>
}

/** A step of the agent: the model that the agent passed in, and the choice that replaces this model. */
interface Step<Id extends string> {
  readonly own: unknown
  readonly choice: Choice<Id>
}

/** The message list of the agent's state, which all calls of a step share. */
const keyOf = ({ messages, state }: ModelRequestLike): object => Object(Object(state).messages ?? messages)

/** `isOut`: the provider failed. `isWrong`: the model's answer failed a check. */
type Ended<Answer> =
  | { readonly answer: Answer }
  | { readonly error: unknown; readonly isOut: boolean; readonly isWrong: boolean }

const requireModels = (models: Readonly<Record<string, ChatModelLike>>, defaultModelId: string): void => {
  for (const id of new Set([defaultModelId, ...Object.keys(models)])) {
    const model = Object.hasOwn(models, id) ? models[id] : undefined
    if (typeof Object(model).invoke === "function") continue
    const name = `models[${JSON.stringify(id)}]`
    throw new TypeError(`sextantRouter: ${name} is no chat model, such as new ChatOpenAI()`)
  }
}

/** Throws a `TypeError` if an option is wrong. */
export const sextantRouter = <const Id extends string>(
  { ask, gateErrors, maxAttempts = 3, ...options }: RouterOptions<Id>
): SextantRouter<Id> => {
  const models: Readonly<Record<Id, ChatModelLike>> = { ...options.models }
  requireModels(models, options.defaultModelId)
  const sextant = createSextant<Id>({ ...options, models: Object.keys(models) as Array<Id> })
  const names = namesOf(models)
  const gates = gatesOf(sextant, ["StructuredOutputParsingError", ...gateErrors ?? []])
  const steps = new WeakMap<object, Step<Id>>()

  /** Runs the inner middleware with a model, and reports the model's calls. */
  const run = async <Request extends ModelRequestLike, Answer>(
    choice: Choice<Id>,
    [id, model]: readonly [string | null, unknown],
    request: Request,
    handler: (request: Request) => Answer | PromiseLike<Answer>
  ): Promise<Ended<Answer>> => {
    let sinceMs = performance.now()
    let end: CallEnd | null = null
    const seen = id === null ? model : observed(model, {
      began: () => choice.begin(id),
      ended: (how) => {
        end = how
        sinceMs = performance.now()
      }
    })
    let answer: Answer
    try {
      answer = await handler({ ...request, model: seen })
    } catch (error) {
      // `end` tells surely how the model's call ended; a middleware may have wrapped `error`.
      return {
        error,
        isOut: end === null ? faultOf(error) !== null : end === "faulted",
        isWrong: end === "answered" && gates.isNamed(error)
      }
    }
    attempt(() => {
      const message = messageOf(answer)
      // If the chosen model did not answer, an inner middleware may have called another model.
      const isOurs = end === "answered"
      const ran = isOurs ? id : names.ofMessage(message) ?? (end === null ? id : null)
      if (!isOurs && ran !== null) {
        choice.begin(ran).succeeded({ ...usageOf(message), latencyMs: performance.now() - sinceMs })
      }
      const own: RouterMetadata = {
        recommendation_id: choice.recommendationId,
        model_id: ran,
        source: choice.source,
        reason: choice.reason
      }
      Object.assign(message.response_metadata ??= {}, { sextant: own })
    }, undefined)
    return { answer }
  }

  const router: SextantRouter<Id> = {
    name: "SextantRouter",
    wrapModelCall: async (request, handler) => {
      const key = keyOf(request)
      const step = steps.get(key)
      // An outer middleware's fallback passes another model for the same step, and that model runs.
      if (step !== undefined && step.own !== request.model) {
        const handedIn = [names.ofModel(request.model), request.model] as const
        const ended = await run(step.choice, handedIn, request, handler)
        if ("answer" in ended) return ended.answer
        throw ended.error
      }
      const question = gates.withFailed(questionOf(request, ask), request)
      const first = await sextant.choose(question.task, question.options)
      const tried = new Set<Id>()
      const failed: Array<Failed<Id>> = []
      let route: Route<Id> = routeOf(sextant.models, first, tried)
      for (let id = first.modelId;;) {
        const { choice } = route
        steps.set(key, { own: request.model, choice })
        tried.add(id)
        const ended = await run(choice, [id, models[id]], request, handler)
        if ("answer" in ended) return ended.answer
        let next: Id | null = null
        if (isAbort(ended.error, question.options.signal)) throw ended.error
        if (ended.isOut) next = route.afterFault(id)
        else if (ended.isWrong) {
          failed.push(gates.failed(id, choice.recommendationId, ended.error))
          if (failed.length < maxAttempts && choice.reason !== "shadow") {
            ({ next, route } = await askAgain(sextant, question, route, failed, tried))
          }
        }
        if (next === null) throw ended.error
        id = next
      }
    },
    gate: gates.gate,
    sextant
  }
  // LangChain's `createMiddleware` marks a middleware with the symbol `AgentMiddleware`.
  return Object.assign(router, { [Symbol.for("AgentMiddleware")]: true })
}
