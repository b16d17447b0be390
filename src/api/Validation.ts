/* Documents the refusal of invalid requests. */
import { HttpApiMiddleware } from "effect/http-api"
import { InvalidRequest } from "./Problems.ts"

/** Documents the 400 "Invalid request"; the endpoints themselves refuse invalid requests. */
export class Validation extends HttpApiMiddleware.Service<Validation>()("sextant/api/Validation", {
  error: InvalidRequest
}) {}
