/*
 * Where exporters of OpenTelemetry send: OTLP/HTTP, whose bodies its own specification defines. It is no part
 * of the API's document, which describes plain JSON.
 */
import { Context } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { Authorization, NeededRight } from "./Authorization.ts"

const needed = Context.make(NeededRight, "use")

class OtlpGroup extends HttpApiGroup.make("otlp")
  .add(
    HttpApiEndpoint.post("traces", "/traces").annotateMerge(needed),
    HttpApiEndpoint.post("logs", "/logs").annotateMerge(needed)
  )
  .middleware(Authorization)
{}

export class OtlpApi extends HttpApi.make("otlp").add(OtlpGroup).prefix("/v1/otlp/v1") {}
