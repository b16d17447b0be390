/* The sections of each tab. */
import { adviceSection } from "./AdviceSection.ts"
import type { Answers } from "./Answers.ts"
import { callsSection } from "./CallsSection.ts"
import { comparisonSection } from "./ComparisonSection.ts"
import { coverageSection } from "./CoverageSection.ts"
import type { Element } from "./Element.ts"
import { firstScreen } from "./FirstScreen.ts"
import { guaranteeSection } from "./GuaranteeSection.ts"
import { judgesSection } from "./JudgesSection.ts"
import { modelsSection } from "./ModelsSection.ts"
import { policiesSection } from "./PoliciesSection.ts"
import { retirementSection } from "./RetirementCard.ts"
import { driftSection, reliabilitySection } from "./ReliabilitySection.ts"
import type { Tab } from "./Selection.ts"
import { shadowSection } from "./ShadowSection.ts"
import { speedSection } from "./SpeedSection.ts"
import { taskSection } from "./TaskSection.ts"
import { verdictsSection } from "./VerdictsSection.ts"

const sections: { readonly [T in Tab]: ReadonlyArray<(answers: Answers) => Element | null> } = {
  "": [],
  quality: [
    comparisonSection, guaranteeSection, taskSection, coverageSection, reliabilitySection, driftSection,
    judgesSection, verdictsSection
  ],
  models: [retirementSection, speedSection, modelsSection],
  decisions: [callsSection],
  "what-if": [policiesSection, adviceSection, shadowSection]
}

/** The sections of a tab, or those of the first screen if the window has no decision. */
export const tabSections = (answers: Answers, tab: Tab): ReadonlyArray<Element> =>
  tab === "" || answers.calibration.health.recommendations === 0
    ? firstScreen(answers)
    : sections[tab].flatMap((section) => section(answers) ?? [])
