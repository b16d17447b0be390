/* Which task a recommendation is an attempt at: what joins attempts in reports. */
import { Schema } from "effect"
import type { RecommendationId } from "./RecommendationId.ts"
import { Reference } from "./text/Text.ts"
import { described, nullable } from "./wire/Wire.ts"

/** Longest name of a task, characters. */
const lengthMax = 128

/** The field of requests and feedbacks that names the task. */
export const taskId = described(
  nullable(Reference.check(Schema.isMinLength(1), Schema.isMaxLength(lengthMax))),
  `Your name of the task, at most ${lengthMax} characters. In reports, recommendations of one task are `
    + "attempts at it. Left out, those are that `attempts` name."
)

const namePrefix = "id:"

/** How the key of a task without a name begins. */
export const chainPrefix = "chain:"

/** The key of a task that the caller names. */
const keyOfName = (name: string): string => `${namePrefix}${name}`

/** The key of the task that a request or a feedback names; null where it names none. */
export const keyOfTask = ({ taskId }: { readonly taskId: string | null }): string | null =>
  taskId === null ? null : keyOfName(taskId)

/** The key of a task without a name: the recommendation of its first attempt. */
export const keyOfFirst = (first: RecommendationId): string => `${chainPrefix}${first}`

/**
 * The key of a decision's task after a report that names it, or names none: a caller's first name stays, and
 * takes the place of a chain.
 */
export const keyAfter = (held: string | null, reported: string | null): string | null =>
  held?.startsWith(namePrefix) === true ? held : reported ?? held

/** Whether a report names another task than its decision, whose task stays. */
export const isOtherTask = (held: string | null, reported: string | null): boolean =>
  reported !== null && keyAfter(held, reported) !== reported
