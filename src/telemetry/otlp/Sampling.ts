/** Decides which traces are sampled. */
import {
  AlwaysOffSampler, AlwaysOnSampler, ParentBasedSampler, type Sampler, SamplingDecision,
  TraceIdRatioBasedSampler
} from "@opentelemetry/sdk-trace-node"
import type { TelemetryConfig } from "./TelemetryConfig.ts"

/**
 * The value of `SpanKind.SERVER` in OpenTelemetry's API. The package is not imported for this number alone.
 */
const serverKind = 1

/**
 * Makes a sampler that drops traces of background work, such as loading lanes. Traces of background work
 * would be many small traces of statements, and metrics show the same.
 */
const ofRequests = (sampler: Sampler): Sampler => ({
  shouldSample: (...asked: Parameters<Sampler["shouldSample"]>) =>
    asked[3] === serverKind ? sampler.shouldSample(...asked) : { decision: SamplingDecision.NOT_RECORD },
  toString: () => `OfRequests{${sampler.toString()}}`
})

/**
 * Returns the sampler that the standard variables name. Under `parentbased_*`, a caller's `traceparent`
 * decides. For requests without `traceparent`, the named sampler decides. Under the other names, the sampler
 * decides about all requests, which suits unknown callers. Spans inside a request are always sampled if the
 * request's span is sampled.
 */
export const samplerOf = ({ sampler, samplerShare }: TelemetryConfig): Sampler => {
  const ratio = new TraceIdRatioBasedSampler(samplerShare)
  const followed = (root: Sampler, isAsked: boolean) => {
    const asked = ofRequests(root)
    return isAsked
      ? new ParentBasedSampler({ root: asked })
      : new ParentBasedSampler({ root: asked, remoteParentSampled: root, remoteParentNotSampled: root })
  }
  switch (sampler) {
    case "always_on":
      return followed(new AlwaysOnSampler(), false)
    case "always_off":
      return followed(new AlwaysOffSampler(), false)
    case "traceidratio":
      return followed(ratio, false)
    case "parentbased_always_on":
      return followed(new AlwaysOnSampler(), true)
    case "parentbased_always_off":
      return followed(new AlwaysOffSampler(), true)
    case "parentbased_traceidratio":
      return followed(ratio, true)
  }
}

