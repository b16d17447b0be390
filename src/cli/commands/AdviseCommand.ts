/* `sextant advise`: what to change, what of it is known, and what would settle the rest. */
import { Console, Effect, Option, Redacted, Schema } from "effect"
import { Command } from "effect/cli"
import { adviceWords } from "../../../packages/dashboard/src/AdviceSection.ts"
import { retiringWords } from "../../../packages/dashboard/src/RetirementCard.ts"
import { SextantClient } from "../../client/Client.ts"
import { AdviceResponse } from "../../domain/reports/Advice.ts"
import { AccountId } from "../../domain/Scope.ts"
import { escapedLine, escapedTexts } from "../../domain/text/HiddenCharacters.ts"
import { counted } from "../../domain/text/Words.ts"
import { Reports } from "../../reports/Reports.ts"
import * as Layers from "../Layers.ts"
import { refusal } from "../Refusal.ts"
import { serviceConfig, switchFlag } from "./Flags.ts"
import { keyOf, notNamed, sourceFlags, windowFlags } from "./ReportCommand.ts"

/** What is said without advice; an account without a call may be one that is written wrongly. */
const noneWords = ({ n, nKinds }: AdviceResponse): string =>
  n === 0
    ? "No call of this account is in the window. `sextant keys list` shows the accounts that have a key."
    : `Nothing to change is in sight: ${counted(n, "call")} of ${counted(nKinds, "kind")} of task. Verdicts `
      + "and costs of calls, reported to POST /v1/feedback, show more."

/** The advice as lines for a terminal, with the models that retire before it. */
const textOf = (advice: AdviceResponse, encoded: typeof AdviceResponse.Encoded): string =>
  [
    ...(encoded.retiring ?? []).map(retiringWords),
    ...advice.rows.length > 0 ? encoded.rows.map(adviceWords) : [noneWords(advice)]
  ].join("\n\n")

export const advise = Command.make(
  "advise",
  {
    isJson: switchFlag("json", "Print the answer as the API gives it"),
    ...windowFlags(30),
    ...sourceFlags
  },
  ({ days, instance, isJson, key, namespace, url }) =>
    Effect.gen(function*() {
      const given = Option.isSome(url) ? yield* keyOf(key) : Option.none()
      const asked = Option.getOrNull(namespace)
      const found = Option.isSome(instance) && Option.isNone(url)
        ? yield* Effect.flatMap(serviceConfig, (config) =>
          Reports.use(({ advice }) =>
            advice({ accountId: AccountId.make(instance.value), days, namespace: asked })
          ).pipe(Effect.provide(Layers.reports(config))))
        : Option.isNone(instance) && Option.isSome(url) && Option.isSome(given)
        ? yield* SextantClient.use(({ advice }) =>
          advice({ days, ...(asked === null ? {} : { namespace: asked }) })
        ).pipe(Effect.provide(
          SextantClient.layer({ baseUrl: url.value, apiKey: Redacted.value(given.value) })
        ))
        : yield* refusal(notNamed)
      const encoded = yield* Schema.encodeEffect(AdviceResponse)(found)
      yield* Console.log(
        isJson ? escapedLine(JSON.stringify(encoded)) : textOf(found, escapedTexts(encoded))
      )
    })
)
