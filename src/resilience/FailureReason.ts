/** Why a call to something outside the process failed: the reasons that every port's error carries. */
import { Schema } from "effect"

const fields = {
  /** What the driver met, for the log alone; no decision depends on it. */
  cause: Schema.optionalKey(Schema.Defect())
}

const withCause = (what: string, cause: unknown): string =>
  typeof cause === "string" && cause !== "" ? `${what}: ${cause}` : what

/** Gives the errors of a class properties that are computed when they are read. */
const addGetters = <E extends object>(
  made: unknown,
  getters: { readonly [name: string]: (self: E) => unknown }
): void => {
  for (const [name, of] of Object.entries(getters)) {
    // Every class has a prototype; a maker of classes cannot say so of one whose type it is given.
    Object.defineProperty((made as { readonly prototype: object }).prototype, name, {
      configurable: true,
      get(this: E) {
        return of(this)
      }
    })
  }
}

/** A class of reasons: its tag, whether repeating the call later may succeed, and what its message says. */
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

/** The other side does not accept the key or the login that the call was made with. */
export class Unauthorized
  extends reasonClass<Unauthorized>()("Unauthorized", false, "The credentials are refused", {})
{}

/** The other side will never accept this very request: its values, its size or its form. */
export class Rejected
  extends reasonClass<Rejected>()("Rejected", false, "The request is rejected", {})
{}

/**
 * The request did not leave this process: a circuit is open, a quota is used up, others go first, no time is
 * left, or it was not prepared.
 */
export class NotSent extends reasonClass<NotSent>()("NotSent", true, "The request was not sent", {
  /** How long no request will be sent, in milliseconds, where that is known. */
  retryAfterMs: Schema.optionalKey(Schema.Finite)
}) {}

/**
 * Statuses that blame the key, the rate or the time, or that a proxy gives for a backend that is not there:
 * they say nothing about the request.
 */
const statusesOfOutage: ReadonlyArray<number> = [401, 402, 403, 408, 429, 502, 503, 504]

/** No usable answer: no connection, a broken one, garbage, or an error status. */
export class Unreachable extends reasonClass<Unreachable>()("Unreachable", true, "No usable answer", {
  /** HTTP status of the answer, where there was one. */
  status: Schema.optionalKey(Schema.Int),
  /** How long the other side asks not to be called again, in milliseconds, where it said so. */
  retryAfterMs: Schema.optionalKey(Schema.Finite)
}) {
  /** Whether the other side itself answered, so that the request may be what it could not handle. */
  get mayBlameRequest(): boolean {
    return this.status !== undefined && !statusesOfOutage.includes(this.status)
  }
  override get message() {
    const what = this.status === undefined ? "No usable answer" : `Answered with status ${this.status}`
    return withCause(what, this.cause)
  }
}

/** No answer in time. Whether the other side did what it was asked is unknown. */
export class TimedOut extends reasonClass<TimedOut>()("TimedOut", true, "No answer in time", {
  /** Longest wait, in milliseconds, where this process set it. */
  limitMs: Schema.optionalKey(Schema.Finite)
}) {
  override get message() {
    return this.limitMs === undefined ? "No answer in time" : `No answer within ${this.limitMs} ms`
  }
}

/** Other work came in between: a deadlock, a serialization failure, or a newer report. */
export class Conflict
  extends reasonClass<Conflict>()("Conflict", true, "Other work came in between", {})
{}

/** The other side lacks disk, memory or connections. */
export class Exhausted
  extends reasonClass<Exhausted>()("Exhausted", true, "The other side has no resources left", {})
{}

/** The other side answered as agreed, but the content of the answer is of no use. */
export class Unusable
  extends reasonClass<Unusable>()("Unusable", false, "The answer cannot be used", {})
{}

/** An error that no rule knows; it counts as retryable, because a guess must not lose data. */
export class Unclassified
  extends reasonClass<Unclassified>()("Unclassified", true, "An unexpected error", {})
{}

/**
 * Why a call failed. `isRetryable`: whether repeating the same call later may succeed. Drivers classify what
 * went wrong where they know it; callers decide by `_tag` and `isRetryable`.
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

/**
 * A class of errors of a port: `reason` says why a call failed, and is the error's cause and message.
 * `isRetryable`: whether repeating the same call later may succeed.
 */
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
