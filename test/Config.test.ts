import { assert, it } from "@effect/vitest"
import { isExposed } from "../src/Config.ts"

it("keys are exposed by plain http to another machine, and neither by https nor on this one", () => {
  const exposed = (address: string): boolean => isExposed(new URL(address))
  for (const host of ["memory", "10.0.0.7:8081", "127.0.0.1.example.com", "localhost.example.com", "[::2]", "0.0.0.0"]) {
    assert.isTrue(exposed(`http://${host}`), host)
    assert.isFalse(exposed(`https://${host}`), host)
  }
  for (const host of ["localhost:8081", "LOCALHOST", "memory.localhost", "127.0.0.1", "127.8.9.10:1", "[::1]:8081"]) {
    assert.isFalse(exposed(`http://${host}/base`), host)
  }
})
