/* The bars of the chart of savings: one for each day or week. */
import { dayMs, dayOf } from "../../../src/domain/Time.ts"
import type { Dashboard } from "./Answers.ts"
import { day } from "./Figures.ts"

export type Day = Dashboard["savings_by_day"][number]

/** Most days with a bar each, count; beyond it a bar is a week, so that it stays wide enough to see. */
const barsMax = 92

export interface Bar {
  /** "21 Nov": the day, or the first one of the week. */
  readonly label: string
  /** Its first and last day, as a link selects them. */
  readonly dates: string
  /** One for each of the amounts. */
  readonly values: ReadonlyArray<number>
}

const timeOf = ({ day }: Day): number => Date.parse(`${day}T00:00:00Z`)

/**
 * One bar for each day from the first to the last, days without decisions included; one for each week when
 * there are many.
 */
export const barsOf = (
  days: ReadonlyArray<Day>,
  amounts: ReadonlyArray<(day: Day) => number>
): ReadonlyArray<Bar> => {
  const [first] = days
  const last = days.at(-1)
  if (first === undefined || last === undefined) return []
  const length = (timeOf(last) - timeOf(first)) / dayMs + 1
  const stepMs = length > barsMax ? 7 * dayMs : dayMs
  return Array.from({ length: Math.ceil(length * dayMs / stepMs) }, (_, index) => {
    const from = timeOf(first) + index * stepMs
    const within = days.filter((each) => timeOf(each) >= from && timeOf(each) < from + stepMs)
    return {
      label: day(dayOf(from)),
      dates: `${dayOf(from)}/${dayOf(Math.min(from + stepMs - dayMs, timeOf(last)))}`,
      values: amounts.map((amount) => within.reduce((sum, each) => sum + amount(each), 0))
    }
  })
}
