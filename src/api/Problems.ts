import { HttpApiError } from "effect/http-api"

/*
 * Every refusal that the API can answer, as `application/problem+json` with `type`, `title`, `status` and
 * `detail`. They are yieldable errors on both sides: a handler fails with one, the client is given it back.
 */

const blank = "about:blank"

/** The request's body or query fails validation; `detail` names the field as it is spelled on the wire. */
export class InvalidRequest extends HttpApiError.Problem<InvalidRequest>()("InvalidRequest", {
  type: blank,
  status: 400,
  title: "Invalid request"
}) {}

/** The key is missing or was verified to be bad; never said because a store is down. */
export class Unauthorized extends HttpApiError.Problem<Unauthorized>()("Unauthorized", {
  type: blank,
  status: 401,
  title: "Unauthorized"
}) {}

/** The key's role lacks the right that the endpoint needs; `detail` names the roles that have it. */
export class Forbidden extends HttpApiError.Problem<Forbidden>()("Forbidden", {
  type: blank,
  status: 403,
  title: "Forbidden"
}) {}

export class PayloadTooLarge extends HttpApiError.Problem<PayloadTooLarge>()("PayloadTooLarge", {
  type: blank,
  status: 413,
  title: "Payload too large"
}) {}

/** The body is not plain JSON: another content type, or a content encoding. */
export class UnsupportedMediaType extends HttpApiError.Problem<UnsupportedMediaType>()(
  "UnsupportedMediaType",
  {
    type: blank,
    status: 415,
    title: "Unsupported media type"
  }
) {}

/** The constraints eliminated every catalog model. */
export class NoCandidateModels extends HttpApiError.Problem<NoCandidateModels>()("NoCandidateModels", {
  type: blank,
  status: 422,
  title: "No candidate models"
}) {}

/** The account's quota for the minute is used up; `Retry-After` says when to come back, in seconds. */
export class TooManyRequests extends HttpApiError.Problem<TooManyRequests>()("TooManyRequests", {
  type: blank,
  status: 429,
  title: "Too many requests"
}) {}

/** A store that the answer needs is out; `Retry-After` says when to come back, in seconds. */
export class ServiceUnavailable extends HttpApiError.Problem<ServiceUnavailable>()("ServiceUnavailable", {
  type: blank,
  status: 503,
  title: "Service unavailable"
}) {}
