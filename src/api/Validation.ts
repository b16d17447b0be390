/* Documents the refusal of invalid requests. */
import { HttpApiMiddleware } from "effect/http-api"
import { InvalidRequest } from "./Problems.ts"

/** Documents the 400 "Invalid request"; the endpoints refuse such requests without this middleware. */
export class Validation extends HttpApiMiddleware.Service<Validation>()("sextant/api/Validation", {
  error: InvalidRequest
}) {}
