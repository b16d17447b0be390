/** Sentences that speak of how hard or how dear a request is, and not of the request: they cannot change it. */

const model = "(?:models?|llms?|ais?)"
const praise = "(?:best|strongest|smartest|brightest|biggest|largest|latest|top|cheapest|fastest|smallest|frontier|premium|(?:most|least|very) \\w+)"
const level = "(?:hard|difficult|complex|complicated|tricky|challenging|easy|trivial|simple|expert(?:[- ]level)?|important|critical|urgent)"

/** How such a sentence begins, behind marks and bullets; of some also how it ends. */
export const wish = [
  `(?:please )?(?:(?:you (?:must|should) )?(?:use|pick|choose|select|take|run)|route|send|escalate|i (?:want|need))\\b[^.!?\\n]{0,24}\\b(?:the|your|a|an) ${praise}[^.!?:\\n]{0,12} ${model}\\b(?: (?:for this|available|possible|you have|there is|here)(?: (?:one|task|question|request))?)?\\s*(?=[.!\\n]|$)`,
  "(?:note|message|hint|instructions?) (?:to|for) (?:the )?(?:\\w+ )?(?:router|gateway|classifier)\\b",
  `(?:task[_ ])?(?:difficulty|complexity|tier)\\s?[=:]\\s?\\w+\\s*(?=[.,!\\n]|$)`,
  `(?:please )?(?:classify|rate|treat|label|consider) (?:this|it) (?:\\w+ )?as (?:an? )?${level}\\b[^.!?:\\n]{0,20}(?=[.!\\n]|$)`,
  `(?:this|it)(?: (?:task|question|problem|request|one))?(?: is|'s) (?:(?:an?|very|really|extremely|super|quite|so) ){0,3}${level}\\b(?: (?:one|task|question|problem|request))?(?: (?:to|for) (?:me|my|us|our)\\b[^.!?:\\n]{0,30})?\\s*(?=[.!\\n]|$)`,
  "(?:please )?(?:think|reason) (?:(?:very|really|extremely|long and|as|more) )?(?:hard(?:er)?|deep(?:ly|er)?|carefully|step|it|about it)\\b", "(?:ultra|mega)think\\b",
  "(?:do|give (?:it|this)) your (?:very )?best\\b[^.!?:\\n]{0,12}(?=[.!\\n]|$)"
].join("|")
