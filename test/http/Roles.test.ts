import { assert, describe, it, layer } from "@effect/vitest"
import { Context, Effect } from "effect"
import { HttpApi, type HttpApiEndpoint } from "effect/http-api"
import { Api } from "../../src/api/Api.ts"
import { Authorization, AuthorizationIfVerifiable, NeededRight } from "../../src/api/Authorization.ts"
import { MemoryApi } from "../../src/api/memory/MemoryApi.ts"
import { holds, Role, rolesWith } from "../../src/domain/account/Role.ts"
import { sendRequest, keyOfRole, fakeService } from "./FakeService.ts"

interface Declared {
  readonly name: string
  readonly needsKey: boolean
  readonly endpoint: HttpApiEndpoint.Top
}

const inventory = (reflect: (options: Parameters<typeof HttpApi.reflect>[1]) => void): ReadonlyArray<Declared> => {
  const found: Array<Declared> = []
  reflect({
    onGroup: () => {},
    onEndpoint: ({ endpoint, middleware }) => {
      const keys: ReadonlyArray<string> = [Authorization.key, AuthorizationIfVerifiable.key]
      found.push({
        name: `${endpoint.method} ${endpoint.path}`,
        needsKey: [...middleware].some(({ key }) => keys.includes(key)),
        endpoint
      })
    }
  })
  return found
}
const service = inventory((options) => HttpApi.reflect(Api, options))
const memory = inventory((options) => HttpApi.reflect(MemoryApi, options))

describe("a right", () => {
  it("is declared by every endpoint that needs a key, and by no other", () => {
    const open = [...service, ...memory].filter(({ needsKey }) => !needsKey).map(({ name }) => name)
    assert.deepStrictEqual(open, ["GET /v1/capabilities", "GET /v1/health", "GET /health"])
    for (const { endpoint, name, needsKey } of [...service, ...memory]) {
      assert.strictEqual(endpoint.annotations.mapUnsafe.has(NeededRight.key), needsKey, name)
    }
  })

  it("belongs to the roles that the documentation names", () => {
    assert.deepStrictEqual(rolesWith("read"), ["use", "read", "admin"])
    assert.deepStrictEqual(rolesWith("use"), ["use", "admin"])
    assert.deepStrictEqual(rolesWith("admin"), ["admin"])
  })

  it("of use is needed to recommend and report, and of read for everything that only reads", () => {
    const needing = (right: string) => [...service, ...memory]
      .filter(({ endpoint, needsKey }) => needsKey && Context.get(endpoint.annotations, NeededRight) === right)
      .map(({ name }) => name)
    assert.sameMembers(needing("use"), [
      "POST /v1/recommend", "POST /v1/recommend/workflow", "POST /v1/feedback", "POST /memory/v1/recall",
      "POST /memory/v1/teach", "POST /memory/v1/reinforce", "POST /memory/v1/steps", "POST /memory/v1/lessons"
    ])
    assert.includeMembers([...needing("read")], [
      "GET /v1/savings", "GET /v1/calibration", "GET /v1/policy-value", "GET /v1/dashboard", "GET /v1/advice", "GET /v1/models"
    ])
  })
})

const bodies: Readonly<Record<string, unknown>> = {
  "/v1/recommend": { task: { task: "sum a list" } },
  "/v1/recommend/workflow": { steps: [{ step_id: "plan", task: { task: "sum a list" } }] },
  "/v1/feedback": { recommendation_id: "r1", chosen_model_id: "small", outcome: "success" },
  "/v1/account/models": { default_providers: null },
  "/v1/diagnose": { error_text: "TimeoutError" }
}
const queries: Readonly<Record<string, string>> = {
  "/v1/retirement": "?model_id=small",
  "/v1/decision": "?recommendation_id=01890a5d-ac96-774b-bcce-b302099a8057"
}
const ask = ({ endpoint: { method, path } }: Declared, key: string) =>
  sendRequest(method, `${path}${queries[path] ?? ""}`, { key, ...(method === "GET" ? {} : { json: bodies[path] }) })

layer(fakeService(), { excludeTestServices: true })("a key", (it) => {
  it.effect("of each role is answered 200 where it has the right, and else a 403 that names the roles", () =>
    Effect.gen(function*() {
      for (const declared of service.filter(({ needsKey }) => needsKey)) {
        const right = Context.get(declared.endpoint.annotations, NeededRight)
        for (const role of Role.literals) {
          const { body, headers, status } = yield* ask(declared, keyOfRole[role])
          const what = `${role}: ${declared.name}`
          assert.strictEqual(status, holds(role, right) ? 200 : 403, what)
          if (status === 200) continue
          assert.strictEqual(headers.get("content-type"), "application/problem+json", what)
          assert.deepStrictEqual(body, {
            type: "about:blank", title: "Forbidden", status: 403,
            detail: `${declared.name} needs a key of the role ${rolesWith(right).join(" or ")}; the role of this one is ${role}`
          })
        }
        assert.strictEqual((yield* ask(declared, "sxt_acme_k9_bad")).status, 401, declared.name)
      }
    }))

  it.effect("that lacks the right is refused before the body is read, and an invalid one before that", () =>
    Effect.gen(function*() {
      const garbage = { init: { body: "{", headers: { "content-type": "application/json" } } }
      const path = "/v1/recommend"
      assert.strictEqual((yield* sendRequest("POST", path, { ...garbage, key: keyOfRole.read })).status, 403)
      assert.strictEqual((yield* sendRequest("POST", path, { ...garbage, key: "sxt_acme_k9_bad" })).status, 401)
      assert.strictEqual((yield* sendRequest("POST", path, { ...garbage, key: keyOfRole.use })).status, 400)
    }))

  it.effect("is documented with its 403 on every endpoint that needs one", () =>
    Effect.gen(function*() {
      const { body } = yield* sendRequest("GET", "/openapi.json", { key: null })
      const document = body as {
        readonly paths: Readonly<Record<string, Readonly<Record<string, {
          readonly description: string
          readonly responses: object
        }>>>>
      }
      for (const { endpoint, name, needsKey } of service) {
        const operation = document.paths[endpoint.path]?.[endpoint.method.toLowerCase()]
        assert.strictEqual("403" in (operation?.responses ?? {}), needsKey, name)
        const right = Context.get(endpoint.annotations, NeededRight)
        if (needsKey && right !== "read") assert.include(operation?.description, "Needs a key of the role", name)
      }
    }))
})
