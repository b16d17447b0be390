/** Requests of our own wording, composed from templates: kinds of asking that the synthetic set lacks. */
import type { Difficulty, TaskType } from "../../src/domain/Task.ts"
import { generator } from "../../src/stats/Generator.ts"
import { pickFrom } from "../bench/arena/random.ts"
import { pasted, slots } from "./material.ts"
import { rowsIn } from "./words.ts"

/** A kind of request, with ways of asking for it; `{slot}` is filled from `material.ts`. */
interface Request {
  readonly intent: string
  readonly type: TaskType
  readonly difficulty: Difficulty
  /** Types that would be fair answers too. */
  readonly also?: ReadonlyArray<TaskType>
  readonly templates: ReadonlyArray<string>
}

export interface Line {
  readonly task: string
  readonly type: TaskType
  readonly also: ReadonlyArray<TaskType>
  readonly difficulty: Difficulty
  readonly intent: string
}

const perIntent = 22
/** How often each wording of the asks is filled with other words. */
const perWording = 4

/** A hash of a text, a whole number in [0, 2^32); the trained files depend on it. */
export const hashOf = (text: string): number => {
  let hash = 0x811c9dc5
  for (const character of text) hash = Math.imul(hash ^ character.codePointAt(0)!, 0x01000193)
  return (hash ^ (hash >>> 15)) >>> 0
}

/** Fills the slots of a template; the same count gives the same words. */
const fill = (template: string, count: number): string => {
  let place = 0
  return template.replace(/\{(\w+)\}/g, (_, slot: string) => {
    const values = slots[slot]
    if (values === undefined) throw new Error(`unknown slot ${slot}`)
    return values[(count * 7 + place++ * 5 + slot.length) % values.length]!
  })
}

const material: Readonly<Record<string, ReadonlyArray<string>>> =
  { ...slots, ...pasted, sent: [...slots["sent"]!, ...pasted["sent"]!] }

/** Chooses in `{this|that}`, innermost first, and fills `{slot}` last, so that braces in what is pasted stay. */
const vary = (template: string, random: () => number): string => {
  let text = template.replace(/\{(\w+)\}/g, (whole, slot: string) => Object.hasOwn(material, slot) ? `\u0001${slot}\u0002` : whole)
  for (let round = 0; round < 3; round++) {
    text = text.replace(/\{([^{}"]*\|[^{}]*)\}/g, (_, choices: string) => pickFrom(choices.split("|"), random))
  }
  return text.replace(/\u0001(\w+)\u0002/g, (_, slot: string) => pickFrom(material[slot]!, random)).trim()
}

const typo = (text: string, random: () => number): string => {
  const at = 1 + Math.floor(random() * Math.max(1, Math.min(60, text.length - 3)))
  return random() < 0.5 ? text.slice(0, at) + text.slice(at + 1) : text.slice(0, at) + text[at + 1] + text[at] + text.slice(at + 2)
}
const requestStart = /^(?:write|make|give|list|extract|translate|summari[sz]e|find|fix|explain|rewrite|create|classify|tell|show|build|add|turn|set|book|plan|solve|compute|convert|answer|put|pull|sort|rephrase|describe|invent|implement)\b/i
const polite = ["please ", "can you ", "could you please ", "I need you to ", "pls ", "i want you to ", "would you "]
/** Types a request as another person would: politely, in other case, without a full stop, or with a typing error. */
const retype = (task: string, random: () => number): string => {
  let text = task
  if (requestStart.test(text) && random() < 0.3) text = pickFrom(polite, random) + text[0]!.toLowerCase() + text.slice(1)
  else if (random() < 0.35) text = text[0]!.toUpperCase() + text.slice(1)
  if (random() < 0.15) text = text.toLowerCase()
  if (random() < 0.15) text = text.replace(/[.?]$/, "")
  if (random() < 0.07) text = typo(text, random)
  return text
}

const asks = (): ReadonlyArray<Line> =>
  rowsIn<Request>("asks").flatMap(({ also = [], difficulty, intent, templates, type }) => {
    const random = generator(hashOf(intent))
    const tasks = templates.flatMap((template) =>
      Array.from({ length: perWording }, () => retype(vary(template, random), random)))
    return [...new Set(tasks)].map((task) => ({ task, type, also, difficulty, intent: `ask-${intent}` }))
  })

/** All composed requests, always the same list. */
export const composed = (): ReadonlyArray<Line> => [
  ...rowsIn<Request>("requests").flatMap(({ also = [], difficulty, intent, templates, type }) => {
    const tasks = Array.from({ length: perIntent }, (_, count) => {
      const text = fill(templates[count % templates.length]!, count)
      return count % 7 === 3 ? text.toLowerCase() : text
    })
    return [...new Set(tasks)].map((task) => ({ task, type, also, difficulty, intent }))
  }),
  ...asks()
]
