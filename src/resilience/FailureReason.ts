/** Why a call to something outside the process failed: the reasons that every port's error carries. */
import { Schema } from "effect"

const fields = {
  /** What the driver met, for the log alone; no decision depends on it. */
  cause: Schema.optionalKey(Schema.Defect())
}

const withCause = (what: string, cause: unknown): string =>
  typeof cause === "string" && cause !== "" ? `${what}: ${cause}` : what

/** The other side does not accept the key or the login that the call was made with. */
export class Unauthorized extends Schema.TaggedError<Unauthorized>()("Unauthorized", fields) {
  readonly isRetryable = false
  override get message() {
    return withCause("The credentials are refused", this.cause)
  }
}

/** The other side will never accept this very request: its values, its size or its form. */
export class Rejected extends Schema.TaggedError<Rejected>()("Rejected", fields) {
  readonly isRetryable = false
  override get message() {
    return withCause("The request is rejected", this.cause)
  }
}

/**
 * The request did not leave this process: a circuit is open, a quota is used up, others go first, no time is
 * left, or it was not prepared.
 */
export class NotSent extends Schema.TaggedError<NotSent>()("NotSent", {
  ...fields,
  /** How long no request will be sent, in milliseconds, where that is known. */
  retryAfterMs: Schema.optionalKey(Schema.Finite)
}) {
  readonly isRetryable = true
  override get message() {
    return withCause("The request was not sent", this.cause)
  }
}

/**
 * Statuses that blame the key, the rate or the time, or that a proxy gives for a backend that is not there:
 * they say nothing about the request.
 */
const statusesOfOutage: ReadonlyArray<number> = [401, 402, 403, 408, 429, 502, 503, 504]

/** No usable answer: no connection, a broken one, garbage, or an error status. */
export class Unreachable extends Schema.TaggedError<Unreachable>()("Unreachable", {
  ...fields,
  /** HTTP status of the answer, where there was one. */
  status: Schema.optionalKey(Schema.Int),
  /** How long the other side asks not to be called again, in milliseconds, where it said so. */
  retryAfterMs: Schema.optionalKey(Schema.Finite)
}) {
  readonly isRetryable = true
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
export class TimedOut extends Schema.TaggedError<TimedOut>()("TimedOut", {
  ...fields,
  /** Longest wait, in milliseconds, where this process set it. */
  limitMs: Schema.optionalKey(Schema.Finite)
}) {
  readonly isRetryable = true
  override get message() {
    return this.limitMs === undefined ? "No answer in time" : `No answer within ${this.limitMs} ms`
  }
}

/** Other work came in between: a deadlock, a serialization failure, or a newer report. */
export class Conflict extends Schema.TaggedError<Conflict>()("Conflict", fields) {
  readonly isRetryable = true
  override get message() {
    return withCause("Other work came in between", this.cause)
  }
}

/** The other side lacks disk, memory or connections. */
export class Exhausted extends Schema.TaggedError<Exhausted>()("Exhausted", fields) {
  readonly isRetryable = true
  override get message() {
    return withCause("The other side has no resources left", this.cause)
  }
}

/** The other side answered as agreed, but the content of the answer is of no use. */
export class Unusable extends Schema.TaggedError<Unusable>()("Unusable", fields) {
  readonly isRetryable = false
  override get message() {
    return withCause("The answer cannot be used", this.cause)
  }
}

/** An error that no rule knows; it counts as retryable, because a guess must not lose data. */
export class Unclassified extends Schema.TaggedError<Unclassified>()("Unclassified", fields) {
  readonly isRetryable = true
  override get message() {
    return withCause("An unexpected error", this.cause)
  }
}

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
