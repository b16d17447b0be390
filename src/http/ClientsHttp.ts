/* Serves the clients of this version at `/clients`, as archives that npm and pip can install from a URL. */
import { Effect } from "effect"
import { HttpRouter, ProblemDetails } from "effect/http"
import { basename, join } from "node:path"
import { version } from "../domain/Version.ts"
import { assetsOf, serveAsset } from "./Assets.ts"

export const clientPaths = {
  npm: `/clients/sextant-client-${version}.tgz`,
  pip: `/clients/sextant_client-${version}-py3-none-any.whl`
} as const

/** The folder into which `npm run clients` writes the archives. */
const archivesDirectory = join(import.meta.dirname, "../../clients/archives")

const notBuilt = ProblemDetails.toResponse({
  type: ProblemDetails.blankType,
  title: "Clients not packed",
  status: 503,
  detail: "The clients' archives are missing; to make them, run `npm run clients` in Sextant's directory"
})

/** Reads the archives of the client packages once, and serves them without a key. */
export const layer = (directory: string = archivesDirectory) =>
  HttpRouter.use(Effect.fnUntraced(function*(router) {
    const assets = assetsOf(directory)
    for (const path of Object.values(clientPaths)) {
      const asset = assets.get(basename(path))
      yield* router.add("GET", path, asset === undefined
        ? notBuilt
        : serveAsset(asset, { "cache-control": "public, no-cache" }))
    }
  }))
