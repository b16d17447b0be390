/* The `detail` of a problem: the wrong fields of a request, and the reasons. */
import { SchemaAST, SchemaIssue } from "effect"

const format = SchemaIssue.makeFormatterStandardSchemaV1()

const problemsMax = 10

const nameOf = (segment: PropertyKey | { readonly key: PropertyKey }): string =>
  String(typeof segment === "object" ? segment.key : segment)

/** The allowed values, such as `"easy" | "hard" | null`; undefined if the schema is not of literals. */
const allowedBy = (ast: SchemaAST.AST): string | undefined => {
  if (SchemaAST.isLiteral(ast)) return JSON.stringify(ast.literal)
  if (SchemaAST.isNull(ast)) return "null"
  if (!SchemaAST.isUnion(ast)) return undefined
  const members = ast.types.map(allowedBy)
  return members.includes(undefined) ? undefined : members.join(" | ")
}

const isObject = (ast: SchemaAST.AST): boolean =>
  SchemaAST.isObjects(ast) || (SchemaAST.isUnion(ast) && ast.types.every(isObject))

const notObject = new SchemaIssue.InvalidValue({ message: "Expected object" })

/** Lists allowed literals or says "object", because Effect's messages give only the schema's name. */
const spelledOut = (issue: SchemaIssue.Issue): SchemaIssue.Issue => {
  switch (issue._tag) {
    case "Pointer":
      return new SchemaIssue.Pointer(issue.path, spelledOut(issue.issue))
    case "InvalidType":
      return isObject(issue.ast) ? notObject : issue
    case "Encoding":
      return new SchemaIssue.Encoding(issue.ast, spelledOut(issue.issue))
    case "Composite": {
      // Issues that the `detail` will not name are skipped, because a body may cause very many issues.
      const [first] = issue.issues
      const rest = issue.issues.slice(1, problemsMax + 1)
      return new SchemaIssue.Composite(issue.ast, [spelledOut(first), ...rest.map(spelledOut)])
    }
    case "AnyOf": {
      if (issue.issues.length === 0 && isObject(issue.ast)) return notObject
      const allowed = allowedBy(issue.ast)
      return allowed === undefined
        ? new SchemaIssue.AnyOf(issue.ast, issue.issues.map(spelledOut))
        : new SchemaIssue.InvalidValue({ message: `Expected ${allowed}` })
    }
    default:
      return issue
  }
}

/** Joins the first ten errors, and says if there are more. */
export const joinedProblems = (problems: ReadonlyArray<string>): string =>
  problems.slice(0, problemsMax).join("; ") + (problems.length > problemsMax ? "; and more" : "")

/**
 * The text of `detail`, such as `task.task: Missing key; max_candidates: Expected …`.
 * @param spelled spells a field's name as the reader knows it
 */
export const detailOf = (
  issue: SchemaIssue.Issue,
  spelled: (name: string) => string = (name) => name
): string => {
  return joinedProblems(format(spelledOut(issue)).issues.map(({ message, path }) => {
    const field = (path ?? []).map((segment) => spelled(nameOf(segment))).join(".")
    return field === "" ? message : `${field}: ${message}`
  }))
}
