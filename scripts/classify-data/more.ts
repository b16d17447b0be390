import type { Difficulty, TaskType } from "../../src/domain/Task.ts"

export interface Line {
  readonly task: string
  readonly type: TaskType
  readonly also: ReadonlyArray<TaskType>
  readonly difficulty: Difficulty
  readonly intent: string
}
export const more = (): ReadonlyArray<Line> => []
