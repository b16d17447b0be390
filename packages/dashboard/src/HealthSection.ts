/* The models that cannot be called now, one line each. */
import type { Answers } from "./Answers.ts"
import { element, type Element, section } from "./Element.ts"
import { counted } from "./Figures.ts"

/** Null where every model can be called. */
export const healthSection = ({ health }: Pick<Answers, "health">): Element | null => {
  const unhealthy = (health?.models ?? []).filter((each) => !each.is_healthy)
  if (unhealthy.length === 0) return null
  return section(
    "health",
    "Models that cannot be called",
    element("ul", { class: "plain" }, ...unhealthy.map(({ calls, failures, model_id: id, provider }) =>
      element("li", {}, `${id ?? `All of ${provider}`}: ${failures} of ${counted(calls, "call")} failed. `
        + "Recommendations pass it by, where another model can run.")))
  )
}
