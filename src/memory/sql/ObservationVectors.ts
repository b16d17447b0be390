/* The vectors that an outcome is found by: made before it is written, from its words or the kept vectors. */
import { Effect } from "effect"
import type { TaskVector } from "../../domain/text/TaskText.ts"
import type { Embedder, RemoteEmbedder } from "../../embedder/Embedder.ts"
import { embedLexical, lexicalIdentity } from "../../embedder/lexical/EmbedderLexical.ts"
import { measures } from "../index/Entry.ts"
import { quantise, taskVectorOf } from "../index/QuantisedVector.ts"
import type { MemoryWrite, Observation } from "../MemoryWrite.ts"

interface Embedders {
  readonly embedder: Embedder["Service"]
  readonly remote: RemoteEmbedder | null
}

const lacks = ({ taskVectors = [] }: Observation, identity: string): boolean =>
  !taskVectors.some(({ embedder }) => embedder === identity)

/** The built-in embedder's vector, made without a service. */
export const lexicalVectorOf = (task: string): TaskVector =>
  taskVectorOf(lexicalIdentity, quantise(embedLexical(task)))

/** The remote embedder's vector; null where it gave none in time. */
export const embedRemotely = (
  remote: RemoteEmbedder,
  { accountId, task }: Pick<Observation, "accountId" | "task">
): Effect.Effect<TaskVector | null> =>
  remote.embed(accountId, task).pipe(
    Effect.map(({ vector }) => taskVectorOf(remote.identity, quantise(vector))),
    Effect.catch(() => Effect.succeed(null))
  )

/** The built-in embedder's vector; null when it failed. */
const embedLexically = (
  embedder: Embedder["Service"],
  { task }: Observation
): Effect.Effect<TaskVector | null> =>
  embedder.embed(task).pipe(
    Effect.map((vector) => taskVectorOf(embedder.identity, quantise(vector))),
    // An outcome without a vector still counts: losing it would be worse than not finding it by similarity.
    Effect.catch((error) => Effect.as(Effect.logWarning("Taught without a vector", error), null))
  )

/**
 * The write, an observation with a vector of each embedder that gave one. An observation whose words are not
 * kept has the vectors that were kept instead. Telemetry that measured nothing needs none.
 */
export const withVectors = ({ embedder, remote }: Embedders) =>
  Effect.fnUntraced(function*(write: MemoryWrite): Effect.fn.Return<MemoryWrite> {
    if (write.kind !== "teach") return write
    const { body: observation } = write
    if (observation.task === "" || !(observation.teaches || measures(observation))) return write
    const remotely = remote !== null && lacks(observation, remote.identity)
      ? yield* embedRemotely(remote, observation)
      : null
    const lexically = lacks(observation, embedder.identity)
      ? yield* embedLexically(embedder, observation)
      : null
    const taskVectors = [
      ...observation.taskVectors ?? [],
      ...[remotely, lexically].filter((vector) => vector !== null)
    ]
    return { ...write, body: { ...observation, taskVectors } }
  })
