/* The fields that an outcome has in every form: taught, stored, indexed, sent, or recalled as a neighbour. */
import { Schema } from "effect"
import { Cluster } from "../Task.ts"
import { Identifier } from "../text/Text.ts"
import { Millis, Probability, Tokens, UsdSent } from "../Units.ts"
import { snakeCase } from "../wire/Wire.ts"

const fieldsBy = <
  Text extends Schema.Top, InCluster extends Schema.Top, Texts extends Schema.Top, Share extends Schema.Top,
  Count extends Schema.Top, Amount extends Schema.Top, Duration extends Schema.Top
>(by: {
  readonly text: Text
  readonly cluster: InCluster
  readonly texts: Texts
  readonly share: Share
  readonly tokens: Count
  readonly usd: Amount
  readonly millis: Duration
}) => ({
  modelId: by.text,
  cluster: by.cluster,
  tags: by.texts,
  /** Recorded quality, in [0, 1]. */
  quality: by.share,
  /** Weight of the label, in [0, 1]. */
  provenanceWeight: by.share,
  /** Probability with which a random pick chose the model; null if no random pick chose it. */
  propensity: Schema.NullOr(by.share),
  inputTokens: Schema.NullOr(by.tokens),
  outputTokens: Schema.NullOr(by.tokens),
  costUsd: Schema.NullOr(by.usd),
  latencyMs: Schema.NullOr(by.millis),
  timeToFirstTokenMs: Schema.NullOr(by.millis)
})

/** The fields of an outcome, with limits for outcomes that come from another process. */
export const outcomeFields = fieldsBy({
  text: Identifier,
  cluster: Cluster,
  texts: Schema.Array(Identifier).check(Schema.isMaxLength(64)),
  share: Probability,
  tokens: Tokens,
  usd: UsdSent,
  millis: Millis
})

/** Fields from a database, without limits, because older rows may exceed today's limits. */
export const storedOutcomeFields = fieldsBy({
  text: Schema.String,
  cluster: Schema.String,
  texts: Schema.Array(Schema.String),
  share: Schema.Finite,
  tokens: Schema.Finite,
  usd: Schema.Finite,
  millis: Schema.Finite
})

export interface OutcomeFields extends Schema.Struct.Type<typeof outcomeFields> {}

/** The code lists every field, because a loop would be too slow for many neighbours and rows. */
export const outcomeFieldsOf = (of: OutcomeFields): OutcomeFields => ({
  modelId: of.modelId,
  cluster: of.cluster,
  tags: of.tags,
  quality: of.quality,
  provenanceWeight: of.provenanceWeight,
  propensity: of.propensity,
  inputTokens: of.inputTokens,
  outputTokens: of.outputTokens,
  costUsd: of.costUsd,
  latencyMs: of.latencyMs,
  timeToFirstTokenMs: of.timeToFirstTokenMs
})

export const outcomeColumns = Object.keys(outcomeFields).map((field) => ({ field, column: snakeCase(field) }))
