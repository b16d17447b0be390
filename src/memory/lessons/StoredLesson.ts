/* The form in which a memory stores a lesson. */
import type { NewLesson } from "../../domain/MemoryWrite.ts"
import { type ErrorFingerprint, fingerprintsOf } from "./ErrorFingerprint.ts"

export interface StoredLesson
  extends Omit<NewLesson, "accountId" | "lane" | "revision" | "cluster" | "errorText">
{
  readonly cluster: string
  /**
   * Subject of the lesson: `outcome` (the model's success), `error:<fingerprint>`, `step:<id>` or
   * `cost:<model>`.
   */
  readonly topic: string
  readonly error: ErrorFingerprint | null
  /** Confidence before contradictions are resolved, in [0, 1]. */
  readonly baseConfidence: number
  /** True if the opposite lessons have clearly more support. */
  readonly isSuperseded: boolean
  /** True if a reflection wrote the lesson. */
  readonly isReflected: boolean
  /** Number of votes up on outcomes of the lesson's cluster and model. */
  readonly reinforcement: number
}

/** The scopes of lessons, from the narrowest to the broadest. */
export const breadth = { run: 0, session: 1, account: 2 }

export const outcomeTopic = "outcome"
export const errorTopic = (fingerprint: string): string => `error:${fingerprint}`

export const keptOf = (lesson: NewLesson): StoredLesson => {
  const { accountId: _account, errorText, lane: _lane, revision: _revision, ...rest } = lesson
  const error = errorText === null ? null : fingerprintsOf(errorText)[0]
  return {
    ...rest,
    topic: error === null ? outcomeTopic : errorTopic(error.fingerprint),
    error,
    baseConfidence: lesson.confidence,
    isSuperseded: false,
    isReflected: false,
    reinforcement: 0
  }
}

/** Returns true if a lesson says that its model does well or badly, so that it can contradict another. */
export const isDirectional = ({ scope, topic }: Pick<StoredLesson, "scope" | "topic">): boolean =>
  scope === "run" || topic === outcomeTopic

export const pairOf = (of: { readonly cluster: string; readonly modelId: string }): string =>
  JSON.stringify([of.cluster, of.modelId])
