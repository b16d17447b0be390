/* `sextant advise`: models to change to, the certainty of each change, and how to become certain. */
import { Console, Effect, Option, Schema } from "effect"
import { Command } from "effect/cli"
import { adviceWords } from "../../../packages/dashboard/src/AdviceSection.ts"
import { retiringWords } from "../../../packages/dashboard/src/RetirementCard.ts"
import { SextantClient } from "../../client/Client.ts"
import { AdviceResponse } from "../../domain/reports/Advice.ts"
import { escapedLine, escapedTexts } from "../../domain/text/HiddenCharacters.ts"
import { counted } from "../../domain/text/Words.ts"
import { Reports } from "../../reports/Reports.ts"
import { switchFlag } from "./Flags.ts"
import { readFrom, sourceFlags, windowFlags } from "./ReportSource.ts"

const noneWords = ({ n, nKinds }: AdviceResponse): string =>
  n === 0
    ? "No call of this account is in the window. `sextant keys list` shows the accounts that have a key."
    : `Nothing to change is in sight: ${counted(n, "call")} of ${counted(nKinds, "kind")} of task. Verdicts `
      + "and costs of calls, reported to POST /v1/feedback, show more."

/** Writes the retiring models and then the advice, for a terminal. */
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
  ({ days, isJson, namespace, ...source }) =>
    Effect.gen(function*() {
      const asked = Option.getOrNull(namespace)
      const found = yield* readFrom(
        source,
        (accountId) => Reports.use(({ advice }) => advice({ accountId, days, namespace: asked })),
        SextantClient.use(({ advice }) => advice({ days, ...(asked === null ? {} : { namespace: asked }) }))
      )
      const encoded = yield* Schema.encodeEffect(AdviceResponse)(found)
      yield* Console.log(
        isJson ? escapedLine(JSON.stringify(encoded)) : textOf(found, escapedTexts(encoded))
      )
    })
)
