/* Bundles the script of a page for browsers. */
import { build } from "rolldown"

/** Writes `input` and all that it imports as one file. */
export const bundle = (input: string, file: string) =>
  build({ input, platform: "browser", output: { file, format: "esm", minify: true }, logLevel: "warn" })
