/* Handles `POST /v1/votes/{token}`: answers at once, and leaves the vote to be counted. */
import { Effect, Option } from "effect"
import { HttpServerRequest } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { createHash } from "node:crypto"
import { readToken } from "../../accounts/VoteToken.ts"
import { Api } from "../../api/Api.ts"
import { monotonicMs } from "../../domain/Time.ts"
import { type Network, placeOfCaller } from "../limits/Addresses.ts"
import { tooMany } from "../limits/Admitting.ts"
import { limitSettings } from "../limits/LimitSettings.ts"
import { makeQuota } from "../limits/Quota.ts"
import { makeWaitingVotes } from "./WaitingVotes.ts"

const {
  quotasMax, retryAfterSeconds, votesPerAddress, votesPerToken, votesTokenSeconds, windowSeconds
} = limitSettings

/**
 * What the votes of a token are counted by: the answer that it names. Any other text may be long, and may be
 * a secret: by its digest.
 */
const answerOf = (token: string): string =>
  readToken(token)?.recommendationId ?? createHash("sha256").update(token).digest("base64url")

/** Counts the votes of addresses and on answers, good or not; fails where there are too many. */
const makeLimits = Effect.fnUntraced(function*(trusted: ReadonlyArray<Network>) {
  const places = makeQuota({ limit: votesPerAddress, windowSeconds, keysMax: quotasMax })
  const answers = makeQuota({ limit: votesPerToken, windowSeconds: votesTokenSeconds, keysMax: quotasMax })
  return Effect.fnUntraced(function*(token: string) {
    const request = yield* HttpServerRequest.HttpServerRequest
    const peer = Option.getOrUndefined(request.remoteAddress)
    const place = placeOfCaller(peer, request.headers["x-forwarded-for"], trusted)
    const nowMs = yield* monotonicMs
    const ofPlace = places.spend(place, nowMs, 1)
    if (!ofPlace.isAllowed) return yield* tooMany(ofPlace.retrySeconds, "Too many votes from this address")
    const answer = answerOf(token)
    const onAnswer = answers.spend(answer, nowMs, 1)
    if (!onAnswer.isAllowed) return yield* tooMany(onAnswer.retrySeconds, "Too many votes on this answer")
  })
})

/** @param trusted proxies whose `X-Forwarded-For` is trusted */
export const layer = (trusted: ReadonlyArray<Network> = []) =>
  HttpApiBuilder.group(Api, "votes", Effect.fnUntraced(function*(handlers) {
    const add = yield* makeWaitingVotes
    const limit = yield* makeLimits(trusted)
    return handlers.handleAll({
      vote: Effect.fnUntraced(function*({ params: { token }, payload: vote }) {
        yield* limit(token)
        if (!(yield* add(token, vote))) return yield* tooMany(retryAfterSeconds, "Too many votes wait")
        return { received: true as const }
      })
    })
  }))
