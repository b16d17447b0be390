/* The five made-up teams of the demo: what they ask, how often, and what they report. */
import type { EvidenceSource } from "../../src/domain/feedback/Feedback.ts"
import type { TaskType } from "../../src/domain/Task.ts"

/** A made-up team that asks in a namespace of its own. */
export interface Team {
  readonly namespace: string
  /** Of all calls, most of them of the team whose model gets worse; the shares add up to 1. */
  readonly share: number
  /** Kinds of `scripts/bench/arena/prompts.json` that it asks for, each with its task type. */
  readonly kinds: Readonly<Record<string, TaskType>>
  readonly slider: number
  /** What it used before, and names as its baseline; null when it never says. */
  readonly baselineModelId: string | null
  readonly tag: string | null
  /** Share of recommendations that it reports on. */
  readonly feedbackShare: number
  /** Who says how it went; null is a bare assertion. Picked evenly. */
  readonly labels: ReadonlyArray<EvidenceSource | null>
  /** Whether agents do its work: then one recommendation is for a whole run, and the tokens are those of a run. */
  readonly isAgent: boolean
  readonly inputTokens: readonly [least: number, most: number]
  readonly outputTokens: readonly [least: number, most: number]
}

export const teams: ReadonlyArray<Team> = [
  {
    namespace: "demo-checkout",
    share: 0.56,
    kinds: {
      "bug": "code", "sql": "code", "structure": "code", "unit-tests": "code", "regex": "code",
      "refactor": "code", "port": "code", "review": "code"
    },
    slider: 6,
    baselineModelId: "claude-sonnet-5",
    tag: "payments",
    feedbackShare: 0.75,
    labels: ["gate", "gate", "gate", "human"],
    isAgent: true,
    inputTokens: [12_000_000, 110_000_000],
    outputTokens: [120_000, 1_100_000]
  },
  {
    namespace: "demo-support",
    share: 0.2,
    kinds: {
      "refund": "creative", "triage": "classification", "outage": "creative", "password": "qa",
      "address": "extraction", "escalate": "creative"
    },
    slider: 6,
    baselineModelId: "gpt-5",
    tag: "tickets",
    feedbackShare: 0.4,
    labels: ["human", "human", "judge", null],
    isAgent: true,
    inputTokens: [800_000, 8_000_000],
    outputTokens: [8_000, 60_000]
  },
  {
    namespace: "demo-localisation",
    share: 0.12,
    kinds: {
      "translate": "translation", "idiom": "translation", "subtitles": "translation",
      "formality": "translation", "proofread": "other"
    },
    slider: 5,
    baselineModelId: "gemini-2.5-pro",
    tag: null,
    feedbackShare: 0.35,
    labels: ["judge", "judge", "human"],
    isAgent: true,
    inputTokens: [1_000_000, 9_000_000],
    outputTokens: [60_000, 400_000]
  },
  {
    namespace: "demo-legal",
    share: 0.07,
    kinds: {
      "draft-clause": "creative", "summarise-contract": "summarization", "breach": "reasoning",
      "privacy": "reasoning", "compare-clauses": "reasoning"
    },
    slider: 8,
    baselineModelId: null,
    tag: "contracts",
    feedbackShare: 0.6,
    labels: ["human"],
    isAgent: true,
    inputTokens: [3_000_000, 30_000_000],
    outputTokens: [50_000, 250_000]
  },
  {
    namespace: "demo-marketing",
    share: 0.05,
    kinds: { "slogan": "creative", "speech": "creative", "blog": "creative", "press": "creative" },
    slider: 3,
    baselineModelId: "gpt-5",
    tag: null,
    feedbackShare: 0.15,
    labels: ["none", null],
    isAgent: false,
    inputTokens: [80, 400],
    outputTokens: [200, 1_200]
  }
]
