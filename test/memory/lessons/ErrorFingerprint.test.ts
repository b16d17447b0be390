import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { normaliseError, fingerprintsOf, tokensOf } from "../../../src/memory/lessons/ErrorFingerprint.ts"

const print = (text: string) => fingerprintsOf(text)[0]

const node = (over: { user?: string; line?: number; id?: string; port?: number } = {}) => {
  const { id = "7f9c24e8-3b12-4f6a-9c1d-0a1b2c3d4e5f", line = 12, port = 5432, user = "ann" } = over
  return [
    `2026-11-20T10:00:0${line % 10}.123Z worker-${line} Uncaught TypeError: Cannot read properties of undefined (reading 'rows')`,
    `    at loadInvoices (/home/${user}/app/src/invoices.ts:${line}:${line + 3})`,
    `    at async Server.<anonymous> (file:///home/${user}/app/server.mjs:${line * 2}:9)`,
    `  request ${id} to postgres://db-${port}.local:${port}/main, buffer 0x${(line * 65_537).toString(16)}`
  ].join("\n")
}

const python = (path: string, line: number) => [
  "Traceback (most recent call last):",
  `  File "${path}/run.py", line ${line}, in main`,
  "    raise ValueError(value)",
  "ValueError: could not convert string to float: 'abc'",
  "",
  "During handling of the above exception, another exception occurred:",
  "",
  `  File "${path}/lib/parse.py", line ${line + 7}, in parse`,
  `pipeline.errors.ParseError: row ${line} has no column "price"`
].join("\n")

describe("an error's fingerprint", () => {
  it.prop(
    "is the same whatever the paths, lines, ids, ports, times and addresses",
    {
      user: Schema.Literals(["ann", "bob", "C3PO", "x_y-z"]),
      line: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 99_999 })),
      port: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 65_535 })),
      id: Schema.String.check(Schema.isUUID())
    },
    (over) => {
      assert.strictEqual(print(node(over)).fingerprint, print(node()).fingerprint)
      assert.deepStrictEqual(print(node(over)).tokens, print(node()).tokens)
    }
  )

  it("is of what Python raised last, without its module", () => {
    const here = print(python("/srv/a", 10))
    assert.strictEqual(here.errorType, "ParseError")
    assert.strictEqual(here.headline, "ParseError: row <n> has no column \"price\"")
    assert.strictEqual(print(python("C:\\work\\b", 99)).fingerprint, here.fingerprint)
  })

  it("differs where the message or the error's code differs", () => {
    const texts = [
      "TypeError: x is not a function", "TypeError: y is not a function", "RangeError: x is not a function",
      "src/a.ts(3,5): error TS2322: wrong type", "src/a.ts(3,5): error TS2345: wrong type",
      "request failed with status code 404", "request failed with status code 500",
      "error[E0308]: mismatched types", "error[E0382]: use of moved value"
    ]
    assert.strictEqual(new Set(texts.map((text) => print(text).fingerprint)).size, texts.length)
  })

  it("ignores what a logger put before it", () => {
    const { fingerprint } = print("KeyError: 'price'")
    assert.strictEqual(print("[2026-11-20 10:00:00,123] ERROR worker-3: KeyError: 'price'").fingerprint, fingerprint)
  })
})

describe("normalising", () => {
  it.prop("twice is normalising once", { text: Schema.String }, ({ text }) => {
    const once = normaliseError(text)
    assert.strictEqual(normaliseError(once), once)
  })
  it.prop("twice is normalising once, also for what looks like errors",
    { parts: Schema.Array(Schema.Literals([
      "12", "TS2322", "a", "/", "\\", ":", " ", "\n", "0x1f", "deadbeef1", "code", "<n>", "\u001b[1m", "[m", ".",
      "2026-11-20", "T10:00", "http", "://", "status 404", "-", "E"
    ])) }, ({ parts }) => {
      const once = normaliseError(parts.join(""))
      assert.strictEqual(normaliseError(once), once)
    })

  it("leaves words and codes and takes the rest", () => {
    assert.strictEqual(
      normaliseError("at f (/home/a/b.js:1:2) took 3.5 s, E0308 at 0xff, HTTP 503, worker12"),
      "at f (<path>:<n>:<n>) took <n> s, E0308 at <hex>, HTTP 503, worker<n>"
    )
    assert.deepStrictEqual(tokensOf("Error: HTTP 503 from <url> in loadRows"), ["http", "503", "loadrows"])
  })

  it("of a long hostile text ends", () => {
    for (const piece of ["a", "/", "1", "a/", "0x", "<", "\u001b[", "deadbeef", "Error "]) {
      assert.isBelow(normaliseError(piece.repeat(200_000)).length, 200_000)
    }
  })
})
