/**
 * Instructions as public sets word them, with text pasted from the public labels. Never learned from: what is pasted
 * tells nothing of the type here, so a model that has learned it does badly.
 */
import { type TaskType, taskTypes } from "../../src/domain/Task.ts"
import { generator } from "../../src/stats/Generator.ts"
import { type Example, labelRows } from "./examples.ts"
import { slots } from "./material.ts"
import { rowsIn } from "./words.ts"

/** How often each template is filled. */
const perTemplate = 6

type Pasted = Readonly<Record<string, ReadonlyArray<string>>>

const linesOf = (text: string): ReadonlyArray<string> => text.split("\n").filter((line) => line.trim() !== "")
const longestOf = (text: string): string => linesOf(text).toSorted((a, b) => b.length - a.length)[0]!

/** Texts of the public labels by kind, without what was asked of them. */
const textsOf = (path: string): Pasted => {
  const tasks = Map.groupBy(labelRows(path), (row) => row["source"]!)
  const of = (...sources: ReadonlyArray<string>) =>
    sources.flatMap((source) => tasks.get(`t0:${source}`)!.map((row) => row["task"]!))
  const article = of("xsum_summarize_this_DOC_summary")
    .map((task) => task.replace(/^Summarize this document: /, "").replace("\nSummary:", "").trim())
  const sentence = article.flatMap(linesOf).map((line) => line.trim()).filter(({ length }) => length > 40 && length < 200)
  return {
    ...slots, sentence, article: article.map((text) => text.slice(0, 1800)),
    headline: sentence.map((text) => text.split(/\s+/).slice(0, 9).join(" ").replace(/[.,]+$/, "")),
    plot: of("duorc_SelfRC_question_answering").map((task) => longestOf(task).slice(0, 1600)),
    review: of("imdb_Movie_Expressed_Sentiment", "yelp_review_full_format_star", "amazon_polarity_Is_this_review")
      .map((task) => longestOf(task).slice(0, 700)),
    passage: of("adversarial_qa_dbert_question_context_answer", "ropes_background_new_situation_answer")
      .map((task) => longestOf(task).slice(0, 900))
  }
}

/** Each template filled a few times; always the same list. */
export const instructions = (path: string): ReadonlyArray<Example> => {
  const texts = textsOf(path)
  const random = generator(3)
  const pick = (kind: string): string => {
    const values = texts[kind]!
    return values[Math.floor(random() * values.length)]!
  }
  return rowsIn<{ readonly type: TaskType; readonly template: string }>("instructions").flatMap(({ template, type }) =>
    Array.from({ length: perTemplate }, (): Example => ({
      task: template.replace(/\{(\w+)\}/g, (_, kind: string) => pick(kind)), type: taskTypes.indexOf(type), also: [],
      difficulty: undefined, group: `instruction:${type}`, weight: 1, isLabel: false, language: null
    })))
}
