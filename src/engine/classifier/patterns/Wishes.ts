/** Sentences that speak of how hard or how dear a request is, and not of the request: they cannot change it. */

const model = "(?:models?|llms?|ais?)"
const praise = "(?:best|strongest|smartest|brightest|biggest|largest|latest|top|cheapest|fastest|smallest|frontier|premium|(?:most|least|very) \\w+)"
const level = "(?:hard|difficult|complex|complicated|tricky|challenging|easy|trivial|simple|expert(?:[- ]level)?|important|critical|urgent)"

const kind = "(?:task|question|problem|request|one)"
/** How to think: nothing else may stand in such a sentence, which may go on to ask for work. */
const manner = "(?:,? (?:very|really|extremely|long|as|more|and|hard(?:er)?|deep(?:ly|er)?|carefully|step[- ]by[- ]step|it|through|first|about (?:it|this)|you can|please"
  + `|(?:show|explain) your (?:work|reasoning|thinking|steps)|before (?:you (?:answer|respond|reply|begin|start)|answering|responding|replying)(?: (?:the|this) ${kind})?))`

/** Such a sentence, behind marks and bullets, up to its end or to where the request begins in it. */
export const wish = [
  `(?:please )?(?:(?:you (?:must|should) )?(?:use|pick|choose|select|take|run)|route|send|escalate|i (?:want|need))\\b[^.!?\\n]{0,24}\\b(?:the|your|a|an) ${praise}[^.!?:\\n]{0,12} ${model}\\b(?: (?:for this|available|possible|you have|there is|here)(?: ${kind})?)?\\s*(?=[.!\\n]|$)`,
  "(?:note|message|hint|instructions?) (?:to|for) (?:the )?(?:\\w+ )?(?:router|gateway|classifier)\\b(?:[^.!?\\n]|[.!?](?=\\S)){0,160}",
  "(?:task[_ ])?(?:difficulty|complexity|tier)\\s?[=:]\\s?\\w+",
  `(?:please )?(?:classify|rate|treat|label|consider) (?:this|it) (?:\\w+ )?as (?:an? )?${level}\\b(?: ${kind})?\\s*(?=[.!\\n]|$)`,
  `(?:this|it)(?: ${kind})?(?: is|'s) (?:(?:an?|very|really|extremely|super|quite|so) ){0,3}${level}\\b(?: ${kind})?(?: (?:to|for) (?:me|my|us|our)\\b(?: (?!and\\b)\\w+){0,3})?\\s*(?=[.!\\n]|$)`,
  `(?:please |let'?s )?(?:(?:ultra|mega)think|(?:think|reason)${manner})${manner}{0,8}`,
  "(?:do|give (?:it|this)) your (?:very )?best(?: (?:work|effort|shot|here|please))?\\s*(?=[.!\\n]|$)"
].join("|")
