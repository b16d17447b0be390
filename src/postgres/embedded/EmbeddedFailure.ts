/* The failure of the embedded PostgreSQL, and a helper that makes this failure from exceptions. */
import { Effect, Schema } from "effect"

export class EmbeddedUnavailable extends Schema.TaggedError<EmbeddedUnavailable>()("EmbeddedUnavailable", {
  problem: Schema.String,
  cause: Schema.optionalKey(Schema.Defect())
}) {
  override get message() {
    return this.problem
  }
}

export const unavailable = (problem: string): EmbeddedUnavailable => new EmbeddedUnavailable({ problem })

const isFailure = (error: unknown): error is EmbeddedUnavailable => error instanceof EmbeddedUnavailable

/** Returns the code of a system error, for example `EACCES`; undefined for an error without a code. */
export const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined

/** Runs `step`, and turns an exception that it throws into an {@link EmbeddedUnavailable}. */
export const attempt = <A>(problem: string, step: () => A): Effect.Effect<A, EmbeddedUnavailable> =>
  Effect.try({
    try: step,
    catch: (cause) => isFailure(cause) ? cause : new EmbeddedUnavailable({ problem, cause })
  })

const linesMax = 3

/** Returns the last lines of a program's output, joined. Lines that report an error are preferred. */
export const complaintIn = (output: string): string => {
  const lines = output.trim().split("\n").map((line) => line.trim()).filter((line) => line !== "")
  const telling = lines.filter((line) => /FATAL|PANIC|ERROR|HINT|error:|could not/.test(line))
  return (telling.length > 0 ? telling : lines).slice(-linesMax).join(" | ")
}
