/* The input schemas of the tools, from the API. Written by `npm run client:tools`; never edited. */

/** A JSON schema of an object. */
export interface InputSchema {
  readonly type: "object"
  readonly properties: Readonly<Record<string, unknown>>
  readonly required: ReadonlyArray<string>
  readonly additionalProperties: false
}

/** Arguments of `recommend_model` that are fields of the request's `task`. */
export const taskFields: ReadonlyArray<string> = ["task", "task_type", "difficulty", "tags"]

/** Arguments of `recommend_model` that are fields of the request's `constraints`. */
export const constraintFields: ReadonlyArray<string> = [
  "candidate_models", "excluded_models", "allowed_providers", "max_cost_per_call",
  "min_quality", "max_latency_ms", "require_context_window"
]

export type ToolName =
  | "recommend_model" | "report_outcome" | "next_attempt" | "explain" | "savings"
  | "diagnose"

/** By name of the tool. */
export const inputSchemas: Readonly<Record<ToolName, InputSchema>> = {
  recommend_model: {
    type: "object",
    properties: {
      task: {
        type: "string",
        description: "The task or prompt, not empty. At most its first 3,000 and last 1,000 characters are "
          + "kept."
      },
      task_type: {
        type: "string",
        enum: [
          "code", "summarization", "extraction", "qa", "reasoning", "classification",
          "translation", "creative", "rag", "tool_use", "other"
        ],
        description: "Kind of task; classified from the text when left out."
      },
      difficulty: {
        type: "string",
        enum: ["trivial", "easy", "medium", "hard", "expert"],
        description: "Difficulty; classified from the text when left out."
      },
      tags: {
        type: "array",
        description: "Environment of the task, such as `lang:python`: outcomes with the same tags weigh "
          + "more.",
        items: { type: "string" }
      },
      candidate_models: {
        type: "array",
        items: { type: "string" },
        description: "Only these models, by id or alias; `<model>#<effort>` is a model at one level of "
          + "reasoning effort."
      },
      excluded_models: {
        type: "array",
        items: { type: "string" },
        description: "None of these models, by id or alias; with `#<effort>` only that level of reasoning "
          + "effort of a model."
      },
      allowed_providers: {
        type: "array",
        items: { type: "string" },
        description: "Only models of these providers."
      },
      max_cost_per_call: {
        type: "number",
        minimum: 0,
        description: "Highest estimated cost of the call, in US dollars; relaxed with a warning rather than "
          + "leave no model."
      },
      min_quality: {
        type: "number",
        minimum: 0,
        maximum: 1,
        description: "Least predicted success; raises the threshold."
      },
      max_latency_ms: {
        type: "integer",
        minimum: 1,
        description: "Highest 75th percentile of latency on similar tasks, in milliseconds. A model without "
          + "latency history stays."
      },
      require_context_window: {
        type: "integer",
        minimum: 1,
        description: "Only models with at least this context, in tokens."
      },
      cost_quality_tradeoff: {
        type: "number",
        minimum: 0,
        maximum: 10,
        description: "The slider between cost and quality, which sets the threshold: 0 is the cheapest "
          + "acceptable model, 10 the best at any cost. A value of success takes its place. "
          + "Default: `5`."
      },
      namespace: {
        type: "string",
        description: "A part of the account that recalls and learns on its own; null is the lane "
          + "`sextant:default`."
      },
      incumbent_model_id: {
        type: "string",
        description: "The model that holds a warm prompt cache of this conversation: priced with it, and "
          + "kept where the evidence cannot tell it from the pick."
      },
      baseline_model_id: {
        type: "string",
        description: "The model that you would use without the service; savings are reported against it."
      }
    },
    required: ["task"],
    additionalProperties: false
  },
  report_outcome: {
    type: "object",
    properties: {
      recommendation_id: {
        type: "string",
        description: "The id of a recommendation, or of a step of a workflow."
      },
      outcome: {
        type: "string",
        enum: ["success", "partial", "failure"],
        description: "How the call went."
      },
      chosen_model_id: {
        type: "string",
        description: "The model that ran, which may differ from the recommended one. When left out, the "
          + "model that was reported last for the recommendation; before any report, the baseline "
          + "of a decision in shadow, and of any other decision the recommended model."
      },
      quality_score: {
        type: "number",
        minimum: 0,
        maximum: 1,
        description: "Quality of the result; 0.9, 0.5 or 0.1 by `outcome` when left out."
      },
      evidence_source: {
        type: "string",
        enum: ["gate", "judge", "human", "vote", "none"],
        description: "Where a label comes from: `gate`, a deterministic check passed; `judge`, a model "
          + "scored it; `human`, a person said so whom you know; `vote`, a reader whom you do not "
          + "know; `none`, no label, so that only cost and latency count."
      },
      error_cause: {
        type: "string",
        enum: ["infra", "quality"],
        description: "Why a call failed: `infra`, a fault of the provider or of tools, which is never "
          + "learned as the model's; or `quality`."
      },
      input_tokens: { type: "integer", minimum: 0, description: "Input tokens that were billed." },
      cached_input_tokens: {
        type: "integer",
        minimum: 0,
        description: "The part of `input_tokens` that a prompt cache held."
      },
      output_tokens: {
        type: "integer",
        minimum: 0,
        description: "Output tokens that were billed, reasoning tokens included."
      },
      actual_cost_usd: {
        type: "number",
        minimum: 0,
        description: "Cost that was billed, in US dollars, not an estimate. An explicit 0 counts as a "
          + "measurement."
      },
      latency_ms: { type: "integer", minimum: 0, description: "Latency of the call, in milliseconds." },
      iterations: { type: "integer", minimum: 0, description: "Turns of an agent until the end." },
      notes: { type: "string", description: "What went wrong or well, in your words." }
    },
    required: ["recommendation_id", "outcome"],
    additionalProperties: false
  },
  next_attempt: {
    type: "object",
    properties: {
      recommendation_id: {
        type: "string",
        description: "The id of a recommendation, or of a step of a workflow."
      },
      evidence_source: {
        type: "string",
        enum: ["gate", "judge", "human", "vote", "none"],
        description: "Where a label comes from: `gate`, a deterministic check passed; `judge`, a model "
          + "scored it; `human`, a person said so whom you know; `vote`, a reader whom you do not "
          + "know; `none`, no label, so that only cost and latency count."
      },
      success_value_usd: {
        type: "number",
        minimum: 0,
        description: "What a right result is worth to you, in US dollars: the pick, or the plan, maximises "
          + "that times its success, less its cost, in place of `cost_quality_tradeoff` and "
          + "`optimize_for`. Null: the account's own value; without one the cheapest that reaches "
          + "the threshold."
      },
      max_attempts: {
        type: "integer",
        minimum: 1,
        maximum: 4,
        description: "Most attempts of the plan, counted from now on. Default: `3`."
      },
      max_total_cost_usd: {
        type: "number",
        minimum: 0,
        description: "Most that the plan's attempts may cost together from now on, in US dollars."
      }
    },
    required: ["recommendation_id"],
    additionalProperties: false
  },
  explain: {
    type: "object",
    properties: {
      recommendation_id: {
        type: "string",
        description: "The id of a recommendation, or of a step of a workflow."
      }
    },
    required: ["recommendation_id"],
    additionalProperties: false
  },
  savings: {
    type: "object",
    properties: {
      namespace: { type: "string", description: "Only this namespace; all lanes otherwise." },
      days: {
        type: "number",
        exclusiveMinimum: 0,
        maximum: 365,
        description: "Days of the window, up to now."
      },
      dates: {
        type: "string",
        description: "Calendar dates instead of `days`, UTC and both included: `2026-11-01/2026-11-14`, at "
          + "most 366 days."
      },
      model: {
        type: "string",
        description: "Only decisions that recommended this model, `gpt-5#low` at a level of effort."
      },
      tag: { type: "string", description: "Only decisions with this tag." },
      user_id: { type: "string", description: "Only decisions of this user." },
      group_by: {
        type: "string",
        enum: ["cluster", "task_type", "lane", "model", "user_id", "tag"],
        description: "What to group by; no groups when left out."
      }
    },
    required: [],
    additionalProperties: false
  },
  diagnose: {
    type: "object",
    properties: {
      error_text: {
        type: "string",
        description: "The text of the error, not empty. Only the first 20000 characters are read and kept."
      },
      error_type: { type: "string", description: "What kind of error it is, as a hint." },
      limit: {
        type: "integer",
        minimum: 1,
        maximum: 25,
        description: "Most lessons in the answer. Default: `5`."
      },
      namespace: {
        type: "string",
        description: "Whose lane is searched; null is the lane `sextant:default`."
      }
    },
    required: ["error_text"],
    additionalProperties: false
  }
}
