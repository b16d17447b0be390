import { HttpApiMiddleware } from "effect/http-api"
import { InvalidRequest } from "./Problems.ts"

/** Decode failures of a request's body or query become the specification's 400 "Invalid request". */
export class Validation extends HttpApiMiddleware.Service<Validation>()("sextant/api/Validation", {
  error: InvalidRequest
}) {}
