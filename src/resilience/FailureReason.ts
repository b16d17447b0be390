/** Reasons why a call to something outside of the process failed. A {@link portError} has a reason. */
import { Schema } from "effect"

const fields = {
  cause: Schema.optionalKey(Schema.Defect())
}

const withCause = (what: string, cause: unknown): string =>
  typeof cause === "string" && cause !== "" ? `${what}: ${cause}` : what

const addGetters = <E extends object>(
  made: unknown,
  getters: { readonly [name: string]: (self: E) => unknown }
): void => {
  for (const [name, of] of Object.entries(getters)) {
    // The cast is needed because the type `unknown` does not say that every class has a prototype.
    Object.defineProperty((made as { readonly prototype: object }).prototype, name, {
      configurable: true,
      get(this: E) {
        return of(this)
      }
    })
  }
}

/**
 * @param isRetryable true if repeating the call later may succeed
 * @param what the beginning of the error's message
 */
const reasonClass = <Self>() => <const Tag extends string, const More extends Schema.Struct.Fields>(
  tag: Tag,
  isRetryable: boolean,
  what: string,
  more: More
) => {
  const made = Schema.TaggedError<Self, { readonly isRetryable: boolean }>()(tag, { ...fields, ...more })
  addGetters<{ readonly cause?: unknown }>(made, {
    isRetryable: () => isRetryable,
    message: ({ cause }) => withCause(what, cause)
  })
  return made
}

/** The other side does not accept the key or the login. */
export class Unauthorized
  extends reasonClass<Unauthorized>()("Unauthorized", false, "The credentials are refused", {})
{}

/** The request is refused because of its values, size or form, so repeating it is useless. */
export class Rejected
  extends reasonClass<Rejected>()("Rejected", false, "The request is rejected", {})
{}

/** The request did not leave this process, for example because a circuit is open or a quota is used up. */
export class NotSent extends reasonClass<NotSent>()("NotSent", true, "The request was not sent", {
  /** Time after which this process may send the request, in milliseconds; absent if unknown. */
  retryAfterMs: Schema.optionalKey(Schema.Finite)
}) {}

/** HTTP statuses for which the content of the request is not to blame. */
const statusesOfOutage: ReadonlyArray<number> = [401, 402, 403, 408, 429, 502, 503, 504]

/** The other side gave no usable answer: no connection, a broken connection, garbage, or an error status. */
export class Unreachable extends reasonClass<Unreachable>()("Unreachable", true, "No usable answer", {
  /** HTTP status of the answer; absent if no status is known. */
  status: Schema.optionalKey(Schema.Int),
  /** Time for which the other side asked not to be called, in milliseconds. */
  retryAfterMs: Schema.optionalKey(Schema.Finite)
}) {
  /** True if a status is known, and the content of the request may be to blame for it. */
  get mayBlameRequest(): boolean {
    return this.status !== undefined && !statusesOfOutage.includes(this.status)
  }
  override get message() {
    const what = this.status === undefined ? "No usable answer" : `Answered with status ${this.status}`
    return withCause(what, this.cause)
  }
}

/** After a timeout, the other side may still have carried out the request. */
export class TimedOut extends reasonClass<TimedOut>()("TimedOut", true, "No answer in time", {
  /** Time limit of this process for the answer, in milliseconds; absent if unknown. */
  limitMs: Schema.optionalKey(Schema.Finite)
}) {
  override get message() {
    return this.limitMs === undefined ? "No answer in time" : `No answer within ${this.limitMs} ms`
  }
}

/** Other work came in between: a deadlock or a serialization failure. */
export class Conflict
  extends reasonClass<Conflict>()("Conflict", true, "Other work came in between", {})
{}

/** The other side has no disk space, memory or connections left. */
export class Exhausted
  extends reasonClass<Exhausted>()("Exhausted", true, "The other side has no resources left", {})
{}

/** The other side answered with success, but the content of its answer cannot be used. */
export class Unusable
  extends reasonClass<Unusable>()("Unusable", false, "The answer cannot be used", {})
{}

/** Unknown cause, retryable so that a wrong guess loses no data. */
export class Unclassified
  extends reasonClass<Unclassified>()("Unclassified", true, "An unexpected error", {})
{}

export const FailureReason = Schema.Union([
  Unauthorized,
  Rejected,
  NotSent,
  Unreachable,
  TimedOut,
  Conflict,
  Exhausted,
  Unusable,
  Unclassified
])
export type FailureReason = typeof FailureReason.Type

export const isFailureReason = Schema.is(FailureReason)

/** Makes an error class, whose field `reason` gives the error's cause, message and `isRetryable`. */
export const portError = <Self>() => <const Tag extends string, const More extends Schema.Struct.Fields>(
  tag: Tag,
  more: More
) => {
  const made = Schema.TaggedError<Self, { readonly cause: FailureReason; readonly isRetryable: boolean }>()(
    tag, { ...more, reason: FailureReason }
  )
  addGetters<{ readonly reason: FailureReason }>(made, {
    cause: ({ reason }) => reason,
    message: ({ reason }) => reason.message,
    isRetryable: ({ reason }) => reason.isRetryable
  })
  return made
}
