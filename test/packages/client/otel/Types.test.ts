// The types of the processor fit those of OpenTelemetry's SDK itself: a program with both compiles.
import { assert, describe, it } from "@effect/vitest"
import { complaintsOf } from "../support/Compiled.ts"
import { onEachVersion } from "../support/Peers.ts"

const programOf = (version: string): string => {
  const [sdk, provider] = version.startsWith("3") ? ["sdk-trace", "TracerProvider"] : ["sdk-trace-base", "BasicTracerProvider"]
  const logs = version.startsWith("1")
    ? "export const logs = new LoggerProvider()\nlogs.addLogRecordProcessor(processor)"
    : "export const logs = new LoggerProvider({ processors: [processor] })"
  return `import { context } from "@opentelemetry/api"
import { LoggerProvider } from "@opentelemetry/sdk-logs"
import { ${provider} } from "@opentelemetry/${sdk}"
import { createSextant } from "sextant-client"
import { attributesOf, sextantProcessor, withChoice } from "sextant-client/otel"

const sextant = createSextant({ baseUrl: "http://localhost:8080", apiKey: "k", models: ["a", "b"], defaultModelId: "b" })
const processor = sextantProcessor({ sextant, evaluations: { Relevance: { source: "judge", threshold: 0.7 }, Tone: null } })
const tracing = new ${provider}({ spanProcessors: [processor] })
${logs}
const choice = await sextant.choose("x")
const text: string = await context.with(withChoice(context.active(), choice), () => Promise.resolve("x"))
tracing.getTracer(text).startSpan("chat", { attributes: attributesOf(choice) }).end()
await tracing.forceFlush()
// @ts-expect-error the SDK's own types are read
new ${provider}({ spanProcessors: [5] })
// @ts-expect-error an oracle is no source
sextantProcessor({ sextant, evaluations: { Relevance: { source: "oracle" } } })
`
}

onEachVersion("otel", ({ folder, version }) => {
  describe("a program with the SDK's types", () => {
    it("compiles, and does not with a source that there is not", () => {
      assert.strictEqual(complaintsOf({ "program.ts": programOf(version) }, [folder]), "")
    })
  })
})
