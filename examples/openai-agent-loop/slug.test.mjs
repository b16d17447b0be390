// The gate: what the agent's code must do.
import assert from "node:assert"
import { slug } from "./slug.mjs"

assert.strictEqual(slug("Hello World"), "hello-world")
assert.strictEqual(slug("  Rivers & Seas!  "), "rivers-seas")
assert.strictEqual(slug("a"), "a")
