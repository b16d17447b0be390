/* The key of a task, by which reports find all attempts at the task. */
import { Schema } from "effect"
import type { RecommendationId } from "./RecommendationId.ts"
import { Reference } from "./text/Text.ts"
import { described, nullable } from "./wire/Wire.ts"

const lengthMax = 128

export const taskId = described(
  nullable(Reference.check(Schema.isMinLength(1), Schema.isMaxLength(lengthMax))),
  `Your name of the task, at most ${lengthMax} characters. In reports, recommendations of one task are `
    + "attempts at it. When left out, reports join the recommendations that `attempts` name."
)

const namePrefix = "id:"

export const chainPrefix = "chain:"

const keyOfName = (name: string): string => `${namePrefix}${name}`

export const keyOfTask = ({ taskId }: { readonly taskId: string | null }): string | null =>
  taskId === null ? null : keyOfName(taskId)

/** Returns the key of a task without a name, from the recommendation of its first attempt. */
export const keyOfFirst = (first: RecommendationId): string => `${chainPrefix}${first}`

/** Returns the report's task key, or the decision's if that names a task or the report has no key. */
export const keyAfter = (held: string | null, reported: string | null): string | null =>
  held?.startsWith(namePrefix) === true ? held : reported ?? held

/** Returns true if a report names another task than the decision; the decision then keeps its task. */
export const isOtherTask = (held: string | null, reported: string | null): boolean =>
  reported !== null && keyAfter(held, reported) !== reported
