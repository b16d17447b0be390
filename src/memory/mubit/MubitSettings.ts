/* Limits and times of the driver of the hosted backend. */
import { memorySettings, type MemorySettings } from "../MemorySettings.ts"
import { type MemoryClientSettings, memoryClientSettings } from "../remote/MemoryBackend.ts"

/** Numbers of the driver of the hosted backend. */
export interface MubitSettings {
  readonly client: MemoryClientSettings
  /** Decay, staleness and the reflection rule, which do not depend on who keeps the outcomes. */
  readonly memory: MemorySettings
  /** Fewest and most entries asked for in one recall, count. */
  readonly entriesMin: number
  readonly entriesMax: number
  /** How often a write's job is looked at, count, and the pause before each look, in milliseconds. */
  readonly jobLooks: number
  readonly jobPauseMs: number
  /** How long after the write was accepted the last look may begin, in milliseconds. */
  readonly jobWaitMs: number
  /** Steps sent at a time, count. */
  readonly stepsAtOnce: number
  /** Most lanes whose outcomes, and records whose ids, are remembered, count each. */
  readonly rememberedMax: number
}

export const mubitSettings: MubitSettings = {
  // An entry of 4,000 characters, each escaped into six bytes, and its metadata take 30,000.
  client: { ...memoryClientSettings, answerBytesMax: 8_000_000 },
  memory: memorySettings,
  // One candidate alone is weighed by the lane too: what a recall asks for is all that it knows of it.
  entriesMin: 64,
  // As many as fit into the largest answer, and four models still have the 64 neighbours that show a change.
  entriesMax: 256,
  // The settlement waits meanwhile and the outbox gives a write 1,000 ms: a backend whose every answer takes
  // 300 ms is looked at once and still in time.
  jobLooks: 4,
  jobPauseMs: 50,
  jobWaitMs: 250,
  // 32 steps, the most of one feedback, are then four trips one after another.
  stepsAtOnce: 8,
  // As many as accounts whose key is remembered.
  rememberedMax: 10_000
}
