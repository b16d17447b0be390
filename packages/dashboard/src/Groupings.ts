/* The groupings of spending. */
import { namespaceOf } from "../../../src/domain/LaneName.ts"
import type { Grouping } from "./Answers.ts"

interface GroupingWords {
  readonly name: string
  /** The URL parameter that selects one namespace, tag or user. */
  readonly field: string
  readonly of: (key: string) => string
  readonly none: string
}

export const groupings: { readonly [By in Grouping]: GroupingWords } = {
  lane: { name: "namespace", field: "namespace", of: namespaceOf, none: "all others" },
  tag: { name: "tag", field: "tag", of: (key) => key, none: "no tag" },
  user_id: { name: "user", field: "user", of: (key) => key, none: "no user" }
}
