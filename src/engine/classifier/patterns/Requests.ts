/** Words and patterns by which rules tell a request from content. */

/** Words that open a request. */
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
/** Courtesy before the word that opens a request. */
export const lead = /^(?:(?:please|pls|plz|kindly|now|then|next|just|also|ok|bitte|por favor|s'il (?:te|vous) plaît)[\s,]+|(?:can|could|would|will) (?:you|u|we|someone) (?:please |kindly |pls |plz |help me (?:to )?)?|i (?:want|need|would like|'d like)(?: you)? to |i'd like (?:you )?to |help me (?:to )?|your (?:task|job) is to |let'?s )/i
/** The word with which each courtesy begins, in lower case. */
export const leadWords = new Set(
  "please pls plz kindly now then next just also ok bitte por s'il can could would will i i'd help your let's lets".split(" ")
)
/** A label before a request. */
export const label = /^\W{0,4}(?:question|q|instructions?|task|user|query|request|todo|problem|prompt|goal|aufgabe|frage|pregunta|tarea|вопрос|问题|任务)\s?\d{0,2}\s?[:：]/i
/** A label before content. */
export const contentLabel = /^\W{0,4}(?:context|article|passage|document|text|input|data|content|email|review|transcript|source|background|story|paragraph|log|output|snippet|example|note|abstract|title|message|body|tools?|functions?)\s?\d{0,3}\s?[:：]/i
/** A word that names a kind of work. */
export const taskWord = /\b(?:summar|translat|extract|classif|categor|sentiment|function|script|story|poem|answer|question|keyword|concept|paraphras|rewrite|tl;?dr|essay|email|code|entities|label|bug|regex|sql)|翻译|总结|摘要|写|提取|分类|请|翻訳|要約|書|번역|요약/i
/** The opening of a question. */
export const questionStart = /^\W{0,3}(?:what|which|who|whom|whose|when|where|why|how|is|are|was|were|do|does|did|can|could|should|would|will)\b/i
/** Opens with a word of `verbs` that a text opens with as often as a request does, or with a label. */
export const opensContent = /^\W{0,3}(?:(?:in|from|of|between|based|given|if)\b|\w+\s?:)/i
/** Opens like data or code. */
export const notProse = /^\s*(?:[{}[\]|<>"“«]|at |\d{4}-|\[|import |from \w+ import|def |const |let |var |function |class |#include|public |return\b|SELECT\b.{0,40}\bFROM\b)/
