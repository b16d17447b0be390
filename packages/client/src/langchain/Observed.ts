/* Wraps a chat model so that its calls are reported, even if another middleware calls it twice. */
import { type Call, endWithError } from "../Choice.ts"
import { attempt } from "../ForeignValues.ts"
import { type Message, usageOf } from "./Shapes.ts"

export type CallEnd = "answered" | "faulted" | "other"

export interface Observer {
  readonly began: () => Call
  readonly ended: (end: CallEnd) => void
}

interface InvokeOptions {
  readonly signal?: AbortSignal
  readonly callbacks?: unknown
}

type Method = (this: unknown, ...given: ReadonlyArray<unknown>) => unknown

/** Methods of a chat model that return the model in another form, which is wrapped too. */
const forms: ReadonlyArray<unknown> = ["bindTools", "withConfig", "_model", "_getModelInstance"]

const listening = (callbacks: unknown, firstToken: () => void): unknown =>
  attempt(() => {
    const own = {
      name: "sextant",
      awaitHandlers: true,
      handleLLMNewToken: firstToken,
      handleChatModelStreamEvent: firstToken
    }
    const { copy } = Object(callbacks)
    return typeof copy === "function"
      ? copy.call(callbacks, [own], false)
      : [...(callbacks ?? []) as ReadonlyArray<unknown>, own]
  }, callbacks)

const measured = (invoke: Method, target: object, { began, ended }: Observer): Method =>
  async (input, given) => {
    const options = given as InvokeOptions | undefined
    const call = began()
    try {
      const message = await invoke.call(target, input, {
        ...options,
        callbacks: listening(options?.callbacks, call.firstToken)
      })
      call.succeeded(attempt(() => usageOf(message as Message), {}))
      ended("answered")
      return message
    } catch (error) {
      ended(endWithError(call, error, options?.signal) ? "faulted" : "other")
      throw error
    }
  }

/** A frozen model is returned unwrapped, because a proxy may not change what a frozen object returns. */
export const observed = <Model>(model: Model, observer: Observer): Model => {
  if (typeof Object(model).invoke !== "function" || Object.isFrozen(model)) return model
  const target: object = Object(model)
  const proxy: unknown = new Proxy(target, {
    get: (_, key) => {
      // Methods run on the model itself, because a proxy has no access to private fields.
      const value: unknown = Reflect.get(target, key, target)
      if (key === "bound") return observed(value, observer)
      if (typeof value !== "function" || key === "constructor") return value
      const method = value as Method
      if (key === "invoke") return measured(method, target, observer)
      if (!forms.includes(key)) return method.bind(target)
      return (...given: ReadonlyArray<unknown>) => {
        const form = method.call(target, ...given)
        const wrap = (one: unknown): unknown => observed(one, observer)
        return form instanceof Promise ? form.then(wrap) : wrap(form)
      }
    }
  })
  return proxy as Model
}
