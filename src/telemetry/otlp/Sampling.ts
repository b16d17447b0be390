import { SpanKind } from "@opentelemetry/api"
import {
  AlwaysOffSampler, AlwaysOnSampler, ParentBasedSampler, type Sampler, SamplingDecision,
  TraceIdRatioBasedSampler
} from "@opentelemetry/sdk-trace-base"
import type { TelemetryConfig } from "./TelemetryConfig.ts"

/**
 * What begins with no request begins no trace: lanes that are loaded and outboxes that are polled would be
 * many small traces of statements, which say nothing that metrics do not.
 */
const ofRequests = (sampler: Sampler): Sampler => ({
  shouldSample: (...asked: Parameters<Sampler["shouldSample"]>) =>
    asked[3] === SpanKind.SERVER ? sampler.shouldSample(...asked) : { decision: SamplingDecision.NOT_RECORD },
  toString: () => `OfRequests{${sampler.toString()}}`
})

/**
 * The sampler that the standard variables name. Under `parentbased_*` a caller's `traceparent` decides, and
 * the share decides about requests without one; under `traceidratio` the share decides about all, which is
 * what a service wants whose callers are strangers. Spans inside a request always follow the request's.
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

