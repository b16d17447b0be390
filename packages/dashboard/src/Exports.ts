/* The rows of a section as a CSV file, with the field names of the API. */
import type { Answers } from "./Answers.ts"
import { type Cell, csvOf } from "./Csv.ts"
import { guaranteeRows } from "./GuaranteeSection.ts"

interface Export {
  readonly fileName: string
  readonly text: () => string
}

type Flat = ReadonlyMap<string, Cell>

/** Flattens a JSON object: joins names by `_` and a list's texts by spaces; drops lists with non-texts. */
const flat = (value: unknown, name = "", into = new Map<string, Cell>()): Flat => {
  if (Array.isArray(value)) {
    if (value.every((each) => typeof each === "string")) into.set(name, value.join(" "))
  } else if (value === null) into.set(name, null)
  else if (typeof value === "object") {
    for (const [key, each] of Object.entries(value)) flat(each, name === "" ? key : `${name}_${key}`, into)
  } else if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") {
    into.set(name, value)
  }
  return into
}

const rowsOf: { readonly [section: string]: (answers: Answers) => ReadonlyArray<unknown> } = {
  spend: ({ dashboard }) => dashboard.savings_by_day,
  teams: ({ grouped }) => grouped?.groups ?? [],
  guarantee: ({ guarantees }) => guarantees === null ? [] : guaranteeRows(guarantees),
  tasks: ({ savings }) => savings.tasks == null ? [] : [savings.tasks],
  policies: ({ policyValue }) => policyValue.report.policies,
  speed: ({ dashboard }) => dashboard.model_calls ?? [],
  models: ({ dashboard }) => dashboard.cluster_models,
  decisions: ({ calls, dashboard }) => calls?.decisions ?? dashboard.decisions
}

/** The rows of a section as a CSV file; null if the section has no rows. */
export const exportOf = (answers: Answers, section: string): Export | null => {
  const rows = (rowsOf[section]?.(answers) ?? []).map((row) => flat(row))
  if (rows.length === 0) return null
  const names = [...new Set(rows.flatMap((row) => [...row.keys()]))]
  const columns = names.map((name) => ({ name, cell: (row: Flat) => row.get(name) ?? null }))
  return {
    fileName: `sextant-${section}-${answers.savings.days}-days.csv`, text: () => csvOf(columns, rows)
  }
}
