/** All names of metrics and attributes. Tests compare the dashboards and alerts with these names. */

/**
 * Names of the attributes of spans and metrics. Names without `sextant` are from OpenTelemetry's semantic
 * conventions 1.45.0, some of them from the incubating part.
 */
export const attribute = {
  method: "http.request.method",
  route: "http.route",
  status: "http.response.status_code",
  errorType: "error.type",
  cpuMode: "cpu.mode",
  genAiOperation: "gen_ai.operation.name",
  genAiProvider: "gen_ai.provider.name",
  genAiModel: "gen_ai.request.model",
  genAiTokensMax: "gen_ai.request.max_tokens",
  genAiOutputType: "gen_ai.output.type",
  genAiInputTokens: "gen_ai.usage.input_tokens",
  genAiOutputTokens: "gen_ai.usage.output_tokens",
  genAiTokenType: "gen_ai.token.type",
  genAiDimensions: "gen_ai.embeddings.dimension.count",
  genAiDataSource: "gen_ai.data_source.id",
  /** A text of a caller, which is recorded only if the operator allows it. */
  genAiQueryText: "gen_ai.retrieval.query.text",
  recommendationId: "sextant.recommendation.id",
  workflowId: "sextant.workflow.id",
  basis: "sextant.decision.basis",
  tau: "sextant.decision.tau",
  candidates: "sextant.decision.candidates",
  eligible: "sextant.decision.eligible",
  model: "sextant.decision.model",
  predictedSuccess: "sextant.decision.predicted_success",
  policy: "sextant.decision.policy",
  /** Only a decision in shadow has the attribute `sextant.decision.shadow`. */
  shadow: "sextant.decision.shadow",
  warnings: "sextant.decision.warnings",
  taskType: "sextant.task.type",
  difficulty: "sextant.task.difficulty",
  stage: "sextant.stage",
  neighbours: "sextant.recall.neighbours",
  laneSize: "sextant.recall.lane_size",
  question: "sextant.reasoner.question",
  memoryOperation: "sextant.memory.operation",
  warning: "sextant.warning",
  endpoint: "sextant.endpoint",
  claim: "sextant.feedback.claim",
  provenance: "sextant.feedback.provenance",
  outcome: "sextant.feedback.outcome",
  cache: "sextant.cache",
  breaker: "sextant.breaker",
  signal: "sextant.telemetry.signal",
  result: "sextant.telemetry.result"
} as const

/** Values of `gen_ai.operation.name`. */
export const operation = { chat: "chat", embeddings: "embeddings", retrieval: "retrieval" } as const

export interface MetricName {
  readonly name: string
  /** The unit in UCUM, for example `s`; for counts, the counted thing in braces. */
  readonly unit: string
  readonly kind: "counter" | "gauge" | "histogram"
  readonly description: string
  readonly attributes: ReadonlyArray<string>
}

const { basis, errorType, genAiModel, genAiOperation, genAiProvider, method, route, status } = attribute

