import { assert, describe, it } from "@effect/vitest"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { pairedDifference, pairedTable, reportsIn } from "../../../../scripts/bench/arena/paired.ts"
import { temporaryFolder } from "../../../support/temporaryFolder.ts"

const report = (set: string, seed: number, value: number) => ({ set, seed, value })
const [nameOf, of] = [({ set }: { set: string }) => set, ({ value }: { value: number }) => value]

const earlier = [report("a", 1, 10), report("a", 2, 20), report("b", 1, 5), report("b", 2, 5)]
const reports = [report("a", 1, 11), report("a", 2, 23), report("b", 1, 4), report("a", 3, 99)]

describe("differences of two runs", () => {
  it("are taken seed by seed, with the standard error of the differences alone", () => {
    assert.deepStrictEqual(pairedDifference(reports, earlier, { nameOf, names: ["a"], of }),
      { mean: 2, error: 1, seeds: 2 })
  })

  it("of several names count the seeds that both runs have of all of them", () => {
    assert.deepStrictEqual(pairedDifference(reports, earlier, { nameOf, names: ["a", "b"], of }),
      { mean: 0, error: 0, seeds: 1 })
  })

  it("are a table of a row per name and one of their mean, with a dash where no seed is in both", () => {
    const rows = pairedTable([...reports, report("c", 1, 1)], earlier, nameOf, [["value", of, 1]]).split("\n")
    assert.deepStrictEqual(rows.map((row) => row.split(/\s{2,}/)), [
      ["difference, paired over seeds", "seeds", "value"],
      ["a", "2", "2.0+-1.0"], ["b", "1", "-1.0+-0.0"], ["c", "0", "-"], ["mean", "0", "-"]
    ])
  })

  it("are read from the files of earlier runs of the same benchmark only", () => {
    const folder = temporaryFolder()
    const files = ["one.json", "two.json"].map((name) => join(folder, name))
    for (const file of files) writeFileSync(file, JSON.stringify({ sets: earlier }))
    assert.deepStrictEqual(reportsIn(files.join(","), "sets"), [...earlier, ...earlier])
    assert.throws(() => reportsIn(files[0]!, "reports"), /another benchmark's/)
  })
})
