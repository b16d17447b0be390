// An example under test: its stage, and the lines that a run of it prints.
import { assert } from "@effect/vitest"
import { runExample } from "../../../examples/world.ts"
import { type Stage, staged } from "./Stage.ts"

/** The stage of the suite that calls it, and what runs the example on it; a run that fails fails the test. */
export const stagedExample = (name: string): {
  readonly world: Stage
  readonly linesOf: () => Promise<ReadonlyArray<string>>
} => {
  const world = staged()
  return {
    world,
    linesOf: async () => {
      const { code, stderr, stdout } = await runExample(name, world)
      assert.strictEqual(code, 0, stderr)
      return stdout.trimEnd().split("\n")
    }
  }
}
