/** Words and patterns that distinguish a request from content, such as the text that the request is about. */


export const verbs = new Set((
  "write create make build implement generate design develop code program fix debug refactor optimize optimise explain describe "
  + "summarize summarise sum condense shorten compress recap outline extract list find identify get pull give show tell return "
  + "collect locate pick highlight spot parse name answer solve calculate compute determine prove derive evaluate simplify count "
  + "estimate translate render convert classify categorize categorise label tag rate rank sort order assign decide judge detect "
  + "compare choose select complete fill continue finish compose draft imagine invent tell pretend brainstorm suggest recommend "
  + "plan schedule book send set turn open close play remind call search look fetch check run execute query use read consider "
  + "rewrite rephrase paraphrase reword edit proofread correct improve polish format reformat reply respond change replace remove "
  + "add merge split analyze analyse assess review discuss predict guess verify test draw print define state organize arrange "
  + "map match mark note copy quote provide prepare put order buy cancel delete update start stop switch dim lock navigate "
  + "based given using between in from of what which who whom whose when where why how is are was were do does did can could would will should if "
  + "schreibe schreib übersetze fasse nenne erkläre finde berechne ordne klassifiziere erstelle gib liste welche welcher was wer wie wann wo warum "
  + "escribe traduce resume extrae explica calcula clasifica haz dame qué cuál cómo quién cuándo dónde encuentra genera "
  + "écris traduis résume extrais explique calcule classe donne trouve quel quelle quels comment pourquoi qui génère fais liste "
  + "scrivi traduci riassumi estrai spiega calcola classifica trova quale chi come perché escreva traduza resuma extraia explique calcule classifique "
  + "schrijf vertaal vat noem bereken skriv oversæt översätt напиши переведи кратко найди извлеки реши классифицируй кто что napisz przetłumacz streść"
).split(" "))
/** Courtesy before the first word of a request. */
export const lead = /^(?:(?:please|pls|plz|kindly|now|then|next|just|also|ok|bitte|por favor|s'il (?:te|vous) plaît)[\s,]+|(?:can|could|would|will) (?:you|u|we|someone) (?:please |kindly |pls |plz |help me (?:to )?)?|i (?:want|need|would like|'d like)(?: you)? to |i'd like (?:you )?to |help me (?:to )?|your (?:task|job) is to |let'?s )/i
export const leadWords = new Set(
  "please pls plz kindly now then next just also ok bitte por s'il can could would will i i'd help your let's lets".split(" ")
)
/** Matches a label that stands before a request. */
export const label = /^\W{0,4}(?:question|q|instructions?|task|user|query|request|todo|problem|prompt|goal|aufgabe|frage|pregunta|tarea|вопрос|问题|任务)\s?\d{0,2}\s?[:：]/i
export const contentLabel = /^\W{0,4}(?:context|article|passage|document|text|input|data|content|email|review|transcript|source|background|story|paragraph|log|output|snippet|example|note|abstract|title|message|body|tools?|functions?)\s?\d{0,3}\s?[:：]/i
export const taskWord = /\b(?:summar|translat|extract|classif|categor|sentiment|function|script|story|poem|answer|question|keyword|concept|paraphras|rewrite|tl;?dr|essay|email|code|entities|label|bug|regex|sql)|翻译|总结|摘要|写|提取|分类|请|翻訳|要約|書|번역|요약/i
export const questionStart = /^\W{0,3}(?:what|which|who|whom|whose|when|where|why|how|is|are|was|were|do|does|did|can|could|should|would|will)\b/i
/** A beginning that is as frequent in content as in requests: a label, or a word such as "In" or "Given". */
export const opensContent = /^\W{0,3}(?:(?:in|from|of|between|based|given|if)\b|\w+\s?:)/i
export const notProse = /^\s*(?:[{}[\]|<>"“«]|at |\d{4}-|\[|import |from \w+ import|def |const |let |var |function |class |#include|public |return\b|SELECT\b.{0,40}\bFROM\b)/

// -- Work on a text: the request for it, and the beginning of that text.

const anyOf = (...parts: ReadonlyArray<string>): string => `(?:${parts.join("|")})`

/** Names of a text that a request is about. */
const textName = anyOf(
  "conversations?", "chats?(?: (?:history|log))?", "dialog(?:ue)?s?", "transcripts?", "threads?(?![- ]safe)", "messages?", "e-?mails?", "texts?", "paragraphs?", "sentences?", "passages?",
  "articles?", "documents?", "reviews?", "comments?", "posts?", "tweets?", "tickets?", "prompts?", "quer(?:y|ies)", "utterances?", "inputs?", "requests?", "questions?", "notes?",
  "snippets?", "excerpts?", "statements?", "claims?", "abstracts?", "phrases?", "headlines?", "feedback", "user (?:input|turn)"
)
/** Words that refer to a given text: "this email", "the following text", "the user's message". */
const given = `${anyOf("this", "these", "that", "the (?:following|above|below|given|provided|attached|quoted|next|user'?s?|customer'?s?|last|first)", "following", "the", "each", "my", "(?:user|customer)'?s?")}(?: [\\w'-]+){0,2}? ${textName}\\b`
/** Names of a text that asks for an answer, for example a prompt. */
const asking = `(?:(?!${textName}\\b)[\\w'-]+ ){0,3}${anyOf("prompts?", "quer(?:y|ies)", "inputs?", "requests?", "questions?", "users?'?s? (?:\\w+ )?(?:message|input|turn)")}\\b`
/** Kinds of work on a text, for example a title, that do not do what the text itself asks for. */
const work = anyOf(
  `(?:title|headline|heading|name|subject(?: line)?|labels?|tags?|keywords?|hashtags?|topics?|categor(?:y|ies)|summary|tl;?dr|emojis?|follow-?up questions?|search quer(?:y|ies))\\b`,
  "(?:classif|categori[sz]|label|tag|summari[sz]|translat|proofread|paraphras|rephras|reword|rewrit|shorten|condens|extract|transcrib|spell-?check|detect|moderat)\\w*", "(?:fix|correct|check)\\b.{0,30}\\b(?:spelling|grammar|typos?|punctuation)", "count\\b.{0,20}\\b(?:words|characters|sentences)", "how many (?:words|characters|sentences|letters)",
  "(?:intent|language|sentiment|tone|polarity|urgency|priority) of\\b", "(?:what|which) (?:is the )?(?:language|intent|topic|sentiment|tone)\\b",
  `(?<!\\b(?:not|never|don't) )(?:repl(?:y|ies)|respond|response|answer|write back) (?:\\w+ )?to\\b(?! ${asking})`, `(?:is|are|does|do|did|was) (?:this|the|these|each)\\b.{0,30}?\\b${textName}\\b`, `(?:rate|score|grade|rank)\\b`
)
/** A request to answer another text, which itself asks for an answer. */
const answers = `\\W{0,4}(?:(?:please|now|then) )*(?:repl(?:y|ies)|respond|answer|(?:give|provide|write) (?:an? |the |your )?(?:\\w+ )?(?:answer|response|reply))\\b(?: \\w+)?(?: to)? ${asking}`
/** What may stand before the actual request: a request to answer the following text, or a label. */
export const beforeRequest = new RegExp(`^(?:${answers}[^:\\n]{0,30}|(?:question|problem|task)):\\s*`, "i")
/** Asks for work on a given text; the words for the work and for the text may stand in either order. */
export const workOnText = new RegExp(`^(?=.{0,200}?\\b${given})(?=.{0,200}?\\b${work})(?!${answers})`, "i")
/** A last line that asks for work on "this" text or a text "above". */
export const workOnThisAbove = new RegExp(`^(?=.{0,200}?\\b(?:(?:this|these|above|preceding|previous) (?:[\\w'-]+ ){0,2}${textName}|${textName} (?:above|before))\\b)(?=.{0,200}?\\b${work})(?!${answers})`, "i")
/** A last line that asks for a title, a summary or the like, even if it does not name the text above. */
export const titleAbove = /^(?:generate|create|suggest|write|give|provide) (?:an? |the )?(?:[\w'-]+ ){0,2}(?:title|headline|tags|keywords|summary|name)\b/i
/** The colon or line feed between a request and its text, but not a colon before short choices. */
export const beginsBehind = /[:：](?!(?: ?[\w'-]+(?: [\w'-]+)?(?:,(?: or| and)?| or| ?\/)){1,6} ?[\w'-]+(?: [\w'-]+)? ?[.?:;)\n])\s|\n/
/** The opening tag of a block that is named after a kind of text. */
export const textTag = /<((?:chat|message|conversation)[-_]?(?:history|log)|conversation|dialogue|transcript|documents?|article|context|sources?|passage|e-?mail|logs?|text|data|content)\b[^<>]{0,120}>/gi
