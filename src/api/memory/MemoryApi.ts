/* The HTTP interface of a remote memory, from which server and client are derived. */
import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { AccountId } from "../../domain/Scope.ts"
import { version } from "../../domain/Version.ts"
import { wire } from "../../domain/wire/Wire.ts"
import { Authorization, NeededRight } from "../Authorization.ts"
import { PayloadTooLarge, UnsupportedMediaType } from "../Problems.ts"
import { Validation } from "../Validation.ts"
import {
  DiagnosisAnswer, Endpoint, HealthAnswer, Label, Recalled, Recorded, Reinforced, RemainingMs,
  StrategiesAnswer, Taught
} from "./MemoryAnswers.ts"
import {
  DiagnoseQuery, HealthQuery, NewLesson, Observation, RecallQuery, Reinforcement, StepRewards,
  StrategiesQuery
} from "./MemoryPayloads.ts"

const error = [PayloadTooLarge, UnsupportedMediaType] as const

/** Only the verified key decides the account, so no body names an account. */
class MemoryGroup extends HttpApiGroup.make("memory", { topLevel: true })
  .add(
    HttpApiEndpoint.post("recall", "/recall", { payload: RecallQuery, success: Recalled, error })
      .annotate(NeededRight, "use"),
    HttpApiEndpoint.post("teach", "/teach", { payload: Observation, success: Taught, error })
      .annotate(NeededRight, "use"),
    HttpApiEndpoint.post("reinforce", "/reinforce", { payload: Reinforcement, success: Reinforced, error })
      .annotate(NeededRight, "use"),
    HttpApiEndpoint.post("recordSteps", "/steps", {
      payload: StepRewards,
      success: Recorded,
      error
    }).annotate(NeededRight, "use"),
    HttpApiEndpoint.post("promote", "/lessons", {
      payload: NewLesson,
      success: wire({ lessonId: Label }),
      error
    }).annotate(NeededRight, "use"),
    HttpApiEndpoint.post("strategies", "/strategies", {
      payload: StrategiesQuery,
      success: StrategiesAnswer,
      error
    }).annotate(NeededRight, "read"),
    HttpApiEndpoint.post("diagnose", "/diagnose", {
      payload: DiagnoseQuery,
      success: DiagnosisAnswer,
      error
    }).annotate(NeededRight, "read"),
    HttpApiEndpoint.post("memoryHealth", "/health", { payload: HealthQuery, success: HealthAnswer, error })
      .annotate(NeededRight, "read"),
    /** Verifies the key, and calls the account's memory. */
    HttpApiEndpoint.get("account", "/account", {
      // The role may be any text, because a memory of a later version may know more roles.
      success: wire({
        accountId: AccountId,
        endpoint: Endpoint,
        role: Label,
        remainingMs: Schema.NullOr(RemainingMs)
      })
    }).annotate(NeededRight, "read")
  )
  .middleware(Authorization)
  .prefix("/memory/v1")
  .annotateMerge(OpenApi.annotations({ title: "Memory", description: "One account's outcome history" }))
{}

class LivenessGroup extends HttpApiGroup.make("liveness", { topLevel: true })
  .add(HttpApiEndpoint.get("alive", "/health", {
    success: wire({ status: Schema.Literals(["ok"]), version: Label })
  }))
{}

export class MemoryApi extends HttpApi.make("sextant-memory")
  .add(MemoryGroup, LivenessGroup)
  .middleware(Validation)
  .annotateMerge(OpenApi.annotations({ title: "Sextant memory", version }))
{}
