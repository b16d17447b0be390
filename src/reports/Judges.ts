/* The reliability of each source's verdicts, measured on calls that a gate or a person judged too. */
import type { JudgeWorth } from "../domain/reports/JudgeWorth.ts"
import { type PairSums, poweredMean } from "../stats/PredictionPowered.ts"
import type { JudgeCell } from "./VerdictSums.ts"
import { reportSettings } from "./ReportSettings.ts"

const shareOf = (part: number, whole: number): number | null => whole === 0 ? null : part / whole

const worthOf = (cell: JudgeCell): JudgeWorth => {
  const { failedRight, passedWrong, rest, right, source, taskType, wrong, ...pairs } = cell
  const nJudged = pairs.n + rest.n
  const isChecked = pairs.n >= reportSettings.checkedEnough
  const powered = isChecked ? poweredMean(pairs, rest) : null
  return {
    source, taskType, nJudged, isChecked,
    nChecked: pairs.n,
    passWrong: isChecked ? shareOf(passedWrong, wrong) : null,
    failRight: isChecked ? shareOf(failedRight, right) : null,
    successJudged: (pairs.f + rest.f) / nJudged,
    success: powered?.mean ?? null,
    successLow: powered?.low ?? null,
    successHigh: powered?.high ?? null
  }
}

const added = (one: PairSums, other: PairSums): PairSums => ({
  n: one.n + other.n, y: one.y + other.y, f: one.f + other.f, yy: one.yy + other.yy, ff: one.ff + other.ff,
  yf: one.yf + other.yf
})

const together = (one: JudgeCell, other: JudgeCell): JudgeCell => ({
  ...added(one, other),
  source: one.source,
  taskType: null,
  wrong: one.wrong + other.wrong,
  passedWrong: one.passedWrong + other.passedWrong,
  right: one.right + other.right,
  failedRight: one.failedRight + other.failedRight,
  rest: { n: one.rest.n + other.rest.n, f: one.rest.f + other.rest.f, ff: one.rest.ff + other.rest.ff }
})

/** Returns how reliable each source of verdicts is: over all task types, and by type if there are several. */
export const judgesOf = (cells: ReadonlyArray<JudgeCell>): ReadonlyArray<JudgeWorth> =>
  [...Map.groupBy(cells, ({ source }) => source).values()].flatMap((own) =>
    (own.length === 1 ? own.map((each) => ({ ...each, taskType: null })) : [own.reduce(together), ...own])
      .map(worthOf))
