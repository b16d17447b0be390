// The gate: what the fixed code must do.
import assert from "node:assert"
import { total } from "./cart.mjs"

assert.strictEqual(total([{ cents: 105, count: 3 }], 0.1), 284)
assert.strictEqual(total([], 0.5), 0)
assert.strictEqual(total([{ cents: 100, count: 1 }, { cents: 50, count: 2 }], 0), 200)
