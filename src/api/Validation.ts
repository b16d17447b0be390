/* The middleware that answers invalid requests with 400. */
import { HttpApiMiddleware } from "effect/http-api"
import { InvalidRequest } from "./Problems.ts"

/** A body or query that cannot be decoded is answered with the specification's 400 "Invalid request". */
export class Validation extends HttpApiMiddleware.Service<Validation>()("sextant/api/Validation", {
  error: InvalidRequest
}) {}
