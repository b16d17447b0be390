/* The middleware that answers invalid requests with 400. */
import { HttpApiMiddleware } from "effect/http-api"
import { InvalidRequest } from "./Problems.ts"

/** Answers 400 "Invalid request" if a body or query cannot be decoded, as the specification asks. */
export class Validation extends HttpApiMiddleware.Service<Validation>()("sextant/api/Validation", {
  error: InvalidRequest
}) {}
