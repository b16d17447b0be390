/* `sextant statement` states the savings of a month. `sextant verify-statement` checks such a statement. */
import { Console, Effect, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { statementPage, statementTable } from "../../../packages/dashboard/src/StatementPage.ts"
import { Month, Statement } from "../../domain/reports/Statement.ts"
import { AccountId } from "../../domain/Scope.ts"
import { counted } from "../../domain/text/Words.ts"
import { sextantCommand } from "../../http/docs/StartPage.ts"
import * as Layers from "../Layers.ts"
import { reportFiles } from "../OutputFiles.ts"
import { rowsUnit, withProgress } from "../Progress.ts"
import { refusal } from "../Refusal.ts"
import { checkStatement } from "../StatementCheck.ts"
import { scratchStorage, storage } from "../Storage.ts"
import { instance, serviceConfig, textFlag } from "./Flags.ts"

export const statement = Command.make(
  "statement",
  {
    month: Argument.String("MONTH").pipe(
      Argument.withDescription("The month, such as 2026-11; its days are UTC"),
      Argument.withSchema(Month)
    ),
    instance,
    html: textFlag("html", "Write the statement as a page in one file"),
    json: textFlag("json", "Write it as JSON, which can be verified; `-` prints it instead of the table")
  },
  ({ html, instance, json, month }) =>
    Effect.scoped(Effect.gen(function*() {
      const write = yield* reportFiles({ html, json })
      const config = yield* serviceConfig
      const found = yield* Layers.statement({ accountId: AccountId.make(instance), month }, storage(config))
      const value = yield* Schema.encodeEffect(Statement)(found)
      yield* write({ page: () => statementPage(value, sextantCommand), value, table: statementTable(value) })
    }))
)

/** Checks a statement, and exits with 1 if a figure does not follow from the export. */
export const verifyStatement = Command.make(
  "verify-statement",
  {
    file: Argument.File("FILE").pipe(Argument.withDescription("A statement that `statement --json` wrote")),
    exported: Flag.File("export").pipe(
      Flag.withDescription("A file that `account export` wrote of the same account")
    )
  },
  ({ exported, file }) =>
    Effect.gen(function*() {
      const { n, parts, problem, stated } = yield* withProgress(
        "Reading", (report) => checkStatement(file, exported, report), rowsUnit
      ).pipe(Effect.provide(scratchStorage))
      for (const { first, n: values, part } of parts) {
        const word = first === null ? "holds        " : "does not hold"
        yield* Console.log(`${word}  ${part} (${counted(values, "value")})`)
      }
      if (problem !== null) return yield* refusal(`The statement does not hold: ${problem}`)
      yield* Console.log(`The statement of ${stated.account} for ${stated.month} holds: all figures, and the`
        + ` hash over ${counted(n, "row")}, follow from the export.`)
    })
)
