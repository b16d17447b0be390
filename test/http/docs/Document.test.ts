import { assert, describe, it } from "@effect/vitest"
import { OpenApi } from "effect/http-api"
import { DocumentedApi } from "../../../src/http/docs/DocumentedApi.ts"

/* What readers and generators of clients need of `/openapi.json`; `npm run check:openapi` runs three of them. */

type Node = Readonly<Record<string, unknown>>
const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && !Array.isArray(value)

// Every field is read as unknown: the document is judged as a reader without our types gets it.
const document = OpenApi.fromApi(DocumentedApi) as unknown as {
  readonly servers: ReadonlyArray<{ readonly url: string }>
  readonly info: Node
  readonly paths: Readonly<Record<string, Readonly<Record<string, Node>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Node>> }
}
const schemas = Object.entries(document.components.schemas)
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ name: `${method} ${path}`, method, path, operation })))

/** Calls `visit` with every object of the document and where it is. */
const visitAll = (value: unknown, visit: (node: Node, at: string) => void, at = "#"): void => {
  if (Array.isArray(value)) return value.forEach((each, i) => visitAll(each, visit, `${at}/${i}`))
  if (!isNode(value)) return
  visit(value, at)
  for (const [name, each] of Object.entries(value)) {
    if (name !== "example") visitAll(each, visit, `${at}/${name}`)
  }
}

const propertiesOf = (schema: Node): ReadonlyArray<readonly [string, Node]> =>
  isNode(schema["properties"]) ? Object.entries(schema["properties"]).filter((each): each is [string, Node] => isNode(each[1])) : []

