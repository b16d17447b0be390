/* Makes the vectors of an outcome before it is written. */
import { Effect } from "effect"
import type { TaskVector } from "../../domain/text/TaskText.ts"
import type { Embedder, RemoteEmbedder } from "../../embedder/Embedder.ts"
import { embedLexical, lexicalIdentity } from "../../embedder/lexical/EmbedderLexical.ts"
import { quantise, taskVectorOf } from "../index/QuantisedVector.ts"
import type { TaughtTask } from "../Memory.ts"
import type { Embedders } from "./MemoryAccess.ts"

const lacks = (taskVectors: ReadonlyArray<TaskVector>, identity: string): boolean =>
  !taskVectors.some(({ embedder }) => embedder === identity)

export const lexicalVectorOf = (task: string): TaskVector =>
  taskVectorOf(lexicalIdentity, quantise(embedLexical(task)))

/** Makes the remote embedder's vector, or returns null if the embedder fails or is too slow. */
const embedRemotely = (
  remote: RemoteEmbedder,
  { accountId, task }: Pick<TaughtTask, "accountId" | "task">
): Effect.Effect<TaskVector | null> =>
  remote.embed(accountId, task).pipe(
    Effect.map(({ vector }) => taskVectorOf(remote.identity, quantise(vector))),
    Effect.catch(() => Effect.succeed(null))
  )

const embedLexically = (
  embedder: Embedder["Service"],
  task: string
): Effect.Effect<TaskVector | null> =>
  embedder.embed(task).pipe(
    Effect.map((vector) => taskVectorOf(embedder.identity, quantise(vector))),
    // If the built-in embedder fails, the outcome is stored without its vector, because losing the outcome
    // would be worse.
    Effect.catch((error) =>
      Effect.as(Effect.logWarning("A task has no vector of the built-in embedder", error), null))
  )

/** Adds a task's missing vectors to its known ones. */
export const vectorsFor = ({ embedder, remote }: Embedders) =>
  Effect.fnUntraced(function*(of: TaughtTask): Effect.fn.Return<ReadonlyArray<TaskVector>> {
    const { task, taskVectors = [] } = of
    if (task === "") return taskVectors
    const remotely = remote !== null && lacks(taskVectors, remote.identity)
      ? yield* embedRemotely(remote, of)
      : null
    const lexically = lacks(taskVectors, embedder.identity) ? yield* embedLexically(embedder, task) : null
    const added = [remotely, lexically].filter((vector) => vector !== null)
    return added.length === 0 ? taskVectors : [...taskVectors, ...added]
  })
