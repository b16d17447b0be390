/* The five made-up teams of the demo: what they ask, how often, and what they report. */
import type { EvidenceSource } from "../../src/domain/Feedback.ts"
import type { TaskType } from "../../src/domain/Task.ts"

/** A made-up team that asks in a namespace of its own. */
export interface Team {
  readonly namespace: string
  /** Of all calls of a log; the shares add up to 1. */
  readonly share: number
  /** Of those of the demo, which asks most for the team whose model gets worse; these add up to 1 too. */
  readonly demoShare: number
  /** Kinds of `scripts/bench/arena/prompts.json` that it asks for, each with its task type. */
  readonly kinds: Readonly<Record<string, TaskType>>
  /** Share of requests that say their task type; the others are left to the classifier. */
  readonly typedShare: number
  readonly slider: number
  /** What it used before, and names as its baseline; null when it never says. */
  readonly baselineModelId: string | null
  readonly tag: string | null
  /** Share of recommendations that it reports on, and of those reports that carry a bill beside the tokens. */
  readonly feedbackShare: number
  readonly billedShare: number
  /** Who says how it went; null is a bare assertion. Picked evenly. */
  readonly labels: ReadonlyArray<EvidenceSource | null>
  readonly inputTokens: readonly [least: number, most: number]
  readonly outputTokens: readonly [least: number, most: number]
  /** The tokens of a run where agents do the team's work, of which a cache held nine tenths of the input; else null. */
  readonly run: { readonly input: readonly [number, number]; readonly output: readonly [number, number] } | null
}

export const teams: ReadonlyArray<Team> = [
  {
    namespace: "demo-checkout",
    share: 0.34,
    demoShare: 0.56,
    kinds: {
      "bug": "code", "sql": "code", "structure": "code", "unit-tests": "code", "regex": "code",
      "refactor": "code", "port": "code", "review": "code"
    },
    typedShare: 0.8,
    slider: 6,
    baselineModelId: "claude-sonnet-5",
    tag: "payments",
    feedbackShare: 0.75,
    billedShare: 0.9,
    labels: ["gate", "gate", "gate", "human"],
    inputTokens: [600, 6_000],
    outputTokens: [300, 2_400],
    run: { input: [12_000_000, 110_000_000], output: [120_000, 1_100_000] }
  },
  {
    namespace: "demo-support",
    share: 0.3,
    demoShare: 0.2,
    kinds: {
      "refund": "creative", "triage": "classification", "outage": "creative", "password": "qa",
      "address": "extraction", "escalate": "creative"
    },
    typedShare: 0.6,
    slider: 6,
    baselineModelId: "gpt-5",
    tag: "tickets",
    feedbackShare: 0.4,
    billedShare: 0.7,
    labels: ["human", "human", "judge", null],
    inputTokens: [150, 900],
    outputTokens: [40, 500],
    run: { input: [800_000, 8_000_000], output: [8_000, 60_000] }
  },
  {
    namespace: "demo-localisation",
    share: 0.18,
    demoShare: 0.12,
    kinds: {
      "translate": "translation", "idiom": "translation", "subtitles": "translation",
      "formality": "translation", "proofread": "other"
    },
    typedShare: 1,
    slider: 5,
    baselineModelId: "gemini-2.5-pro",
    tag: null,
    feedbackShare: 0.35,
    billedShare: 0.5,
    labels: ["judge", "judge", "human"],
    inputTokens: [60, 500],
    outputTokens: [40, 450],
    run: { input: [1_000_000, 9_000_000], output: [60_000, 400_000] }
  },
  {
    namespace: "demo-legal",
    share: 0.1,
    demoShare: 0.07,
    kinds: {
      "draft-clause": "creative", "summarise-contract": "summarization", "breach": "reasoning",
      "privacy": "reasoning", "compare-clauses": "reasoning"
    },
    typedShare: 0.5,
    slider: 8,
    baselineModelId: null,
    tag: "contracts",
    feedbackShare: 0.6,
    billedShare: 0.8,
    labels: ["human"],
    inputTokens: [1_500, 12_000],
    outputTokens: [400, 1_800],
    run: { input: [3_000_000, 30_000_000], output: [50_000, 250_000] }
  },
  {
    namespace: "demo-marketing",
    share: 0.08,
    demoShare: 0.05,
    kinds: { "slogan": "creative", "speech": "creative", "blog": "creative", "press": "creative" },
    typedShare: 0.2,
    slider: 3,
    baselineModelId: "gpt-5",
    tag: null,
    feedbackShare: 0.15,
    billedShare: 0.3,
    labels: ["none", null],
    inputTokens: [80, 400],
    outputTokens: [200, 1_200],
    run: null
  }
]
