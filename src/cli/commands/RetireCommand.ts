/* `sextant retire`: shows where a model is used, and which models may replace it. */
import { Clock, Console, Effect, Option, Schema } from "effect"
import { Argument, Command } from "effect/cli"
import { retirementPage } from "../../../packages/dashboard/src/RetirementPage.ts"
import { retirementWords } from "../../../packages/dashboard/src/RetirementWords.ts"
import { SextantClient } from "../../client/Client.ts"
import { RetirementResponse } from "../../domain/reports/Retirement.ts"
import { escapedLine, escapedTexts } from "../../domain/text/HiddenCharacters.ts"
import { nameOf } from "../../domain/text/Text.ts"
import { version } from "../../domain/Version.ts"
import { Reports } from "../../reports/Reports.ts"
import { outputFile } from "../OutputFiles.ts"
import { refusal } from "../Refusal.ts"
import { switchFlag, textFlag } from "./Flags.ts"
import { readFrom, sourceFlags, windowFlags } from "./ReportSource.ts"

/** Fails if the model is neither in the catalog nor in any call of the window. */
export const retire = Command.make(
  "retire",
  {
    model: Argument.String("model").pipe(
      Argument.withDescription("The model that retires, or may, by any of its names")
    ),
    html: textFlag("html", "Also write a page, to this file"),
    isJson: switchFlag("json", "Print the answer as the API gives it"),
    ...windowFlags(30),
    ...sourceFlags
  },
  ({ days, html, isJson, model, namespace, ...source }) =>
    Effect.gen(function*() {
      const asked = Option.getOrNull(namespace)
      const found = yield* readFrom(
        source,
        (accountId) =>
          Reports.use(({ retirement }) =>
            retirement({ accountId, days, namespace: asked, modelId: model })
          ).pipe(Effect.catchTag("UnknownModel", () =>
            refusal(`Neither the catalog nor a call of the window has a model ${nameOf(model)}`))),
        SextantClient.use(({ retirement }) =>
          retirement({ days, model_id: model, ...(asked === null ? {} : { namespace: asked }) }))
      )
      const retirement = yield* Schema.encodeEffect(RetirementResponse)(found)
      if (Option.isSome(html)) {
        const madeAt = new Date(yield* Clock.currentTimeMillis)
        const account = Option.getOrElse(source.instance, () => "")
        const page = retirementPage({ account, retirement, madeAt, version })
        yield* Effect.scoped(Effect.flatMap(outputFile(html.value), (write) => write(page)))
        yield* Console.error(`Wrote ${html.value}`)
      }
      yield* Console.log(
        isJson ? escapedLine(JSON.stringify(retirement)) : retirementWords(escapedTexts(retirement))
      )
    })
)
