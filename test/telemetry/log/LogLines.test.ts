import { assert, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { hasHidden } from "../../../src/domain/text/HiddenCharacters.ts"
import { logLines } from "../../../src/telemetry/log/LogLines.ts"
import { hiddenCharacters } from "../../support/hidden.ts"

const hostile = `x${hiddenCharacters.join("")}\n\ty`

for (const format of ["json", "logfmt"] as const) {
  it.effect(`a ${format} line holds no hidden character of message, annotation, span or cause`, () =>
    Effect.gen(function*() {
      const lines: Array<string> = []
      const logger = Logger.map(logLines(format), (line) => void lines.push(line))
      yield* Effect.logWarning(hostile, { model: hostile }, new Error(hostile)).pipe(
        Effect.annotateLogs({ lane: hostile }), Effect.withLogSpan(hostile),
        Effect.provide(Logger.layer([logger]))
      )
      assert.strictEqual(lines.length, 1)
      if (format === "logfmt") assert.match(lines[0] ?? "", /^timestamp=\S+ level=WARN message=/)
      assert.isFalse(hasHidden(lines[0] ?? "") || /[\n\t]/.test(lines[0] ?? ""), lines[0])
    }))
}
