/* Detects processes that hang without ending: each sends signs of life, which the first process expects. */
import { Effect } from "effect"
import type { Worker } from "node:cluster"
import type { WorkerMessage } from "./Messages.ts"
import { workerSettings } from "./WorkerSettings.ts"

const { beatMs, missedBeatsMax, missedFirstBeatsMax } = workerSettings

/** Sends beats for as long as this process lives. They do not keep it alive. */
export const beat = (send: (message: WorkerMessage) => void): Effect.Effect<void> =>
  Effect.sync(() => {
    const sendBeat = () => send({ kind: "beat" })
    sendBeat()
    setInterval(sendBeat, beatMs).unref()
  })

/**
 * Ends once a process has missed too many beats in a row; each of its messages counts as one. Beats are
 * counted and not time, because a machine that slept, or a first process that was itself stopped, then comes
 * round once, before it reads what the others have sent meanwhile.
 */
export const silence = (worker: Worker): Effect.Effect<void> =>
  Effect.suspend(() => {
    let missed = 0
    let missedMax: number = missedFirstBeatsMax
    const heard = (): void => {
      missed = 0
      missedMax = missedBeatsMax
    }
    worker.on("message", heard)
    const isSilent = Effect.sync(() => ++missed > missedMax).pipe(Effect.delay(beatMs))
    return isSilent.pipe(
      Effect.repeat({ until: Boolean }),
      Effect.ensuring(Effect.sync(() => worker.off("message", heard))),
      Effect.asVoid
    )
  })
