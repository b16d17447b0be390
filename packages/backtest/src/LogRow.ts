/*
 * A row of a log as a backtest keeps it: the inputs of the stages, and no text. Rows are written to a private
 * file and read back in the order of time.
 */
import type { Provenance } from "../../../src/domain/Feedback.ts"
import { type Difficulty, difficulties, type TaskType, taskTypes } from "../../../src/domain/Task.ts"

/** A row without its texts. NaN stands for a number that the log does not have. */
export interface LogRow {
  readonly atMs: number
  /** Place among all rows that were read, from 0: the order of rows of one moment. */
  readonly number: number
  /** Two hashes of the row's id, whole numbers in [0, 2^32). */
  readonly idHigh: number
  readonly idLow: number
  /** Number of the model's name in this run. */
  readonly model: number
  /** Hash of the user, in [0, 2^32); 0 without one. */
  readonly user: number
  /** Hash of the task's name, or else of its user and text, in [0, 2^48); 0 without any of these. */
  readonly task: number
  readonly isTaskNamed: boolean
  readonly taskType: TaskType
  readonly difficulty: Difficulty
  readonly isDifficultyGiven: boolean
  readonly inputTokens: number
  readonly cachedInputTokens: number
  readonly outputTokens: number
  readonly reasoningTokens: number
  readonly costUsd: number
  readonly latencyMs: number
  readonly quality: number
  readonly provenance: Provenance
  readonly isInfraFailure: boolean
  readonly tags: ReadonlyArray<string>
  /** Direction of the text in steps of its largest coordinate, {@link vectorSteps}; null without a text. */
  readonly vector: Int16Array | null
}

/** Steps of the largest coordinate of a kept vector: those in which the index compares a query. */
export const vectorSteps = 4_095

const provenances: ReadonlyArray<Provenance> = ["none", "assertion", "judge", "human", "gate"]

/** Numbers of 8 bytes at the head of a row, in this order; the first two are the order of rows. */
const numbers = [
  "atMs", "number", "inputTokens", "cachedInputTokens", "outputTokens", "reasoningTokens", "costUsd",
  "latencyMs", "quality", "task"
] as const satisfies ReadonlyArray<keyof LogRow>

/** Byte offsets: the row's length, the numbers, four hashes and numbers of 4 bytes, and five bytes. */
const numbersAt = 4
const wordsAt = numbersAt + numbers.length * 8
const bytesAt = wordsAt + 16
const vectorAt = bytesAt + 8

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** Writes a row behind others; yields its length in bytes. */
export const encodeRow = (row: LogRow): Uint8Array<ArrayBuffer> => {
  const tags = row.tags.length === 0 ? null : encoder.encode(JSON.stringify(row.tags))
  const vectorBytes = row.vector === null ? 0 : row.vector.byteLength
  const bytes = new Uint8Array(vectorAt + vectorBytes + (tags?.length ?? 0))
  const view = new DataView(bytes.buffer)
  view.setUint32(0, bytes.length, true)
  numbers.forEach((field, i) => view.setFloat64(numbersAt + i * 8, row[field], true))
  const words = [row.idHigh, row.idLow, row.model, row.user]
  words.forEach((word, i) => view.setUint32(wordsAt + i * 4, word, true))
  bytes[bytesAt] = taskTypes.indexOf(row.taskType)
  bytes[bytesAt + 1] = difficulties.indexOf(row.difficulty)
  bytes[bytesAt + 2] = provenances.indexOf(row.provenance)
  bytes[bytesAt + 3] =
    (row.isDifficultyGiven ? 1 : 0) | (row.isInfraFailure ? 2 : 0) | (row.isTaskNamed ? 4 : 0)
  view.setUint16(bytesAt + 4, vectorBytes, true)
  if (row.vector !== null) {
    bytes.set(new Uint8Array(row.vector.buffer, row.vector.byteOffset, vectorBytes), vectorAt)
  }
  if (tags !== null) bytes.set(tags, vectorAt + vectorBytes)
  return bytes
}

/** Length of the row that begins here, bytes; 0 where fewer than four bytes are left. */
export const lengthAt = (view: DataView, at: number): number =>
  at + numbersAt > view.byteLength ? 0 : view.getUint32(at, true)

/** When the row that begins here was, ms since 1970, and its place among all rows. */
export const orderAt = (view: DataView, at: number): readonly [atMs: number, number: number] =>
  [view.getFloat64(at + numbersAt, true), view.getFloat64(at + numbersAt + 8, true)]

/** The row that begins here. */
export const decodeRow = (bytes: Uint8Array<ArrayBuffer>, at: number): LogRow => {
  const view = new DataView(bytes.buffer, bytes.byteOffset + at)
  const number = (field: typeof numbers[number]): number =>
    view.getFloat64(numbersAt + numbers.indexOf(field) * 8, true)
  const word = (i: number): number => view.getUint32(wordsAt + i * 4, true)
  const flags = view.getUint8(bytesAt + 3)
  const vectorBytes = view.getUint16(bytesAt + 4, true)
  const end = view.getUint32(0, true)
  const tagsAt = vectorAt + vectorBytes
  return {
    atMs: number("atMs"),
    number: number("number"),
    idHigh: word(0),
    idLow: word(1),
    model: word(2),
    user: word(3),
    task: number("task"),
    isTaskNamed: (flags & 4) !== 0,
    taskType: taskTypes[view.getUint8(bytesAt)]!,
    difficulty: difficulties[view.getUint8(bytesAt + 1)]!,
    isDifficultyGiven: (flags & 1) !== 0,
    inputTokens: number("inputTokens"),
    cachedInputTokens: number("cachedInputTokens"),
    outputTokens: number("outputTokens"),
    reasoningTokens: number("reasoningTokens"),
    costUsd: number("costUsd"),
    latencyMs: number("latencyMs"),
    quality: number("quality"),
    provenance: provenances[view.getUint8(bytesAt + 2)]!,
    isInfraFailure: (flags & 2) !== 0,
    // Seam: the tags were written by `encodeRow`.
    tags: tagsAt === end ? [] : JSON.parse(decoder.decode(bytes.subarray(at + tagsAt, at + end))),
    vector: vectorBytes === 0
      ? null
      : new Int16Array(bytes.slice(at + vectorAt, at + tagsAt).buffer)
  }
}
