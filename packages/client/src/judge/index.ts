/* A judge in the caller's program: a model rates a share of the answers in the background. Tasks and
   answers are sent only to the caller's models. */
import type { ScoreOptions } from "../Choice.ts"
import { attempt, notify } from "../ForeignValues.ts"
import { known } from "../Usage.ts"
import { answerText } from "../adapters/AnswerText.ts"
import { hashOf, nameOf, pairPrompt, pairQuality, preferenceOf, rubricPrompt, scoreOf } from "./Prompts.ts"

export interface JudgedOptions {
  /** The client that reports the verdicts, made by `createSextant` or by an adapter. */
  readonly sextant: {
    readonly defaultModelId: string
    readonly score: (id: string, quality: number, source: "judge", options: ScoreOptions) => boolean
  }
  /** Asks the judge's model for a text or an answer of any SDK, with its `costUsd` in US dollars if known. */
  readonly judge: (prompt: string) => unknown
  /** Share of the answers that are judged, from 0 to 1; 0.05 by default. */
  readonly share?: number | undefined
  /** Criteria of a good answer, which replace the usual criteria in the prompt. */
  readonly rubric?: string | undefined
  /**
   * Runs the baseline model on a task. With `against`, the judge compares answers with the baseline's, in
   * both orders, except answers of the default model, which are not judged.
   */
  readonly against?: ((task: string) => unknown) | undefined
  /**
   * Budget of this judge per process and UTC day, US dollars >= 0. A review begins only if the rest of the
   * day's budget covers the most expensive review so far. A call without `costUsd` uses up the day's budget.
   */
  readonly budgetUsd?: number | undefined
  /** Called with the result of each answer that was selected for judging. */
  readonly onJudged?: ((judgement: Judgement) => void) | undefined
  /** Maximum number of answers that wait for the judge; 100 by default. */
  readonly queueMax?: number | undefined
}

/** A review ends with a verdict, with an unreadable one, with an error, or before it began. */
export type JudgementEnd = "judged" | "unreadable" | "failed" | "over_budget" | "queue_full"

export interface Judgement {
  readonly recommendationId: string
  readonly modelId: string | undefined
  readonly prompt: string
  readonly end: JudgementEnd
  /** Quality of the answer, from 0 to 1; null if there is no verdict. */
  readonly quality: number | null
  /** Whether the judge's verdicts in the two orders contradict each other, which is treated as a tie. */
  readonly isContradicted: boolean
  /** Cost of the judge's calls and the baseline's answer in US dollars; null if a part is unknown. */
  readonly costUsd: number | null
  readonly error: unknown
}

export interface JudgedTotals extends Readonly<Record<JudgementEnd, number>> {
  readonly contradicted: number
  /** Total cost of reviews, US dollars; null if one is unknown. */
  readonly costUsd: number | null
}

export interface Reviewing {
  /**
   * Returns the answer, which is judged later if it is selected. `of` has the recommendation's id, such as a
   * choice, and is needed only if the answer has none.
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

/** Finds the recommendation of an answer, a choice, an attempt or a run; null if there is none. */
const sourceOf = async (of: unknown): Promise<Pick<Job, "id" | "modelId"> | null> => {
  const { best, messages } = Object(of)
  const inner = Object(messages?.at(-1) ?? best ?? of)
  // In a stream's result of the AI SDK, the metadata is a promise.
  const { sextant } = Object(await inner.providerMetadata)
  const ofMessage = inner.response_metadata?.sextant
  const own = Object(inner[Symbol.for("sextant-client")] ?? sextant ?? ofMessage ?? inner)
  const id = own.recommendationId ?? own.recommendation_id
  const modelId = own.ranModelId ?? own.modelId ?? own.model_id ?? undefined
  return typeof id === "string" && id ? { id, modelId } : null
}

/** The answer's text, or else its object as JSON; null if the answer has neither. */
const judgedText = (answer: unknown): string | null => {
  const { best, object } = Object(answer)
  return answerText(best ? best.result : answer) ?? (object === undefined ? null : JSON.stringify(object))
}

const refuse = (isWrong: boolean, problem: string): void => {
  if (isWrong) throw new TypeError(`judged: ${problem}`)
}

/**
 * Passes answers on and lets the judge rate a share of them. Throws a `TypeError` if `judge`, `share` or
 * `budgetUsd` is wrong.
 */
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

  /** `ask` calls a model and adds up the costs. */
  const verdictOf = async (
    { id, task, text }: Job,
    ask: (model: (words: string) => unknown, words: string) => Promise<string>
  ): Promise<{ readonly quality: number | null; readonly isContradicted: boolean }> => {
    if (!against) {
      const said = await ask(judge, rubricPrompt(id, task, text, rubric))
      return { quality: scoreOf(said), isContradicted: false }
    }
    const other = await ask(against, task)
    // Every answer would win against an empty answer, so the review fails.
    if (other === "") throw new Error("judged: the baseline's answer has no text")
    const one = preferenceOf(await ask(judge, pairPrompt(id, task, [text, other], rubric)), 1)
    const two = preferenceOf(await ask(judge, pairPrompt(id, task, [other, text], rubric)), 2)
    if (one === null || two === null) return { quality: null, isContradicted: false }
    return { quality: pairQuality((one + two) / 2), isContradicted: one * two < 0 }
  }

  const review = async (job: Job): Promise<void> => {
    // Waits so that the program can use the answer before the review begins.
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
      // Reading an SDK's answer for the judge may fail, and the caller still gets the answer.
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
