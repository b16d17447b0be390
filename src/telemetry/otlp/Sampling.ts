/** Decides which traces are sampled. */
import {
  AlwaysOffSampler, AlwaysOnSampler, ParentBasedSampler, type Sampler, SamplingDecision,
  TraceIdRatioBasedSampler
} from "@opentelemetry/sdk-trace-node"
import type { TelemetryConfig } from "./TelemetryConfig.ts"

/** `SpanKind.SERVER` of OpenTelemetry's API, which is not imported for this number alone. */
const serverKind = 1

/** Drops traces of background work, which would be many small traces of what metrics already show. */
const ofRequests = (sampler: Sampler): Sampler => ({
  shouldSample: (...asked: Parameters<Sampler["shouldSample"]>) =>
    asked[3] === serverKind ? sampler.shouldSample(...asked) : { decision: SamplingDecision.NOT_RECORD },
  toString: () => `OfRequests{${sampler.toString()}}`
})

/**
 * Returns the sampler that the standard variables name. Under `parentbased_*`, a caller's `traceparent`
 * decides, and the named sampler decides about requests without it. Samplers without the prefix
 * `parentbased_` ignore `traceparent`, which suits unknown callers.
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

