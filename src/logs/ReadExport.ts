/* Reads one request of an OpenTelemetry exporter. */
import { createHash } from "node:crypto"
import { readOtelLabels, readOtelNesting, readOtelRow } from "./formats/OpenTelemetry.ts"
import { readOtelPrompts } from "./formats/OpenTelemetryPrompts.ts"
import type { RowContent } from "./formats/Read.ts"
import type { Row } from "./formats/Values.ts"
import { makeLabelTable } from "./labels/LabelTable.ts"
import { makeNestingTable } from "./labels/NestingTable.ts"
import { makePromptTable } from "./labels/PromptTable.ts"

/**
 * A call is joined only with evaluations, prompts and enclosing spans of the same request.
 * @param row the request in OTLP's JSON form
 * @param nowMs the present time, ms since 1970
 */
export const readExport = (row: Row, nowMs: number): RowContent => {
  const [labels, prompts, nesting] = [makeLabelTable(null), makePromptTable(), makeNestingTable()]
  readOtelLabels(row).forEach(labels.add)
  readOtelPrompts(row).forEach(prompts.add)
  nesting.add(readOtelNesting(row))
  let sha256: string | null = null
  const { calls, leftOut } = readOtelRow(row, {
    nowMs, labels, prompts, nesting,
    contentSha256: () => sha256 ??= createHash("sha256").update(JSON.stringify(row)).digest("hex")
  })
  return { calls, leftOut: [...leftOut, ...labels.unused(), ...prompts.unused()] }
}
