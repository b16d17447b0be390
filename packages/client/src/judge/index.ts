/*
 * A judge in the caller's own stack: a model of the caller's says how good a share of the answers is, after
 * they have left. The verdict is reported; task and answer go to that model alone.
 */
import type { ScoreOptions } from "../Choice.ts"
import { attempt, notify } from "../ForeignValues.ts"
import { known } from "../Usage.ts"
import { answerText } from "../adapters/AnswerText.ts"
import { hashOf, nameOf, pairPrompt, pairQuality, preferenceOf, rubricPrompt, scoreOf } from "./Prompts.ts"

export interface JudgedOptions {
  /** Receives the verdicts: the client, also an adapter's. */
  readonly sextant: {
    readonly defaultModelId: string
    readonly score: (id: string, quality: number, source: "judge", options: ScoreOptions) => boolean
  }
  /** Asks the judge: yields a text, an answer of any SDK, or either with its bill as `costUsd`. */
  readonly judge: (prompt: string) => unknown
  /** The share of answers that is judged, from 0 to 1; 0.05 by default. */
  readonly share?: number | undefined
  /** Criteria of a good answer, in place of the usual ones. */
  readonly rubric?: string | undefined
  /**
   * Runs the baseline at a task, as `judge` runs the judge: answers are then compared with its answer, in
   * both orders. Those of the client's default model are not, which is the baseline.
   */
  readonly against?: ((task: string) => unknown) | undefined
  /**
   * Most that judging may cost a day (UTC) in this process, USD >= 0. A review begins only if one as dear as
   * the dearest so far still fits; a call without `costUsd` is the last of its day.
   */
  readonly budgetUsd?: number | undefined
  /** Called for each answer of the share, with what became of it. */
  readonly onJudged?: ((judgement: Judgement) => void) | undefined
  /** Most answers that wait for the judge, count >= 1; 100 by default. */
  readonly queueMax?: number | undefined
}

/** How a review ended: with a verdict; with words that are none; with an error; or before it began. */
export type JudgementEnd = "judged" | "unreadable" | "failed" | "over_budget" | "queue_full"

/** The review of one answer. */
export interface Judgement {
  readonly recommendationId: string
  readonly modelId: string | undefined
  /** The prompt's name and version. */
  readonly prompt: string
  readonly end: JudgementEnd
  /** From 0 to 1; null without a verdict. */
  readonly quality: number | null
  /** Whether the judge preferred one place to the other in both orders, which counts as a tie. */
  readonly isContradicted: boolean
  /** The bill of the judge and of the baseline's answer, USD; null if one is unknown. */
  readonly costUsd: number | null
  /** The error of the review, or null. */
  readonly error: unknown
}

/** Counts of reviews by their end, and what all of them cost. */
export interface JudgedTotals extends Readonly<Record<JudgementEnd, number>> {
  readonly contradicted: number
  /** USD, and no part of a saving; null where the cost of one is not known. */
  readonly costUsd: number | null
}

export interface Reviewing {
  /**
   * Yields the same answer, and has it judged later if it is of the share. `of` is what carries the
   * recommendation's id, where the answer does not: a choice, or what `sextantOf` yields.
   */
  <A>(task: string, answer: A | PromiseLike<A>, of?: unknown): Promise<A>
  /** Waits until all reviews have ended. */
  readonly flush: () => Promise<void>
  readonly totals: () => JudgedTotals
}

/** One answer on its way to the judge. */
interface Job {
  readonly id: string
  readonly modelId: string | undefined
  readonly task: string
  readonly text: string
}

const dayMs = 86_400_000

/** The recommendation of an answer of any adapter, a choice, an attempt or a run; and the model that ran. */
const sourceOf = async (of: unknown): Promise<Pick<Job, "id" | "modelId"> | null> => {
  const { best, messages } = Object(of)
  const inner = Object(messages?.at(-1) ?? best ?? of)
  // A stream of the AI SDK has a promise of it.
  const { sextant } = Object(await inner.providerMetadata)
  const ofMessage = inner.response_metadata?.sextant
  const own = Object(inner[Symbol.for("sextant-client")] ?? sextant ?? ofMessage ?? inner)
  const id = own.recommendationId ?? own.recommendation_id
  const modelId = own.ranModelId ?? own.modelId ?? own.model_id ?? undefined
  return typeof id === "string" && id ? { id, modelId } : null
}

/** The judged text of an answer: its text, or its object as JSON; null if it has neither. */
const judgedText = (answer: unknown): string | null => {
  const { best, object } = Object(answer)
  return answerText(best ? best.result : answer) ?? (object === undefined ? null : JSON.stringify(object))
}

const refuse = (isWrong: boolean, problem: string): void => {
  if (isWrong) throw new TypeError(`judged: ${problem}`)
}

/** A share of the answers, judged by a model of the caller's. Throws a `TypeError` if an option is wrong. */
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

  /** The judge's verdict on an answer, as a quality; `ask` adds up the cost. */
  const verdictOf = async (
    { id, task, text }: Job,
    ask: (model: (words: string) => unknown, words: string) => Promise<string>
  ): Promise<{ readonly quality: number | null; readonly isContradicted: boolean }> => {
    if (!against) {
      const said = await ask(judge, rubricPrompt(id, task, text, rubric))
      return { quality: scoreOf(said), isContradicted: false }
    }
    const other = await ask(against, task)
    // Against nothing every answer would win.
    if (other === "") throw new Error("judged: the baseline's answer has no text")
    const one = preferenceOf(await ask(judge, pairPrompt(id, task, [text, other], rubric)), 1)
    const two = preferenceOf(await ask(judge, pairPrompt(id, task, [other, text], rubric)), 2)
    if (one === null || two === null) return { quality: null, isContradicted: false }
    return { quality: pairQuality((one + two) / 2), isContradicted: one * two < 0 }
  }

  const review = async (job: Job): Promise<void> => {
    // The reader of the answer goes first.
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
      // Reading a foreign answer may fail; its caller gets it all the same.
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
