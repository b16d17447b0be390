// One drive for all examples: each runs as its README says on one stage, with everything up and with the service down.
import { assert, it } from "@effect/vitest"
import { type Stage, staged } from "../packages/client/support/Stage.ts"
import { linkPackages, runExample } from "./world.ts"

export type Lines = ReadonlyArray<string>

/** What an example does in a world. */
export interface Driven {
  /** What is reported with everything up, where that is always the same: outcome and evidence, in no order. */
  readonly reports?: Lines
  /** Judges what it printed with everything up. */
  readonly up: (lines: Lines) => void
  /** What it prints with the service down, or what judges that. */
  readonly down: Lines | ((lines: Lines) => void)
}

/** The stage of the suite that calls it, and what runs examples on it. */
export const driving = () => {
  const world: Stage = staged()
  /** Runs an example that must end well and whose reports are all accepted; yields its lines. */
  const linesOf = async (name: string, over: Readonly<Record<string, string>> = {}): Promise<Lines> => {
    const { code, stderr, stdout } = await runExample(name, world, over)
    assert.strictEqual(code, 0, stderr)
    assert.isTrue(world.service.reports.every(({ answer }) => answer.accepted))
    const lines = stdout.trimEnd().split("\n")
    assert.match(lines.at(-1) ?? "", /lost: 0/)
    return lines
  }
  /** Declares both runs of an example, on the frameworks that it names. */
  const drive = (name: string, { down, reports, up }: Driven): void => {
    it(`${name} runs the models that the service names, and reports what came of them`, async () => {
      linkPackages(name)
      up(await linesOf(name))
      const reported = world.service.reports.map(({ sent }) => `${sent.outcome} ${sent.evidence_source}`)
      if (reports !== undefined) assert.sameMembers(reported, [...reports])
    })

    it(`${name} goes on with its default model when the service is down`, async () => {
      linkPackages(name)
      world.service.set("down")
      const lines = await linesOf(name)
      if (typeof down === "function") down(lines)
      else assert.deepStrictEqual(lines, down)
      assert.isEmpty(world.service.reports)
    })
  }
  /** The models that the provider was asked for. */
  const ran = () => world.provider.asked.map(({ model }) => model)
  /** The reports with a verdict. */
  const verdicts = () => world.service.reports.filter(({ sent }) => sent.evidence_source !== "none")
  return { drive, linesOf, ran, verdicts, world }
}
