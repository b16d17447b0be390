/* The errors of the API, as `application/problem+json`. A client fails with the handler's error. */
import { HttpApiError } from "effect/http-api"

/** Makes the class of a problem of the type `about:blank`. */
const problem = <Self = never>() =>
  <const Tag extends string, const Status extends number>(tag: Tag, status: Status, title: string) =>
    HttpApiError.Problem<Self>()(tag, { type: "about:blank", status, title })

/** `detail` names up to ten wrong fields by their names on the wire. */
export class InvalidRequest extends problem<InvalidRequest>()("InvalidRequest", 400, "Invalid request") {}

/** The key is missing or invalid. A key that cannot be checked gets another answer than 401. */
export class Unauthorized extends problem<Unauthorized>()("Unauthorized", 401, "Unauthorized") {}

/** `detail` names the roles that have the right. */
export class Forbidden extends problem<Forbidden>()("Forbidden", 403, "Forbidden") {}

export class PayloadTooLarge
  extends problem<PayloadTooLarge>()("PayloadTooLarge", 413, "Payload too large")
{}

/** The body has a content type other than JSON, or it has a content encoding. */
export class UnsupportedMediaType
  extends problem<UnsupportedMediaType>()("UnsupportedMediaType", 415, "Unsupported media type")
{}

/** No model is left for the request, for example because its constraints exclude all. */
export class NoCandidateModels
  extends problem<NoCandidateModels>()("NoCandidateModels", 422, "No candidate models")
{}

/** `detail` names the fields that do not fit the catalog. */
export class UnusableModels extends problem<UnusableModels>()("UnusableModels", 422, "Unusable models") {}

/** The account or the address has reached a limit. `Retry-After` gives the seconds to wait. */
export class TooManyRequests
  extends problem<TooManyRequests>()("TooManyRequests", 429, "Too many requests")
{}

/** `Retry-After` gives the time until the period of the account's hard budget ends. */
export class BudgetExhausted extends HttpApiError.Problem<BudgetExhausted>()("BudgetExhausted", {
  type: "budget_exhausted",
  status: 429,
  title: "Budget exhausted"
}) {}

/** The service is overloaded, or a store is unavailable. `Retry-After` gives the seconds to wait. */
export class ServiceUnavailable
  extends problem<ServiceUnavailable>()("ServiceUnavailable", 503, "Service unavailable")
{}

export class RequestTimeout extends problem<RequestTimeout>()("RequestTimeout", 408, "Request timeout") {}

/** The request's `Expect` header is not `100-continue`. */
export class ExpectationFailed
  extends problem<ExpectationFailed>()("ExpectationFailed", 417, "Expectation failed")
{}

export class HeadersTooLarge
  extends problem<HeadersTooLarge>()("HeadersTooLarge", 431, "Request header fields too large")
{}
