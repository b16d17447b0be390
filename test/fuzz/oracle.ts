import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js"
import { OpenApi } from "effect/http-api"
import type { Api } from "../../src/api/Api.ts"
import type { Answered } from "./connection.ts"
import type { Endpoint, Json, Reflected } from "./endpoints.ts"
import type { Input } from "./inputs.ts"

/** What is wrong with an answer, or null. */
export type Oracle = (input: Input, answer: Answered) => string | null

interface Operation {
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, object>> }>>
}

type Document = Readonly<Record<string, Json>> & {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

const escaped = (part: string): string => encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1"))

/** Validators by the published document, one for every operation and status, made when first needed. */
const published = (api: Reflected) => {
  // The seam to the untyped document: the same call makes what the server sends at /openapi.json.
  const document = JSON.parse(JSON.stringify(OpenApi.fromApi(api as typeof Api))) as Document
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  ajv.addSchema({ $id: "openapi", ...document })
  const validators = new Map<string, ValidateFunction>()
  return ({ method, path: routed }: Endpoint, status: number, type: string, body: Json): string | null => {
    const verb = method.toLowerCase()
    const path = routed.replace(/:(\w+)/g, "{$1}")
    const content = document.paths[path]?.[verb]?.responses[status]?.content?.[type]
    if (content === undefined) return `${status} with ${type} is not in the document`
    const parts = ["paths", path, verb, "responses", String(status), "content", type, "schema"]
    const pointer = `openapi#/${parts.map(escaped).join("/")}`
    const validate = validators.get(pointer) ?? ajv.compile({ $ref: pointer })
    validators.set(pointer, validate)
    return validate(body) === true ? null : `not valid by the document: ${ajv.errorsText(validate.errors)}`
  }
}

const problemType = "application/problem+json"

/** Warnings by which the service owns up to an internal failure, which no input may cause. */
const outages = ["memory_unavailable", "memory_write_failed", "reinforcement_failed", "lesson_promotion_failed"]

const problemOf = (status: number, type: string, body: Json): string | null => {
  if (type !== problemType) return `${status} is not a problem but ${type === "" ? "bare" : type}`
  const fields = body as Partial<Record<string, Json>> | null
  const isProblem = fields?.["status"] === status &&
    ["type", "title", "detail"].every((name) => typeof fields[name] === "string" && fields[name] !== "")
  if (!isProblem) return "the problem lacks a field"
  return /\bat .*\.(ts|js):\d+|node_modules/.test(JSON.stringify(body)) ? "the problem tells a stack trace" : null
}

const parsed = (body: Buffer): { readonly json: Json } | null => {
  try {
    return { json: JSON.parse(body.toString("utf8")) }
  } catch {
    return null
  }
}

/** Of Node's own parser, which answers before there is an endpoint. */
const beforeEndpoints: ReadonlySet<number> = new Set([400, 404, 405, 408, 413, 417, 431])

/** Of an account in good standing at a service in good health: every answer but the documented is wrong. */
export const makeOracle = (api: Reflected): Oracle => {
  const byDocument = published(api)
  return ({ bytes, endpoint, index, isValid, method }, answer) => {
    if (answer === null) return endpoint === null ? null : "the connection was closed without an answer"
    const { body, headers, status } = answer
    if (status === 503 && /(Dashboard|Documentation) not built/.test(body.toString())) return null
    if (!Number.isInteger(status) || status < 200 || status >= 500) return `status ${status}: ${body.toString().slice(0, 300)}`
    if (method === "HEAD" || status === 204 || status === 304) return null
    const type = headers.get("content-type")?.split(";")[0] ?? ""
    const read = parsed(body)
    if (status >= 300) {
      const problem = problemOf(status, type, read?.json)
      if (problem !== null) return problem
    }
    // By its schema a name may be any text, and no schema says which models there are.
    const isUnknownName = status === 400 && body.includes("model_id: neither the catalog nor a call")
    if (isValid && status !== 200 && status !== 422 && !isUnknownName) return `a valid request was answered ${status}: ${body.toString().slice(0, 500)}`
    if (endpoint === null) return null
    if (read === null) return "the body is not JSON"
    const said = JSON.stringify(read.json)
    const outage = status === 200 ? outages.find((warning) => said.includes(`"${warning}"`)) : undefined
    if (outage !== undefined && !bytes.includes(outage)) return `answers ${outage}`
    if (status === 200) {
      try {
        endpoint.decode(read.json)
      } catch (cause) {
        return `does not decode: ${String(cause).slice(0, 500)}`
      }
    } else if (beforeEndpoints.has(status) && status !== 400 && status !== 413) return null
    // Every refusal, and of the others a sample: the validators are slower than the server.
    return status !== 200 || index % 8 === 0 ? byDocument(endpoint, status, type, read.json) : null
  }
}
