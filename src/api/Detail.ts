import { SchemaIssue } from "effect"

const format = SchemaIssue.makeFormatterStandardSchemaV1()

const nameOf = (segment: PropertyKey | { readonly key: PropertyKey }): string =>
  String(typeof segment === "object" ? segment.key : segment)

/** What is wrong and where, for a problem's `detail`: `task.task: Missing key`. */
export const detailOf = (issue: SchemaIssue.Issue): string =>
  format(issue).issues
    .map(({ message, path }) => {
      const field = (path ?? []).map(nameOf).join(".")
      return field === "" ? message : `${field}: ${message}`
    })
    .join("; ")
