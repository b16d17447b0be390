/* `sextant report`: the summary of a window of days as one static page. */
import { Clock, Console, Effect, Option, Schema } from "effect"
import { Command } from "effect/cli"
import { mailPage, summaryPage } from "../../../packages/dashboard/src/SummaryPage.ts"
import { verdictsWords } from "../../../packages/dashboard/src/VerdictsSection.ts"
import { SextantClient } from "../../client/Client.ts"
import { AccountBudgetResponse } from "../../domain/account/Budget.ts"
import { AccountGuaranteeResponse } from "../../domain/account/Guarantee.ts"
import { AdviceResponse } from "../../domain/reports/Advice.ts"
import { DashboardResponse } from "../../domain/reports/Dashboard.ts"
import { PolicyValueResponse } from "../../domain/reports/PolicyValue.ts"
import { CalibrationResponse, SavingsResponse } from "../../domain/reports/Report.ts"
import type { AccountId } from "../../domain/Scope.ts"
import { escapedTexts } from "../../domain/text/HiddenCharacters.ts"
import { counted } from "../../domain/text/Words.ts"
import { version } from "../../domain/Version.ts"
import { budgetOf, guaranteesOf } from "../../http/AccountHttp.ts"
import { sextantCommand } from "../../http/docs/StartPage.ts"
import { Reports } from "../../reports/Reports.ts"
import { outputFile } from "../OutputFiles.ts"
import { refusal } from "../Refusal.ts"
import { textFlag } from "./Flags.ts"
import { readFrom, sourceFlags, windowFlags } from "./ReportSource.ts"

interface ReportWindow {
  readonly namespace: string | null
  readonly days: number
}

interface Figures {
  readonly savings: SavingsResponse
  readonly calibration: CalibrationResponse
  readonly policyValue: PolicyValueResponse
  readonly dashboard: DashboardResponse
  readonly advice: AdviceResponse
  readonly budget: AccountBudgetResponse
  readonly guarantees: AccountGuaranteeResponse
}

const fromStorage = (window: ReportWindow) => (accountId: AccountId) =>
  Effect.gen(function*() {
    const reports = yield* Reports
    const query = { accountId, ...window }
    const figures: Figures = {
      savings: yield* reports.savings({ ...query, groupBy: "lane" }),
      calibration: yield* reports.calibration(query),
      policyValue: yield* reports.policyValue(query),
      dashboard: yield* reports.dashboard(query),
      advice: yield* reports.advice(query),
      budget: yield* budgetOf(query.accountId),
      guarantees: yield* guaranteesOf(query.accountId, query.namespace)
    }
    return figures
  })

const fromService = ({ days, namespace }: ReportWindow) =>
  Effect.gen(function*() {
    const client = yield* SextantClient
    const place = namespace === null ? {} : { namespace }
    const query = { days, ...place }
    const figures: Figures = {
      savings: yield* client.savings({ ...query, group_by: "lane" }),
      calibration: yield* client.calibration(query),
      policyValue: yield* client.policyValue(query),
      dashboard: yield* client.dashboard(query),
      advice: yield* client.advice(query),
      budget: yield* client.accountBudget,
      guarantees: yield* client.accountGuarantee(place)
    }
    return figures
  })

/** Encodes the figures as the API encodes them, because the page reads this form. */
const asSent = ({ advice, budget, calibration, dashboard, guarantees, policyValue, savings }: Figures) =>
  Effect.all({
    savings: Schema.encodeEffect(SavingsResponse)(savings),
    calibration: Schema.encodeEffect(CalibrationResponse)(calibration),
    policyValue: Schema.encodeEffect(PolicyValueResponse)(policyValue),
    dashboard: Schema.encodeEffect(DashboardResponse)(dashboard),
    advice: Schema.encodeEffect(AdviceResponse)(advice),
    budget: Schema.encodeEffect(AccountBudgetResponse)(budget),
    guarantees: Schema.encodeEffect(AccountGuaranteeResponse)(guarantees)
  })

/** Maximum number of kinds of task for which the terminal says how many verdicts are needed. */
const verdictLines = 3

const standardOutput = "-"

export const report = Command.make(
  "report",
  {
    html: textFlag("html", "The file for the whole report; - for standard output"),
    mail: textFlag("mail", "The file for its first screen alone, to be mailed; - for standard output"),
    ...windowFlags(7),
    ...sourceFlags
  },
  ({ days, html, mail, namespace, ...source }) =>
    Effect.gen(function*() {
      if (Option.isNone(html) && Option.isNone(mail)) {
        return yield* refusal("Say what to write: --html FILE for the whole report, or --mail FILE")
      }
      const window = { days, namespace: Option.getOrNull(namespace) }
      const figures = yield* readFrom(source, fromStorage(window), fromService(window))
      const { recommendations } = figures.calibration.health
      if (recommendations === 0) {
        yield* Console.error("Warning: the window has no recommendation of this account; the page says so.")
      }
      // The health of models is left out, because the summary is read later, when the health has changed.
      const sent = yield* asSent(figures)
      const unread = {
        grouped: sent.savings, previous: null, asked: null, health: null, calls: null, command: sextantCommand
      }
      const answers = { ...sent, ...unread }
      const madeAt = new Date(yield* Clock.currentTimeMillis)
      const summary = { answers, madeAt, version }
      const pages = [
        ...Option.toArray(html).map((file) => ({ file, page: summaryPage(summary) })),
        ...Option.toArray(mail).map((file) => ({ file, page: mailPage(summary) }))
      ]
      for (const { file, page } of pages) {
        if (file === standardOutput) return yield* Console.log(page.trimEnd())
        yield* Effect.scoped(Effect.flatMap(outputFile(file), (write) => write(page)))
        yield* Console.log(`Wrote ${file}: ${counted(recommendations, "recommendation")}`)
      }
      const needed = answers.dashboard.verdicts_needed ?? []
      yield* Effect.forEach(needed.slice(0, verdictLines), (each) =>
        Console.log(verdictsWords(escapedTexts(each))))
    })
)
