/* The OTLP/HTTP endpoints, which are not in the API's document, because OTLP specifies the bodies. */
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
