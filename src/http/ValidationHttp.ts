/* Turns failed validation of a request into a 400 that names the fields. */
import { Effect, type SchemaIssue } from "effect"
import { HttpApiMiddleware } from "effect/http-api"
import { detailOf } from "../api/Detail.ts"
import { InvalidRequest } from "../api/Problems.ts"
import { Validation } from "../api/Validation.ts"
import { snakeCase } from "../domain/wire/Wire.ts"

/** The problem of a request that its schema refuses. */
export const invalid = (issue: SchemaIssue.Issue): InvalidRequest =>
  new InvalidRequest({ detail: detailOf(issue, snakeCase) })

export const layer = HttpApiMiddleware.layerSchemaErrorTransform(Validation, (error) =>
  // A response that does not match its schema is a defect of the server: it stays a 500.
  error.kind === "Body" || error.kind === "ResponseHeaders"
    ? Effect.fail(error)
    : Effect.fail(invalid(error.cause.issue)))
