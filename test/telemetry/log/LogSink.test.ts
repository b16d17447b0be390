import { assert, describe, it } from "@effect/vitest"
import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { closeSync, constants, openSync, readFileSync, readSync } from "node:fs"
import { join } from "node:path"
import { makeLogSink } from "../../../src/telemetry/log/LogSink.ts"
import { temporaryFolder } from "../../support/temporaryFolder.ts"

/** A pipe with both ends open, which nobody reads unless the test does. */
const withPipe = async (
  use: (pipe: { readonly writer: number; readonly read: () => string; readonly hangUp: () => void }) => unknown
) => {
  const directory = temporaryFolder()
  const path = join(directory, "pipe")
  execFileSync("mkfifo", [path])
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  const writer = openSync(path, constants.O_WRONLY)
  const read = () => {
    const buffer = Buffer.alloc(4_000_000)
    let length = 0
    try {
      for (let count = 1; count > 0; length += count) count = readSync(reader, buffer, length, buffer.length - length, null)
    } catch {
      // Empty.
    }
    return buffer.toString("utf8", 0, length)
  }
  let isReading = true
  const hangUp = () => {
    if (isReading) closeSync(reader)
    isReading = false
  }
  try {
    await use({ writer, read, hangUp })
  } finally {
    hangUp()
    closeSync(writer)
  }
}

describe("The sink of the log", () => {
  it("writes lines in order, at once, to a pipe that is read", () =>
    withPipe(({ read, writer }) => {
      const sink = makeLogSink(writer)
      sink.write("one")
      sink.write("zwei: ü")
      assert.strictEqual(read(), "one\nzwei: ü\n")
    }))

  it("does not block on an unread pipe, keeps bounded lines, and later reports dropped ones", () =>
    withPipe(async ({ read, writer }) => {
      const sink = makeLogSink(writer)
      const line = "x".repeat(999)
      for (let i = 0; i < 5_000; i++) sink.write(`${String(i).padStart(4, "0")} ${line}`)
      const dropped = sink.dropped()
      assert.isAtLeast(dropped, 3_500)
      let text = ""
      while (!text.includes("dropped")) {
        text += read()
        await new Promise((resolve) => setTimeout(resolve, 10))
      }
      const lines = text.trim().split("\n")
      assert.strictEqual(lines.length, 5_000 - dropped + 1)
      assert.match(lines.at(-1) ?? "", new RegExp(`lines=${dropped}$`))
      assert.isTrue(lines.slice(0, -1).every((each, i) => each === `${String(i).padStart(4, "0")} ${line}`))
    }), 30_000)

  it("lets a process work and end when its standard error is a socket that is not read", async () => {
    const script = `
      import { makeLogSink } from ${JSON.stringify(new URL("../../../src/telemetry/log/LogSink.ts", import.meta.url).href)}
      const sink = makeLogSink(2)
      for (let i = 0; i < 5_000; i++) sink.write("x".repeat(999))
      process.stdout.write(\`alive \${sink.dropped() > 3_000}\`, () => process.exit(0))`
    const child = spawn(process.execPath, ["--input-type=module-typescript", "-e", script], {
      stdio: ["ignore", "pipe", "pipe"]
    })
    child.stderr.pause()
    let said = ""
    child.stdout.on("data", (chunk: Buffer) => {
      said += chunk.toString()
    })
    const [code] = await once(child, "exit")
    assert.deepStrictEqual([code, said], [0, "alive true"])
  })

  it("survives a reader that closes the pipe", () =>
    withPipe(({ hangUp, writer }) => {
      const sink = makeLogSink(writer)
      sink.write("heard")
      hangUp()
      sink.write("not heard")
      sink.write("nor this")
      assert.strictEqual(sink.dropped(), 2)
    }))

  it("writes to a file", () => {
    const directory = temporaryFolder()
    const path = join(directory, "log")
    const file = openSync(path, "w")
    const sink = makeLogSink(file)
    sink.write("line")
    closeSync(file)
    assert.strictEqual(readFileSync(path, "utf8"), "line\n")
  })
})
