/* Questions to the control plane of the hosted backend, about a lane and with the key of the request. */
import { Effect, Schema } from "effect"
import type { AccountId, LaneId } from "../../domain/Scope.ts"
import { keyFor } from "../remote/MemoryBackend.ts"
import { MubitClient, type MubitRequest } from "./MubitClient.ts"
import { Answer, type Fields } from "./MubitFields.ts"

/** The fields that have a value. */
const withValues = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined))

/** Asks the control plane about a lane; an answer whose content does not matter is not read. */
export const makeControl = Effect.gen(function*() {
  const { ask: askWith } = yield* MubitClient
  /** Asks about the account with the key of its request. */
  const ask = <A>(accountId: AccountId, request: MubitRequest, answer: Schema.Codec<A, string>) =>
    Effect.flatMap(keyFor(accountId), (key) => askWith(key, request, answer))
  const request = ({ lane }: LaneId, path: string, body: Fields) =>
    ({ path: `/v2/control/${path}`, body: { run_id: lane, ...withValues(body) } })
  return {
    ask,
    asked: (scope: LaneId, path: string, body: Fields) =>
      ask(scope.accountId, request(scope, path, body), Answer),
    done: (scope: LaneId, path: string, body: Fields) =>
      Effect.asVoid(ask(scope.accountId, request(scope, path, body), Schema.String)),
    jobOf: ({ accountId, lane }: LaneId, jobId: string) => {
      const path = `/v2/control/ingest/jobs/${encodeURIComponent(jobId)}?run_id=${encodeURIComponent(lane)}`
      return ask(accountId, { path }, Answer)
    }
  }
})

export type Control = Effect.Success<typeof makeControl>
