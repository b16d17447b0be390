/** Reasons why a call to something outside the process failed. Every port's error has one. */
import { Schema } from "effect"

const fields = {
  /** The driver's error. It is for the log, and no decision depends on it. */
  cause: Schema.optionalKey(Schema.Defect())
}

const withCause = (what: string, cause: unknown): string =>
  typeof cause === "string" && cause !== "" ? `${what}: ${cause}` : what

/** Adds properties to the errors of a class. They are computed when they are read. */
const addGetters = <E extends object>(
  made: unknown,
  getters: { readonly [name: string]: (self: E) => unknown }
): void => {
  for (const [name, of] of Object.entries(getters)) {
    // Every class has a prototype, but the type `unknown` does not say so.
    Object.defineProperty((made as { readonly prototype: object }).prototype, name, {
      configurable: true,
      get(this: E) {
        return of(this)
      }
    })
  }
}

/**
 * Makes a class of reasons.
 *
 * @param isRetryable true if repeating the call later may succeed
 * @param what the beginning of the message
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

/** The other side will never accept this request, because of its values, size or form. */
export class Rejected
  extends reasonClass<Rejected>()("Rejected", false, "The request is rejected", {})
{}

/**
 * The request did not leave this process. A circuit is open, a quota is used up, other requests go first, or
 * no time is left.
 */
export class NotSent extends reasonClass<NotSent>()("NotSent", true, "The request was not sent", {
  /** Time until a request will be sent, in milliseconds, if it is known. */
  retryAfterMs: Schema.optionalKey(Schema.Finite)
}) {}

/** Statuses that do not blame the request, but the key, the rate or the time. Or a proxy sends them. */
const statusesOfOutage: ReadonlyArray<number> = [401, 402, 403, 408, 429, 502, 503, 504]

/** No usable answer: no connection, a broken connection, garbage, or an error status. */
export class Unreachable extends reasonClass<Unreachable>()("Unreachable", true, "No usable answer", {
  /** HTTP status of the answer, if there was one. */
  status: Schema.optionalKey(Schema.Int),
  /** Wait before the next call that the other side asked for, in milliseconds. */
  retryAfterMs: Schema.optionalKey(Schema.Finite)
}) {
  /** True if the other side itself answered, so that its failure may be the request's fault. */
  get mayBlameRequest(): boolean {
    return this.status !== undefined && !statusesOfOutage.includes(this.status)
  }
  override get message() {
    const what = this.status === undefined ? "No usable answer" : `Answered with status ${this.status}`
    return withCause(what, this.cause)
  }
}

/** No answer in time. The other side may have carried out the request. */
export class TimedOut extends reasonClass<TimedOut>()("TimedOut", true, "No answer in time", {
  /** Longest wait, in milliseconds, if this process set it. */
  limitMs: Schema.optionalKey(Schema.Finite)
}) {
  override get message() {
    return this.limitMs === undefined ? "No answer in time" : `No answer within ${this.limitMs} ms`
  }
}

/** Other work came in between, for example a deadlock, a serialization failure, or a newer report. */
export class Conflict
  extends reasonClass<Conflict>()("Conflict", true, "Other work came in between", {})
{}

/** The other side has no disk space, memory or connections left. */
export class Exhausted
  extends reasonClass<Exhausted>()("Exhausted", true, "The other side has no resources left", {})
{}

/** The other side answered with success, but the content of the answer cannot be used. */
export class Unusable
  extends reasonClass<Unusable>()("Unusable", false, "The answer cannot be used", {})
{}

/** An unknown error. It is retryable, so that no data is lost by a wrong guess. */
export class Unclassified
  extends reasonClass<Unclassified>()("Unclassified", true, "An unexpected error", {})
{}

/**
 * The reason why a call failed. `isRetryable` is true if repeating the same call later may succeed. Drivers
 * choose the reason, and callers decide by `_tag` and `isRetryable`.
 */
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

/** Makes the class of a port's errors. Cause, message and `isRetryable` are those of `reason`. */
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
