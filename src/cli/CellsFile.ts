/* The file that names the cells, and the variables of each. */
import { Effect, Schema } from "effect"
import { Flag } from "effect/cli"
import { readFileSync } from "node:fs"
import { refusal } from "./Refusal.ts"

/** The flag that names the file. */
export const cellsFile = Flag.String("file").pipe(
  Flag.withDescription("The cells: a JSON object of each cell's variables, by its name"),
  Flag.withDefault("cells.json")
)

/** The environment of each cell by its name, in the order in which they are served. */
const CellVariables = Schema.Record(
  Schema.String.check(Schema.isPattern(/^[a-z0-9_-]{1,40}$/)),
  Schema.Record(Schema.String.check(Schema.isPattern(/^[A-Z][A-Z0-9_]*$/)), Schema.String)
)

export type CellVariables = typeof CellVariables.Type

/** The cells that a file names; fails where there is none. */
export const cellsIn = (path: string) =>
  Effect.try(() => readFileSync(path, "utf8")).pipe(
    Effect.flatMap(Schema.decodeUnknownEffect(Schema.fromJsonString(CellVariables))),
    // What the decoder says may repeat a value, and a URL has a password.
    Effect.mapError(() => refusal(
      `${path} is no file of cells: {"eu_1": {"DATABASE_URL_FILE": "/secrets/eu_1/url"}, …}`
    )),
    Effect.filterOrFail((cells) => Object.keys(cells).length > 0, () => refusal(`${path} names no cell`))
  )

/** The service's variables of this process: a cell has its own alone, or it would use another's database. */
export const withoutOurs = () =>
  Object.fromEntries(Object.keys(process.env).filter((name) => /^(?:DATABASE|SEXTANT)_/.test(name))
    .map((name) => [name, undefined]))
