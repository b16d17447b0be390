/* Serves the dashboard's page and its files at `/dashboard`. */
import { Layer } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { join } from "node:path"
import * as Pages from "./Pages.ts"

export const dashboardPath = "/dashboard"
export const faviconPath = "/favicon.ico"

/** The folder into which `npm run dashboard` writes the bundle. */
const bundleDirectory = join(import.meta.dirname, "../../packages/dashboard/bundle")

const noFavicon = HttpServerResponse.empty({ status: 204, headers: { "cache-control": "max-age=86400" } })

export const layer = (directory: string = bundleDirectory) =>
  Layer.merge(
    Pages.layer(dashboardPath, directory, { title: "Dashboard", script: "dashboard" }),
    HttpRouter.add("GET", faviconPath, noFavicon)
  )