describe("the OpenAPI document", () => {
  it("describes every component, every property and every parameter", () => {
    const missing: Array<string> = []
    for (const [name, schema] of schemas) {
      if (typeof schema["description"] !== "string") missing.push(name)
      for (const [field, property] of propertiesOf(schema)) {
        if (typeof property["description"] !== "string") missing.push(`${name}.${field}`)
      }
    }
    for (const { name, operation } of operations) {
      for (const field of ["summary", "description"]) if (typeof operation[field] !== "string") missing.push(name)
      for (const parameter of operation["parameters"] as ReadonlyArray<Node>) {
        if (typeof parameter["description"] !== "string") missing.push(`${name}?${String(parameter["name"])}`)
      }
    }
    assert.deepStrictEqual(missing, [], "describe these in their schemas, with `described` of domain/wire/Wire.ts")
  })

  it("gives every object a name, and refers to it wherever it occurs", () => {
    const inline: Array<string> = []
    visitAll(document, (node, at) => {
      const isComponent = /^#\/components\/schemas\/\w+$/.test(at)
      if (!isComponent && (node["type"] === "object" || isNode(node["properties"])) && !at.endsWith("/properties")) {
        inline.push(at)
      }
    })
    assert.deepStrictEqual(inline, [], "give the struct a name: wire({ … }, { identifier, description })")
    for (const [name] of schemas) assert.match(name, /^[A-Z][A-Za-z]*(?<!Encoded)$/)
    visitAll(document, ({ $ref }, at) => {
      if (typeof $ref !== "string") return
      assert.isDefined(document.components.schemas[$ref.replace("#/components/schemas/", "")], at)
    })
  })

  it("forbids no field that a newer version may add, and bounds no number by what JSON can hold", () => {
    visitAll(document, (node, at) => {
      assert.notStrictEqual(node["additionalProperties"], false, at)
      assert.notStrictEqual(node["minimum"], Number.MIN_SAFE_INTEGER, at)
      const parts: ReadonlyArray<Node> = Array.isArray(node["allOf"]) ? node["allOf"] : [{ $ref: "" }]
      assert.isTrue(parts.some((each) => "$ref" in each || "default" in each), at)
    })
  })

  it("has ids of operations that are names of functions, each once", () => {
    const ids = operations.map(({ operation }) => String(operation["operationId"]))
    assert.strictEqual(new Set(ids).size, ids.length)
    for (const id of ids) assert.match(id, /^[a-z][A-Za-z]*$/)
    assert.includeMembers(ids, ["recommend", "recommendWorkflow", "feedback", "models", "savings", "health"])
  })

  it("has a server, a version, a license and a contact", () => {
    assert.deepStrictEqual(document.servers.map(({ url }) => url), ["/"])
    assert.hasAllKeys(document.info, ["title", "description", "version", "license", "contact"])
  })

  it("has a format for every day, every time and every id of a recommendation that is sent", () => {
    // What a request may name for an id of a recommendation is any text: an unknown one is no error.
    const requests = new Set(["FeedbackRequest", "TaskAttempt"])
    const wrong: Array<string> = []
    for (const [name, schema] of schemas) {
      for (const [field, property] of propertiesOf(schema)) {
        const kind = /(^|_)recommendation_id$/.test(field) ? "uuid" : /(^|_)(at|since|start|end)$/.test(field) ? "date-time"
          : /^(day|as_of|retires_on)$|_(as_of|until)$/.test(field) ? "date" : null
        if (kind === null || (kind === "uuid" && requests.has(name))) continue
        const text = JSON.stringify(property)
        if (!text.includes(`"format":"${kind}"`) && !text.includes("DayFact")) wrong.push(`${name}.${field}`)
      }
    }
    assert.deepStrictEqual(wrong, [], "make it a Moment or Day of domain/Time.ts, or a SentId")
    for (const [name, , field] of [["AccountModel", "date", "retires_on"], ["DayFact", "date", "value"]] as const) {
      assert.include(JSON.stringify(document.components.schemas[name]?.["properties"]), String.raw`^\\d{4}-\\d{2}-\\d{2}$`, field)
    }
  })

  const parameter = (path: string, name: string) => {
    const found = (document.paths[path]?.["get"]?.["parameters"] as ReadonlyArray<Node>)
      .find((each) => each["name"] === name)
    return found?.["schema"]
  }

  const patternOf = (schema: unknown) => new RegExp(isNode(schema) ? String(schema["pattern"]) : "")

  it("types what queries send, with its bounds, patterns and defaults", () => {
    assert.deepStrictEqual(parameter("/v1/models", "max_cost"), { type: "number", minimum: 0 })
    assert.deepStrictEqual(parameter("/v1/models", "include_stale"), { type: "boolean", default: true })
    assert.match("2026-11-01/2026-11-14", patternOf(parameter("/v1/savings", "dates")))
    assert.notMatch("November", patternOf(parameter("/v1/savings", "dates")))
    assert.match("01A22474-0372-70f8-9e27-be15fc9b5ee7", patternOf(parameter("/v1/decision", "recommendation_id")))
    assert.notMatch("01a22474-0372-40f8-9e27-be15fc9b5ee7", patternOf(parameter("/v1/decision", "recommendation_id")))
    const days = { type: "number", exclusiveMinimum: 0, maximum: 365, default: 30 }
    for (const path of ["savings", "calibration", "policy-value", "dashboard", "advice"]) {
      assert.deepStrictEqual(parameter(`/v1/${path}`, "days"), days)
    }
    const rules = { type: "integer", minimum: 1, maximum: 50, default: 5 }
    assert.deepStrictEqual(parameter("/v1/strategies", "max_strategies"), rules)
    const age = { type: "integer", minimum: 1, maximum: 365, default: 30 }
    assert.deepStrictEqual(parameter("/v1/memory/health", "stale_threshold_days"), age)
  })

  it("gives the specification's defaults, and no field that a generator would require for them", () => {
    for (const [name, schema] of schemas) {
      for (const [field, { default: value }] of propertiesOf(schema)) assert.isUndefined(value, `${name}.${field}`)
    }
    const propertyOf = (schema: string, field: string) =>
      propertiesOf(document.components.schemas[schema] ?? {}).find(([name]) => name === field)?.[1] ?? {}
    const saysDefault = (schema: string, field: string) =>
      /Default: `(.*)`/.exec(String(propertyOf(schema, field)["description"]))?.[1]
    const defaultOf = (schema: string, field: string) =>
      [propertyOf(schema, field)["allOf"]].flat().filter(isNode).find((each) => "default" in each)?.["default"]
    for (const [schema, field, value] of [
      ["RecommendRequest", "cost_quality_tradeoff", 5], ["RecommendRequest", "max_candidates", 8],
      ["RecommendRequest", "allow_llm_escalation", true], ["RecommendRequest", "explain", true],
      ["RecommendRequest", "detail", "full"], ["WorkflowRequest", "detail", "full"],
      ["RecommendRequest", "constraints", undefined], ["RecommendRequest", "namespace", undefined],
      ["WorkflowRequest", "cost_quality_tradeoff", 5], ["TaskInput", "unit", "call"],
      ["Constraints", "require_prompt_caching", false],
      ["FeedbackRequest", "verified_in_production", false], ["DiagnoseRequest", "limit", 5]
    ] as const) {
      assert.strictEqual(saysDefault(schema, field), JSON.stringify(value), `${schema}.${field}`)
      if (value !== undefined) assert.strictEqual(defaultOf(schema, field), value, `${schema}.${field}`)
    }
    assert.deepStrictEqual(defaultOf("RecommendRequest", "constraints"), {})
    assert.deepStrictEqual(defaultOf("FeedbackRequest", "step_outcomes"), [])
  })

  it("shows an answer of every operation, and a body of every one that takes one", () => {
    for (const { method, name, operation } of operations) {
      const responses = operation["responses"] as Readonly<Record<string, Node>>
      const ofAnswer = responses["200"]?.["content"] as Readonly<Record<string, Node>>
      assert.property(ofAnswer["application/json"], "example", name)
      if (method === "get") continue
      const ofBody = (operation["requestBody"] as Node)["content"] as Readonly<Record<string, Node>>
      assert.property(ofBody["application/json"], "example", name)
    }
  })

  it("marks what is deprecated", () => {
    const marked = schemas.flatMap(([name, schema]) =>
      propertiesOf(schema).flatMap(([field, { deprecated }]) => deprecated === true ? [`${name}.${field}`] : []))
    assert.deepStrictEqual(marked, ["FeedbackRequest.verified_in_production", "FeedbackRequest.judged"])
  })

  it("names the problems of every operation, with all members that are sent", () => {
    for (const { method, name, operation } of operations) {
      const responses = operation["responses"] as Readonly<Record<string, Node>>
      const needsKey = (operation["security"] as ReadonlyArray<unknown>).length > 0
      const expected = [
        "400", "408", "417", "431",
        ...(needsKey ? ["401", "403", "429", "503"] : []),
        ...(method === "get" ? [] : ["413", "415"])
      ]
      assert.includeMembers(Object.keys(responses), expected, name)
      for (const [status, response] of Object.entries(responses)) {
        if (status === "200") continue
        assert.hasAllKeys(response["content"], ["application/problem+json"], `${name} ${status}`)
        if (status === "429" || status === "503") assert.property(response["headers"], "Retry-After")
      }
    }
    // The `detail` of a request says how long the answer is to be.
    const isOfProblem = ([field, of]: readonly [string, Node]) =>
      field === "detail" && !JSON.stringify(of).includes("AnswerDetail")
    for (const [name, schema] of schemas) {
      if (!propertiesOf(schema).some(isOfProblem)) continue
      assert.sameMembers(schema["required"] as Array<string>, ["type", "title", "status", "detail"], name)
    }
  })
})