export const metric = {
  requests: {
    name: "http.server.request.duration", unit: "s", kind: "histogram",
    description: "Duration of requests, by route and status", attributes: [method, route, status]
  },
  stages: {
    name: "sextant.stage.duration", unit: "s", kind: "histogram",
    description: "Duration of the engine's stages, recall among them",
    attributes: [attribute.stage, errorType]
  },
  memory: {
    name: "sextant.memory.duration", unit: "s", kind: "histogram",
    description: "Duration of the memory's operations", attributes: [attribute.memoryOperation, errorType]
  },
  genAi: {
    name: "gen_ai.client.operation.duration", unit: "s", kind: "histogram",
    description: "Duration of questions to the reasoner, embeddings and retrievals",
    attributes: [genAiOperation, genAiProvider, genAiModel, errorType]
  },
  tokens: {
    name: "gen_ai.client.token.usage", unit: "{token}", kind: "histogram",
    description: "Tokens that the reasoner used per question",
    attributes: [genAiOperation, genAiProvider, genAiModel, attribute.genAiTokenType]
  },
  decisions: {
    name: "sextant.decisions", unit: "{decision}", kind: "counter",
    description: "Recommendations, by the basis of the decision",
    attributes: [basis, attribute.taskType, attribute.shadow]
  },
  warnings: {
    name: "sextant.warnings", unit: "{warning}", kind: "counter",
    description: "Warnings in answers, by kind", attributes: [attribute.warning, attribute.endpoint]
  },
  feedback: {
    name: "sextant.feedback", unit: "{feedback}", kind: "counter",
    description: "Number of received feedbacks. Coverage is the number of feedbacks with the claim `first`, "
      + "divided by the number of decisions",
    attributes: [attribute.claim, attribute.provenance, attribute.outcome]
  },
  trials: {
    name: "sextant.calibration.trials", unit: "{outcome}", kind: "counter",
    description: "Number of outcomes that predictions are compared with", attributes: [basis]
  },
  predicted: {
    name: "sextant.calibration.predicted", unit: "{success}", kind: "counter",
    description: "Sum of predicted success over outcomes that judge a prediction", attributes: [basis]
  },
  realized: {
    name: "sextant.calibration.realized", unit: "{success}", kind: "counter",
    description: "Sum of success over outcomes that judge a prediction: success is 1, partial is 0.5, "
      + "failure is 0",
    attributes: [basis]
  },
  costEstimated: {
    name: "sextant.cost.estimated.usd", unit: "{USD}", kind: "counter",
    description: "Estimated cost of the recommended models, without decisions in shadow",
    attributes: [basis]
  },
  costPremium: {
    name: "sextant.cost.premium.usd", unit: "{USD}", kind: "counter",
    description: "Estimated cost of the most expensive candidate of each decision, without decisions in "
      + "shadow",
    attributes: [basis]
  },
  costRealized: {
    name: "sextant.cost.realized.usd", unit: "{USD}", kind: "counter",
    description: "Billed cost that feedback reported, without decisions in shadow", attributes: []
  },
  costBilledEstimate: {
    name: "sextant.cost.billed.estimate.usd", unit: "{USD}", kind: "counter",
    description: "Estimated cost of the calls whose bill feedback reported", attributes: []
  },
  costBilledPremium: {
    name: "sextant.cost.billed.premium.usd", unit: "{USD}", kind: "counter",
    description: "Estimated cost of the most expensive candidate, for decisions whose bill feedback reported",
    attributes: []
  },
  costReasoner: {
    name: "sextant.cost.reasoner.usd", unit: "{USD}", kind: "counter",
    description: "Cost of questions to the reasoner", attributes: []
  },
  budgetUsed: {
    name: "sextant.budget.used", unit: "1", kind: "gauge",
    description: "Spent share of an account's budget: the highest of the accounts in the last minute of the "
      + "process",
    attributes: []
  },
  budgetShift: {
    name: "sextant.budget.shift", unit: "1", kind: "gauge",
    description: "Units by which a budget lowers an account's slider: the highest of the accounts in the "
      + "process's last minute",
    attributes: []
  },
  modelsUnhealthy: {
    name: "sextant.models.unhealthy", unit: "{model}", kind: "gauge",
    description: "Number of unhealthy models and providers that an account avoids: the highest of the "
      + "accounts",
    attributes: []
  },
  cacheBytes: {
    name: "sextant.cache.size", unit: "By", kind: "gauge",
    description: "Estimated size of a cache in bytes", attributes: [attribute.cache]
  },
  cacheEntries: {
    name: "sextant.cache.entries", unit: "{entry}", kind: "gauge",
    description: "Number of entries of a cache", attributes: [attribute.cache]
  },
  backlogWaiting: {
    name: "sextant.ledger.backlog", unit: "{decision}", kind: "gauge",
    description: "Decisions that wait in the process until the ledger works again", attributes: []
  },
  backlogDropped: {
    name: "sextant.ledger.backlog.dropped", unit: "{decision}", kind: "counter",
    description: "Decisions that were lost because too many waited or because the ledger refused them",
    attributes: []
  },
  retentionRefused: {
    name: "sextant.retention.refused", unit: "{refusal}", kind: "gauge",
    description: "1 while retention refuses to drop expired rows, because a clock may be wrong",
    attributes: []
  },
  clockSkew: {
    name: "sextant.clock.skew", unit: "s", kind: "gauge",
    description: "This machine's clock minus the database's clock", attributes: []
  },
  rowsUnreadable: {
    name: "sextant.ledger.rows.unreadable", unit: "{row}", kind: "counter",
    description: "Rows of the ledger that this version cannot read", attributes: []
  },
  outboxWaiting: {
    name: "sextant.outbox.waiting", unit: "{report}", kind: "gauge",
    description: "Reports with writes that this process must still send to the external memory",
    attributes: []
  },
  breakers: {
    name: "sextant.breaker.state", unit: "{state}", kind: "gauge",
    description: "State of a circuit breaker: 0 closed, 0.5 probing, 1 open", attributes: [attribute.breaker]
  },
  exports: {
    name: "sextant.telemetry.exports", unit: "{export}", kind: "counter",
    description: "Batches for the collector, sent or lost", attributes: [attribute.signal, attribute.result]
  },
  processMemory: {
    name: "process.memory.usage", unit: "By", kind: "gauge",
    description: "Resident memory of the process", attributes: []
  },
  processCpu: {
    name: "process.cpu.time", unit: "s", kind: "counter",
    description: "Processor time of the process", attributes: [attribute.cpuMode]
  },
  processUptime: {
    name: "process.uptime", unit: "s", kind: "gauge",
    description: "Time since the process started", attributes: []
  },
  eventLoopDelay: {
    name: "nodejs.eventloop.delay.p99", unit: "s", kind: "gauge",
    description: "99th percentile of the event loop's delay since the last collection", attributes: []
  }
} as const satisfies Readonly<Record<string, MetricName>>

export const metrics: ReadonlyMap<string, MetricName> =
  new Map(Object.values(metric).map((each) => [each.name, each]))

/** Removes a warning's number or model id at the end, so that there are few kinds of warnings. */
export const kindOf = (warning: string): string =>
  warning.replace(/:\d+$|(?<=^(?:capability_unknown|price_unknown|model_unhealthy)):.*$/s, "")
