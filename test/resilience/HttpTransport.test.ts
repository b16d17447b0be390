import { assert, it } from "@effect/vitest"
import { endpointOf } from "../../src/resilience/HttpTransport.ts"

it("An endpoint is the origin and path of an address, without what may be secret in it", () => {
  const address = new URL("https://name:password@memory.example.com:8443/v1//?key=secret#part")
  assert.strictEqual(endpointOf(address), "https://memory.example.com:8443/v1")
})
