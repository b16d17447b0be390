/** Patterns of a request for work on a text, and of where that text begins. */

const anyOf = (...parts: ReadonlyArray<string>): string => `(?:${parts.join("|")})`

/** What a text is called that a request is about. */
const textName = anyOf(
  "conversations?", "chats?(?: (?:history|log))?", "dialog(?:ue)?s?", "transcripts?", "threads?(?![- ]safe)", "messages?", "e-?mails?", "texts?", "paragraphs?", "sentences?", "passages?",
  "articles?", "documents?", "reviews?", "comments?", "posts?", "tweets?", "tickets?", "prompts?", "quer(?:y|ies)", "utterances?", "inputs?", "requests?", "questions?", "notes?",
  "snippets?", "excerpts?", "statements?", "claims?", "abstracts?", "phrases?", "headlines?", "feedback", "user (?:input|turn)"
)
/** That a text is at hand: this one, the following, the user's. */
const given = `${anyOf("this", "these", "that", "the (?:following|above|below|given|provided|attached|quoted|next|user'?s?|customer'?s?|last|first)", "following", "the", "each", "my", "(?:user|customer)'?s?")}(?: [\\w'-]+){0,2}? ${textName}\\b`
/** What is called a request: an answer to one is what it asks for. */
const asking = `(?:(?!${textName}\\b)[\\w'-]+ ){0,3}${anyOf("prompts?", "quer(?:y|ies)", "inputs?", "requests?", "questions?", "users?'?s? (?:\\w+ )?(?:message|input|turn)")}\\b`
/** Work on a text that does not do what the text asks for. */
const work = anyOf(
  `(?:title|headline|heading|name|subject(?: line)?|labels?|tags?|keywords?|hashtags?|topics?|categor(?:y|ies)|summary|tl;?dr|emojis?|follow-?up questions?|search quer(?:y|ies))\\b`,
  "(?:classif|categori[sz]|label|tag|summari[sz]|translat|proofread|paraphras|rephras|reword|rewrit|shorten|condens|extract|transcrib|spell-?check|detect|moderat)\\w*", "(?:fix|correct|check)\\b.{0,30}\\b(?:spelling|grammar|typos?|punctuation)", "count\\b.{0,20}\\b(?:words|characters|sentences)", "how many (?:words|characters|sentences|letters)",
  "(?:intent|language|sentiment|tone|polarity|urgency|priority) of\\b", "(?:what|which) (?:is the )?(?:language|intent|topic|sentiment|tone)\\b",
  `(?<!\\b(?:not|never|don't) )(?:repl(?:y|ies)|respond|response|answer|write back) (?:\\w+ )?to\\b(?! ${asking})`, `(?:is|are|does|do|did|was) (?:this|the|these|each)\\b.{0,30}?\\b${textName}\\b`, `(?:rate|score|grade|rank)\\b`
)
/** A sentence that asks for an answer to what is called a request. */
const answers = `\\W{0,4}(?:(?:please|now|then) )*(?:repl(?:y|ies)|respond|answer|(?:give|provide|write) (?:an? |the |your )?(?:\\w+ )?(?:answer|response|reply))\\b(?: \\w+)?(?: to)? ${asking}`
/** Such a sentence, or a label, before the request itself. */
export const beforeRequest = new RegExp(`^(?:${answers}[^:\\n]{0,30}|(?:question|problem|task)):\\s*`, "i")
/** A sentence that asks for work on a text that is at hand: `work` and the text's name, in either order. */
export const workOnText = new RegExp(`^(?!${answers})(?=.{0,200}\\b${work})(?=.{0,200}\\b${given})`, "i")
/** The same of the last line, where it says that the text is this one, or stands above. */
export const workOnThisAbove = new RegExp(`^(?!${answers})(?=.{0,200}\\b${work})(?=.{0,200}\\b(?:(?:this|these|above|preceding|previous) (?:[\\w'-]+ ){0,2}${textName}|${textName} (?:above|before))\\b)`, "i")
/** A last line that asks for a title or a summary, below a text that it need not name. */
export const titleAbove = /^(?:generate|create|suggest|write|give|provide) (?:an? |the )?(?:[\w'-]+ ){0,2}(?:title|headline|tags|keywords|summary|name)\b/i
/** The colon or line feed behind which the text begins; not a colon before a choice of short answers. */
export const beginsBehind = /[:：](?!(?: ?[\w'-]+(?: [\w'-]+)?(?:,(?: or| and)?| or| ?\/)){1,6} ?[\w'-]+(?: [\w'-]+)? ?[.?:;)\n])\s|\n/
/** A block in tags that is named after a text. */
export const textTag = /<((?:chat|message|conversation)[-_]?(?:history|log)|conversation|dialogue|transcript|documents?|article|context|sources?|passage|e-?mail|logs?|text|data|content)\b[^<>]{0,120}>/gi
