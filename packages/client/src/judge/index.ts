/*
 * A judge in the caller's program: one of the caller's models rates a share of the answers after they have
 * left. The verdict is reported. Task and answer go only to that model.
 */
import type { ScoreOptions } from "../Choice.ts"
import { attempt, notify } from "../ForeignValues.ts"
import { known } from "../Usage.ts"
import { answerText } from "../adapters/AnswerText.ts"
import { hashOf, nameOf, pairPrompt, pairQuality, preferenceOf, rubricPrompt, scoreOf } from "./Prompts.ts"

export interface JudgedOptions {
  /** The client that reports the verdicts, also an adapter's. */
  readonly sextant: {
    readonly defaultModelId: string
    readonly score: (id: string, quality: number, source: "judge", options: ScoreOptions) => boolean
  }
  /** Asks the judge. Returns a text, an answer of any SDK, or either with its bill as `costUsd`. */
  readonly judge: (prompt: string) => unknown
  /** The judged share of answers, from 0 to 1; 0.05 by default. */
  readonly share?: number | undefined
  /** Criteria of a good answer that replace the usual ones. */
  readonly rubric?: string | undefined
  /**
   * Runs the baseline on a task, and returns its answer as `judge` does. Each answer is then compared with it
   * in both orders. Answers of the client's default model are left out, because that is the baseline.
   */
  readonly against?: ((task: string) => unknown) | undefined
  /**
   * Daily limit of the judging costs in this process, UTC, USD >= 0. A review begins only if the dearest cost
   * so far still fits. A call without `costUsd` ends the judging for its day.
   */
  readonly budgetUsd?: number | undefined
  /** Called for each answer of the share with its result. */
  readonly onJudged?: ((judgement: Judgement) => void) | undefined
  /** Largest number of answers that wait for the judge, count >= 1; 100 by default. */
  readonly queueMax?: number | undefined
}

/** How a review ended: with a verdict, with unreadable words, with an error, or before its start. */
export type JudgementEnd = "judged" | "unreadable" | "failed" | "over_budget" | "queue_full"

export interface Judgement {
  readonly recommendationId: string
  readonly modelId: string | undefined
  readonly prompt: string
  readonly end: JudgementEnd
  /** From 0 to 1; null without a verdict. */
  readonly quality: number | null
  /** Whether the judge preferred the same place in both orders, which counts as a tie. */
  readonly isContradicted: boolean
  /** The bill of the judge and the baseline's answer, USD; null if a part is unknown. */
  readonly costUsd: number | null
  readonly error: unknown
}

/** Counts of reviews by their end, and the cost of all. */
export interface JudgedTotals extends Readonly<Record<JudgementEnd, number>> {
  readonly contradicted: number
  /** USD, not part of any saving; null if the cost of a review is unknown. */
  readonly costUsd: number | null
}

export interface Reviewing {
  /**
   * Returns the same answer, and has it judged later if it is in the share. `of` is an object with the
   * recommendation's id, such as a choice, if the answer has none.
   */
  <A>(task: string, answer: A | PromiseLike<A>, of?: unknown): Promise<A>
  readonly flush: () => Promise<void>
  readonly totals: () => JudgedTotals
}

interface Job {
  readonly id: string
  readonly modelId: string | undefined
  readonly task: string
  readonly text: string
}

const dayMs = 86_400_000

/**
 * The recommendation and the model of any adapter's answer, a choice, an attempt or a run; null without one.
 */
const sourceOf = async (of: unknown): Promise<Pick<Job, "id" | "modelId"> | null> => {
  const { best, messages } = Object(of)
  const inner = Object(messages?.at(-1) ?? best ?? of)
  // A stream of the AI SDK has a promise of its metadata.
  const { sextant } = Object(await inner.providerMetadata)
  const ofMessage = inner.response_metadata?.sextant
  const own = Object(inner[Symbol.for("sextant-client")] ?? sextant ?? ofMessage ?? inner)
  const id = own.recommendationId ?? own.recommendation_id
  const modelId = own.ranModelId ?? own.modelId ?? own.model_id ?? undefined
  return typeof id === "string" && id ? { id, modelId } : null
}

/** The judged text of an answer: its text, or its object as JSON; null without both. */
const judgedText = (answer: unknown): string | null => {
  const { best, object } = Object(answer)
  return answerText(best ? best.result : answer) ?? (object === undefined ? null : JSON.stringify(object))
}

const refuse = (isWrong: boolean, problem: string): void => {
  if (isWrong) throw new TypeError(`judged: ${problem}`)
}

