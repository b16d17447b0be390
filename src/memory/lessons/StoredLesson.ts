/* A lesson as a memory stores it. */
import type { NewLesson } from "../../domain/MemoryWrite.ts"
import { type ErrorFingerprint, fingerprintsOf } from "./ErrorFingerprint.ts"

/** A lesson as a driver stores it. */
export interface StoredLesson
  extends Omit<NewLesson, "accountId" | "lane" | "revision" | "cluster" | "errorText">
{
  readonly cluster: string
  /** `outcome`: how well the model does. Otherwise `error:<fingerprint>`, `step:<id>` or `cost:<model>`. */
  readonly topic: string
  readonly error: ErrorFingerprint | null
  /** Confidence before any contradiction, in [0, 1]. */
  readonly baseConfidence: number
  /** Whether the outcomes support its opposite. */
  readonly isSuperseded: boolean
  /** Whether reflection wrote it, which rewrites or removes it later. Promoted lessons stay unchanged. */
  readonly isReflected: boolean
  /** How often feedback has credited its cluster and model. */
  readonly reinforcement: number
}

/** The order of scopes, the broadest last. */
export const breadth = { run: 0, session: 1, account: 2 }

export const outcomeTopic = "outcome"
export const errorTopic = (fingerprint: string): string => `error:${fingerprint}`

/** The stored form of a promoted lesson. */
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

/** Whether a lesson says that its model does well, or badly, in its cluster: only such lessons contradict. */
export const isDirectional = ({ scope, topic }: Pick<StoredLesson, "scope" | "topic">): boolean =>
  scope === "run" || topic === outcomeTopic

/** The key that groups lessons of one model in one cluster. */
export const pairOf = (of: { readonly cluster: string; readonly modelId: string }): string =>
  JSON.stringify([of.cluster, of.modelId])
