import type { Difficulty, TaskType } from "../../src/domain/Task.ts"
import { slots } from "./content.ts"
import { requests } from "./requests.ts"

export interface Line {
  readonly task: string
  readonly type: TaskType
  readonly also: ReadonlyArray<TaskType>
  readonly difficulty: Difficulty
  readonly intent: string
}

const perIntent = 22

/** Fills the slots of a template; the same count gives the same words. */
const fill = (template: string, count: number): string => {
  let place = 0
  return template.replace(/\{(\w+)\}/g, (_, slot: string) => {
    const values = slots[slot]
    if (values === undefined) throw new Error(`unknown slot ${slot}`)
    return values[(count * 7 + place++ * 5 + slot.length) % values.length]!
  })
}

/** Requests of our own wording, aimed at kinds of asking that the synthetic set lacks; always the same list. */
export const more = (): ReadonlyArray<Line> =>
  requests.flatMap(({ also = [], difficulty, intent, templates, type }) => {
    const tasks = Array.from({ length: perIntent }, (_, count) => {
      const text = fill(templates[count % templates.length]!, count)
      return count % 7 === 3 ? text.toLowerCase() : text
    })
    return [...new Set(tasks)].map((task) => ({ task, type, also, difficulty, intent }))
  })
