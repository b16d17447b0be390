import type { SyntaxNode } from "@lezer/common"
import { parser } from "@prometheus-io/lezer-promql"
import type { MetricName } from "../../src/telemetry/SemanticConventions.ts"

/* How Prometheus names what we send, and what its queries ask for. */

/** Units that the collector spells out; what stands in braces is left out. */
const suffixes: Readonly<Record<string, string>> = { s: "seconds", By: "bytes" }

const safe = (name: string): string => name.replace(/[^a-zA-Z0-9_]+/g, "_").replace(/_+/g, "_").replace(/^_|_$/g, "")

/** The collector's normalisation: unit and `_total` added, dots turned into underscores. */
export const familyOf = ({ kind, name, unit }: Pick<MetricName, "kind" | "name" | "unit">): string => {
  const isRatio = unit === "1" && kind === "gauge"
  const suffix = unit.startsWith("{") ? "" : isRatio ? "ratio" : suffixes[unit]
  if (suffix === undefined) throw new Error(`${name}: nobody here knows how the collector spells ${unit}`)
  const parts = safe(name).split("_")
  const withUnit = suffix === "" || parts.includes(suffix) ? parts : [...parts, suffix]
  return [...withUnit.filter((part) => kind !== "counter" || part !== "total"), ...(kind === "counter" ? ["total"] : [])]
    .join("_")
}

export interface Known {
  /** Labels that a series of the name can have, by name. */
  readonly labels: ReadonlyMap<string, ReadonlySet<string>>
}

/** Every name that Prometheus has of these metrics, with its labels. */
export const namesOf = (metrics: Iterable<MetricName>): Map<string, ReadonlySet<string>> => {
  const names = new Map<string, ReadonlySet<string>>()
  for (const each of metrics) {
    const labels = new Set(["job", "instance", ...each.attributes.map(safe)])
    const family = familyOf(each)
    if (each.kind !== "histogram") names.set(family, labels)
    else {
      names.set(`${family}_bucket`, new Set([...labels, "le"]))
      for (const suffix of ["sum", "count"]) names.set(`${family}_${suffix}`, labels)
    }
  }
  return names
}

export interface Selector {
  readonly name: string
  readonly labels: ReadonlyArray<string>
  /** Label, operator and value, as written. */
  readonly matchers: ReadonlyArray<readonly [label: string, operator: string, value: string]>
}

export interface Query {
  /** What is not PromQL, by its place; empty when all of it is. */
  readonly errors: ReadonlyArray<string>
  readonly selectors: ReadonlyArray<Selector>
  /** Labels that results are grouped or joined by. */
  readonly groupings: ReadonlyArray<string>
  readonly functions: ReadonlyArray<string>
}

/** Grafana's own words in a query, as Prometheus will see them. */
export const filledIn = (query: string): string =>
  query.replaceAll("$__rate_interval", "1m").replaceAll("$__range", "3h")

/** Reads a query with Prometheus' own grammar. */
export const read = (query: string): Query => {
  const text = (node: SyntaxNode): string => query.slice(node.from, node.to)
  const errors: Array<string> = []
  const selectors: Array<Selector> = []
  const groupings: Array<string> = []
  const functions: Array<string> = []
  parser.parse(query).iterate({
    enter: ({ node, type }) => {
      if (type.isError) errors.push(`${node.from}: ${query.slice(Math.max(0, node.from - 10), node.to + 10)}`)
      if (type.name === "FunctionIdentifier") functions.push(text(node))
      if (type.name === "GroupingLabels") {
        groupings.push(...node.getChildren("LabelName").map(text))
      }
      if (type.name === "VectorSelector") {
        const identifier = node.getChild("Identifier")
        const matchers = node.getChild("LabelMatchers")?.getChildren("UnquotedLabelMatcher") ?? []
        selectors.push({
          name: identifier === null ? "" : text(identifier),
          labels: matchers.flatMap((each) => each.getChildren("LabelName")).map(text),
          matchers: matchers.map((each) => {
            const [, label = "", operator = "", value = ""] = /^([^=!~\s]+)\s*(=~|!~|!=|=)\s*"(.*)"$/s.exec(text(each)) ?? []
            return [label, operator, value] as const
          })
        })
      }
    }
  })
  return { errors, selectors, groupings, functions }
}
