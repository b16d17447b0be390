/* The package: what a program or an adapter imports. */
export { BudgetExhausted } from "./Budget.ts"
export type { Call, Choice, RunOptions, ScoreOptions } from "./Choice.ts"
export type { DefaultReason, SextantOptions } from "./Options.ts"
export { type Fault, isAbort, isOutage } from "./Outage.ts"
export type { DroppedReport } from "./Reports.ts"
export type { ChooseOptions, RequestFields } from "./Request.ts"
export { createSextant, type Sextant } from "./Sextant.ts"
export { type MeasuredParts, measuredIterable, measuredStream, type StreamReading } from "./Streams.ts"
export type { Usage } from "./Usage.ts"
export type {
  EvidenceSource, FeedbackRequest, RankedModel, RecommendRequest, RecommendResponse, TaskInput
} from "./Wire.ts"
