/* The coverage report: how many decisions of each lane have a verdict, and which step would help most. */
import { Order } from "effect"
import { isTrusted } from "../domain/feedback/Feedback.ts"
import type { Coverage, CoverageStep, LaneCoverage } from "../domain/reports/Coverage.ts"
import type { VerdictCell } from "./VerdictSums.ts"
import { sum } from "./savings/Followed.ts"
import { reportSettings } from "./ReportSettings.ts"

const laneOf = (lane: string, cells: ReadonlyArray<VerdictCell>): LaneCoverage => {
  const verdicts = cells.flatMap(({ n, source }) =>
    source === null || source === "none" ? [] : [{ n, source }])
  return {
    lane,
    n: sum(cells, ({ n }) => n),
    nReported: sum(cells, ({ n, source }) => source === null ? 0 : n),
    nVerdicts: sum(verdicts, ({ n }) => n),
    sources: verdicts.sort((one, other) => other.n - one.n || Order.String(one.source, other.source))
  }
}

/** Returns what a lane lacks: reports, verdicts, or verdicts of gates and people; null if it lacks none. */
const stepOf = ({ n, nReported, nVerdicts, sources }: LaneCoverage): CoverageStep | null => {
  const { verdictsEnough, verdictShareEnough } = reportSettings
  if (nVerdicts < Math.min(n, Math.max(verdictsEnough, n * verdictShareEnough))) {
    return 2 * nReported < n ? "report" : "verdict"
  }
  const ofTrust = sources.filter(({ source }) => isTrusted(source))
  return sum(ofTrust, ({ n }) => n) < Math.min(n, verdictsEnough) ? "trusted" : null
}

const missingOf = ({ n, nVerdicts }: LaneCoverage): number => n - nVerdicts

/**
 * Makes the coverage report; lanes with the most decisions without a verdict come first. `next` is the first
 * lane that lacks reports or verdicts, else the first that lacks trusted verdicts, else null.
 */
export const coverageOf = (cells: ReadonlyArray<VerdictCell>): Coverage => {
  const byLane = Map.groupBy(cells, ({ lane }) => lane)
  const lanes = [...byLane].map(([lane, own]) => laneOf(lane, own)).sort((one, other) =>
    missingOf(other) - missingOf(one) || Order.String(one.lane, other.lane))
  const steps = lanes.flatMap((each) => {
    const step = stepOf(each)
    return step === null ? [] : [{ lane: each.lane, step }]
  })
  return {
    n: sum(lanes, ({ n }) => n),
    nVerdicts: sum(lanes, ({ nVerdicts }) => nVerdicts),
    lanes: lanes.slice(0, reportSettings.coveredLanesMax),
    lanesLeftOut: Math.max(0, lanes.length - reportSettings.coveredLanesMax),
    next: steps.find(({ step }) => step !== "trusted") ?? steps[0] ?? null
  }
}