/** Makes a function that has a share of the answers judged. Throws a `TypeError` for a wrong option. */
export const judged = (options: JudgedOptions): Reviewing => {
  const { against, budgetUsd, judge, onJudged, queueMax = 100, rubric, sextant, share = 0.05 } = options
  refuse(typeof judge !== "function", "judge is no function")
  refuse(!known(share, 1), "share is no number from 0 to 1")
  refuse(budgetUsd !== undefined && !known(budgetUsd), "budgetUsd is no number >= 0")
  const prompt = nameOf(against ? "pair-1" : "rubric-1", rubric)
  const counts = { judged: 0, unreadable: 0, failed: 0, over_budget: 0, queue_full: 0, contradicted: 0 }
  const open = new Set<Promise<unknown>>()
  let last: Promise<void> = Promise.resolve()
  let [waiting, totalUsd, todayUsd, dearestUsd, day] = [0, 0, 0, 0, 0]

  const ended = ({ id, modelId }: Job, end: JudgementEnd, rest: Partial<Judgement> = {}): void => {
    const none = { quality: null, isContradicted: false, costUsd: 0, error: null }
    const judgement: Judgement = { recommendationId: id, modelId, prompt, end, ...none, ...rest }
    counts[end]++
    if (judgement.isContradicted) counts.contradicted++
    if (onJudged) notify(() => onJudged(judgement))
  }

  /** The judge's verdict as a quality. `ask` adds up the cost. */
  const verdictOf = async (
    { id, task, text }: Job,
    ask: (model: (words: string) => unknown, words: string) => Promise<string>
  ): Promise<{ readonly quality: number | null; readonly isContradicted: boolean }> => {
    if (!against) {
      const said = await ask(judge, rubricPrompt(id, task, text, rubric))
      return { quality: scoreOf(said), isContradicted: false }
    }
    const other = await ask(against, task)
    // Every answer would win against an empty one.
    if (other === "") throw new Error("judged: the baseline's answer has no text")
    const one = preferenceOf(await ask(judge, pairPrompt(id, task, [text, other], rubric)), 1)
    const two = preferenceOf(await ask(judge, pairPrompt(id, task, [other, text], rubric)), 2)
    if (one === null || two === null) return { quality: null, isContradicted: false }
    return { quality: pairQuality((one + two) / 2), isContradicted: one * two < 0 }
  }

  const review = async (job: Job): Promise<void> => {
    // The answer's reader runs first.
    await new Promise((resolve) => setTimeout(resolve))
    waiting--
    const today = Math.floor(Date.now() / dayMs)
    if (today !== day) [day, todayUsd] = [today, 0]
    const leftUsd = budgetUsd === undefined ? Infinity : budgetUsd - todayUsd
    if (!(leftUsd > 0 && dearestUsd <= leftUsd)) return ended(job, "over_budget")
    let usd = 0
    const ask = async (model: (words: string) => unknown, words: string): Promise<string> => {
      const said = await model(words)
      const { costUsd } = Object(said)
      usd += known(costUsd) ? costUsd : NaN
      return answerText(said) ?? ""
    }
    let came: Partial<Judgement>
    try {
      came = await verdictOf(job, ask)
    } catch (error) {
      came = { error }
    }
    totalUsd += usd
    todayUsd += usd
    if (usd > dearestUsd) dearestUsd = usd
    const { isContradicted = false, quality = null } = came
    if (quality !== null) {
      const notes = isContradicted ? `${prompt}, contradicted` : prompt
      attempt(() => sextant.score(job.id, quality, "judge", { modelId: job.modelId, notes }), false)
    }
    const end = quality !== null ? "judged" : "error" in came ? "failed" : "unreadable"
    ended(job, end, { ...came, costUsd: known(usd) ? usd : null })
  }

  const later = async (task: string, answer: unknown, of: unknown): Promise<void> => {
    const source = await sourceOf(of)
    const text = judgedText(answer)
    if (source === null || text === null || hashOf(source.id) >= share * 2 ** 32) return
    if (against && source.modelId === sextant.defaultModelId) return
    const job = { ...source, task, text }
    if (waiting >= queueMax) return ended(job, "queue_full")
    waiting++
    await (last = last.then(() => review(job)))
  }

  const reviewing = async <A>(task: string, answer: A | PromiseLike<A>, of?: unknown): Promise<A> => {
    const made = await answer
    const one: Promise<unknown> = later(task, made, of ?? made).catch(() => {
      // Reading a foreign answer may fail. Its caller gets the answer all the same.
    })
    open.add(one)
    void one.then(() => open.delete(one))
    return made
  }

  return Object.assign(reviewing, {
    flush: async () => {
      while (open.size > 0) await Promise.all(open)
    },
    totals: () => ({ ...counts, costUsd: known(totalUsd) ? totalUsd : null })
  })
}
