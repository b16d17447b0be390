/*
 * The errors of the API, as `application/problem+json`. They are yieldable on both sides: a handler fails
 * with an error, and the client fails with the same error.
 */
import { HttpApiError } from "effect/http-api"

const blank = "about:blank"

/** The request's body or query is invalid. `detail` names the field by its name on the wire. */
export class InvalidRequest extends HttpApiError.Problem<InvalidRequest>()("InvalidRequest", {
  type: blank,
  status: 400,
  title: "Invalid request"
}) {}

/** The key is missing or invalid. An unavailable store never causes this error. */
export class Unauthorized extends HttpApiError.Problem<Unauthorized>()("Unauthorized", {
  type: blank,
  status: 401,
  title: "Unauthorized"
}) {}

/** The key's role does not have the right that the endpoint needs. `detail` names the roles that have it. */
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

/** The constraints leave no model. */
export class NoCandidateModels extends HttpApiError.Problem<NoCandidateModels>()("NoCandidateModels", {
  type: blank,
  status: 422,
  title: "No candidate models"
}) {}

/** An account's document does not fit the catalog. `detail` names the fields. */
export class UnusableModels extends HttpApiError.Problem<UnusableModels>()("UnusableModels", {
  type: blank,
  status: 422,
  title: "Unusable models"
}) {}

/** The account or the address has reached a limit. Retry after the seconds of `Retry-After`. */
export class TooManyRequests extends HttpApiError.Problem<TooManyRequests>()("TooManyRequests", {
  type: blank,
  status: 429,
  title: "Too many requests"
}) {}

/** Too little is left of the account's hard budget. `Retry-After` is the time to the period's end. */
export class BudgetExhausted extends HttpApiError.Problem<BudgetExhausted>()("BudgetExhausted", {
  type: "budget_exhausted",
  status: 429,
  title: "Budget exhausted"
}) {}

/** The service is overloaded, or a store is unavailable. Retry after the seconds of `Retry-After`. */
export class ServiceUnavailable extends HttpApiError.Problem<ServiceUnavailable>()("ServiceUnavailable", {
  type: blank,
  status: 503,
  title: "Service unavailable"
}) {}

/** The request did not arrive in time. */
export class RequestTimeout extends HttpApiError.Problem<RequestTimeout>()("RequestTimeout", {
  type: blank,
  status: 408,
  title: "Request timeout"
}) {}

/** The request's `Expect` header is not `100-continue`. */
export class ExpectationFailed extends HttpApiError.Problem<ExpectationFailed>()("ExpectationFailed", {
  type: blank,
  status: 417,
  title: "Expectation failed"
}) {}

/** The request line and headers are too large. */
export class HeadersTooLarge extends HttpApiError.Problem<HeadersTooLarge>()("HeadersTooLarge", {
  type: blank,
  status: 431,
  title: "Request header fields too large"
}) {}
