/* The five made-up teams of the demo, with their requests and reports. */
import type { EvidenceSource } from "../../src/domain/feedback/Feedback.ts"
import type { TaskType } from "../../src/domain/Task.ts"

/** A made-up team that asks in a namespace of its own. */
export interface Team {
  readonly namespace: string
  /** Share of all calls; the shares add up to 1. */
  readonly share: number
  /** Kinds of `scripts/bench/arena/prompts.json` that it asks for, each with its task type. */
  readonly kinds: Readonly<Record<string, TaskType>>
  readonly slider: number
  /** The models that it allows, by the ids of `truth.ts`. */
  readonly models: ReadonlyArray<string>
  /**
   * The model that the team used before and names as its baseline; null if it names none. `gpt-4.1` retires on 14
   * January 2027.
   */
  readonly baselineModelId: string | null
  readonly tag: string | null
  /**
   * True if its requests ask for a guarantee against that model, which is the recommended set-up. Such a team follows
   * the advice and reports every call at once, because missing reports delay the evidence.
   */
  readonly isGuaranteed: boolean
  /** Most attempts at a task whose check fails, and what a finished task is worth, US dollars; null for one attempt. */
  readonly attempts: { readonly max: number; readonly valueUsd: number } | null
  /** Share of recommendations that it reports on. */
  readonly feedbackShare: number
  /** The source of a report's label; null if the report names none. Picked evenly. */
  readonly labels: ReadonlyArray<EvidenceSource | null>
  /** True if agents do its work. A recommendation and its tokens are then for a whole run. */
  readonly isAgent: boolean
  readonly inputTokens: readonly [least: number, most: number]
  readonly outputTokens: readonly [least: number, most: number]
}

export const teams: ReadonlyArray<Team> = [
  {
    namespace: "demo-checkout",
    share: 0.5,
    kinds: {
      "bug": "code", "sql": "code", "structure": "code", "unit-tests": "code", "regex": "code",
      "refactor": "code", "port": "code", "review": "code"
    },
    slider: 6,
    models: ["gemini-3.7-flash", "gpt-4.1", "claude-opus-5"],
    baselineModelId: "gpt-4.1",
    tag: "payments",
    isGuaranteed: true,
    attempts: null,
    feedbackShare: 1,
    labels: ["gate"],
    isAgent: true,
    inputTokens: [2_000_000, 20_000_000],
    outputTokens: [20_000, 200_000]
  },
  {
    namespace: "demo-platform",
    share: 0.2,
    kinds: { "shell": "code", "deploy": "code", "bug": "code", "unit-tests": "code" },
    slider: 6,
    models: ["gpt-5.4-mini", "gemini-3.7-flash", "claude-sonnet-5", "claude-opus-5"],
    baselineModelId: "claude-opus-5",
    tag: "infrastructure",
    isGuaranteed: false,
    attempts: { max: 3, valueUsd: 40 },
    feedbackShare: 1,
    labels: ["gate"],
    isAgent: true,
    inputTokens: [2_000_000, 20_000_000],
    outputTokens: [20_000, 200_000]
  },
  {
    namespace: "demo-support",
    share: 0.18,
    kinds: { "triage": "classification", "escalate": "classification", "password": "classification" },
    slider: 6,
    models: ["claude-haiku-5-5", "gemini-3.7-flash", "claude-sonnet-5"],
    baselineModelId: "claude-sonnet-5",
    tag: "tickets",
    isGuaranteed: true,
    attempts: null,
    feedbackShare: 1,
    labels: ["human"],
    isAgent: true,
    inputTokens: [300_000, 3_000_000],
    outputTokens: [3_000, 20_000]
  },
  {
    namespace: "demo-localisation",
    share: 0.07,
    kinds: {
      "translate": "translation", "idiom": "translation", "subtitles": "translation", "formality": "translation"
    },
    slider: 7,
    models: ["mistral-small-2603", "gpt-5.4-mini", "gemini-3.7-flash", "claude-sonnet-5"],
    baselineModelId: "claude-sonnet-5",
    tag: null,
    isGuaranteed: false,
    attempts: null,
    feedbackShare: 0.8,
    labels: ["judge", "human", "human"],
    isAgent: true,
    inputTokens: [300_000, 3_000_000],
    outputTokens: [10_000, 100_000]
  },
  {
    namespace: "demo-marketing",
    share: 0.05,
    kinds: { "slogan": "creative", "speech": "creative", "blog": "creative", "press": "creative" },
    slider: 3,
    models: ["mistral-small-2603", "claude-haiku-5-5", "gpt-5.4-mini", "gemini-3.7-flash"],
    baselineModelId: null,
    tag: null,
    isGuaranteed: false,
    attempts: null,
    feedbackShare: 0.15,
    labels: ["none", null],
    isAgent: false,
    inputTokens: [80, 400],
    outputTokens: [200, 1_200]
  }
]
