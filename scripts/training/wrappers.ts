/** Wrappers: texts that people and programs put around a request. None of it may change the request's type. */
import type { Voice } from "./examples.ts"
import { rowsIn } from "./words.ts"

/** Puts its own text around a request; the same request always gives the same text. */
export type Wrapper = (task: string) => string

const eachLine = (task: string, prefix: string): string =>
  task.split("\n").map((line) => `${prefix}${line}`).join("\n")

/** How a template shows the request: as it is, as a JSON string, as a quotation, or indented by two spaces. */
const places: ReadonlyArray<readonly [place: string, show: (task: string) => string]> = [
  ["{json}", (task) => JSON.stringify(task)],
  ["{quoted}", (task) => eachLine(task, "> ")],
  ["{indented}", (task) => eachLine(task, "  ")],
  ["{}", (task) => task]
]

/** The template with the request in its first place. */
export const wrap = (template: string, task: string): string => {
  const [place, show] = places.find(([name]) => template.includes(name)) ?? ["{}", String]
  return template.replace(place, () => show(task))
}

const wrappersIn = (name: string): ReadonlyArray<Wrapper> =>
  rowsIn<{ readonly name: string; readonly template: string }>(name)
    .map(({ template }) => (task: string) => wrap(template, task))

/** The wrappers of one writer. */
export const wrappersOf = (voice: Voice): ReadonlyArray<Wrapper> => wrappersIn(`wrappers-${voice}`)

/** Wrappers of real stacks, for judging alone: a careful reader gives the wrapped text the bare text's type. */
export const freshWrappers: ReadonlyArray<Wrapper> = wrappersIn("wrappers-fresh")

/** The kinds of the list `phrases`: whole wrappers, and parts that are put together at random. */
type List =
  | "trainWrappers" | "unseenWrappers" | "systems" | "letterheads" | "openings" | "chatter" | "framesBefore" | "labels"
  | "shells" | "closers" | "framesAfter" | "closings"

const rows = rowsIn<{ readonly list: List; readonly text: string }>("phrases")
const phrasesOf = (list: List): ReadonlyArray<string> =>
  rows.filter((row) => row.list === list).map(({ text }) => text)

/** Parts of wrappers: what may come before the request, around it, and after it. */
export const phrases = {
  systems: phrasesOf("systems"), letterheads: phrasesOf("letterheads"), openings: phrasesOf("openings"),
  chatter: phrasesOf("chatter"), framesBefore: phrasesOf("framesBefore"),
  labels: phrasesOf("labels"), shells: phrasesOf("shells"),
  closers: phrasesOf("closers"), framesAfter: phrasesOf("framesAfter"), closings: phrasesOf("closings")
}

/** Templates of whole wrappers for training. */
export const trainWrappers: ReadonlyArray<string> = phrasesOf("trainWrappers")

/** Templates that training never sees. The honest measure of robustness is how often they change the type. */
export const unseenWrappers: ReadonlyArray<string> = phrasesOf("unseenWrappers")

/** How often a whole wrapper by another hand is taken, when there are any. */
const extraShare = 0.65

/**
 * Wraps a request in one of `extra`, in a fixed wrapper or in one that is put together at random. `random` gives
 * numbers in [0, 1). Of our own lists it takes only entries whose index passes `isUsed`.
 */
export const dress = (
  task: string,
  random: () => number,
  extra: ReadonlyArray<Wrapper>,
  isUsed: (index: number) => boolean
): string => {
  const pick = <A>(all: ReadonlyArray<A>): A => {
    const list = all.filter((_, index) => isUsed(index))
    return list[Math.floor(random() * list.length)]!
  }
  if (extra.length > 0 && random() < extraShare) return extra[Math.floor(random() * extra.length)]!(task)
  if (random() < 0.2) return wrap(pick(trainWrappers), task)
  const { chatter, closers, closings, framesAfter, framesBefore, labels, letterheads, openings, shells, systems } = phrases
  const breakOf = () => random() < 0.35 ? " " : random() < 0.5 ? "\n" : "\n\n"
  const before = [[systems, 0.25], [letterheads, 0.15], [framesBefore, 0.2], [framesBefore, 0.15], [openings, 0.2], [chatter, 0.2]] as const
  const opening = before.filter(([, share]) => random() < share).map(([list]) => pick(list) + breakOf()).join("")
  const inner = random() < 0.2 ? wrap(pick(shells), task) : pick(labels) + task
  const after = [[closers, 0.3], [framesAfter, 0.25], [closings, 0.2]] as const
  return opening + inner + after.filter(([, share]) => random() < share).map(([list]) => breakOf() + pick(list)).join("")
}
