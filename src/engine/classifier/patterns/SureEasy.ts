/** Patterns of requests that are surely trivial or easy, in seven languages. */
import { anyOf, at, far, near } from "./Alternatives.ts"

// -- Surely trivial requests: short and everyday, with a short answer.

export const courtesy = at("^", "(?:", anyOf(
  "hi", "hello", "hey", "ok(?:ay)?", "so", "please", "pls", "quick(?: question)?", "just", "kindly", "now", "bitte", "por favor",
  "s'il (?:te|vous) plaît", "请问?", "帮我"
), "[\\s,:;!.-]*(?=\\s|[^\\x00-\\x7f])\\s*|", anyOf(
  "(?:can|could|would|will) (?:you|u) (?:please |kindly )?", "(?:please )?(?:tell|give|show) me (?=what|who|how|when|where|which|the)",
  "do you know ", "i (?:need|want|would like)(?: you)? to (?:know )?", "(?:kannst|könntest) du (?:mir )?", "(?:peux-tu|pouvez-vous) ",
  "(?:puedes|podrías) ", "(?:você )?pode "
), ")")
const greetings = [
  "hi", "hello", "hey", "yo", "good (?:morning|afternoon|evening|night|day)", "thank(?:s| you)(?: so much| a lot| very much| again)?", "thx",
  "(?:good)?bye", "see you(?: later| tomorrow| soon)?", "there", "everyone",
  "how are you(?: doing)?(?: today)?", "what'?s up", "how'?s it going", "nice to meet you", "are you there",
  "have a (?:nice|good|great) (?:day|evening|weekend)", "hallo", "guten (?:morgen|tag|abend)", "gute nacht", "moin", "danke(?: schön| dir| sehr)?",
  "vielen dank", "wie geht(?:'s| es dir)", "tschüss", "bonjour", "bonsoir", "salut", "merci(?: beaucoup)?", "(?:comment )?ça va", "au revoir",
  "hola", "buen[oa]s (?:días|tardes|noches)", "(?:muchas )?gracias", "(?:cómo|qué) (?:estás|tal)", "adiós", "olá", "oi", "bom dia",
  "boa (?:tarde|noite)", "(?:muito )?obrigad[oa]", "tudo bem", "ciao", "grazie", "你好吗?", "您好", "谢谢", "早上好", "再见", "こんにちは",
  "ありがとう(?:ございます)?", "おはよう(?:ございます)?"
]
const utterance = (...words: ReadonlyArray<string>): RegExp => at("^", "(?:", anyOf(...words), "[\\s,.!?¿¡，。！？]*)+$")
/** A remark that asks for no work, even as the last turn of a conversation. */
export const greeting = utterance(...greetings)
/** A remark that asks for no work, except in a later turn, where "ok" may approve of a plan. */
export const smallTalk = utterance(
  ...greetings, "okay", "ok", "cool", "great", "nice", "perfect", "got it", "(?:that|it) work(?:s|ed)(?: now)?", "test", "ping"
)
const number = "[-−]?[$€£]?\\d{1,3}(?:[.,]\\d{1,5})?\\s?%?"
const operator = anyOf(
  "[-+*x×·/÷−^]", "plus", "minus", "times", "(?:divided|multiplied) by", "mal", "geteilt durch", "fois", "por", "vezes", "mais", "menos"
)
const howMuch = anyOf(
  "what(?:'?s| is| are| do)", "how much (?:is|are)", "calculate", "compute", "solve", "add", "sum(?: of)?", "wie ?viel (?:ist|sind)", "was (?:ist|sind)",
  "berechne", "combien (?:font|fait)", "calcule", "cuánto (?:es|son)", "calcula", "quanto (?:é|são)", "计算"
)
export const arithmetic = at("^", `${howMuch}?\\s*`, anyOf(
  `${number}(?:\\s*${operator}\\s*${number}){1,3}`,
  `${number}(?: percent| per cent| prozent| por ciento)?\\s*(?:of|off|von|de|の)\\s*[$€£]?\\d{1,6}`,
  `(?:the )?(?:half|double|twice|a third|a quarter|10%|square root|cube|square|sum|average|mean|product) (?:of )?${number}(?:(?:\\s*,| and|, and)\\s*${number})*`,
  `${number} (?:squared|cubed|rounded to the nearest \\w+)`, `${number}(?:(?:\\s*,| and|, and)\\s*${number})+`
), "\\s*(?:=\\s*\\??|is|make|equal|等于多少|是多少|は)?[\\s?.]*$")
/** The beginning of a question that one word, a name or a figure answers, in seven languages. */
export const closedQuestion = at("^", anyOf(
  "what(?:'?s| is| are| was| were) (?:the|\\d|its)\\b", "what(?:'?s| is) (?:an? )?[\\p{L}\\d-]+[\\s?.]*$", "what(?!'?s\\b| (?:is|are|was|were|if|would|can|could|about|do(?! you call)|did|makes?|happen\\w*|kinds?|sorts?|types?|to)\\b) ",
  "who(?:'?s| \\p{L}+) ", "when(?:'?s| is| was| were| did| does| do) ", "where(?:'?s| is| was| were| are| did| does| do) ", "which ", "(?:in|on|at) (?:what|which) ",
  "how (?:many|much|old|tall|far|big|high|deep|heavy|fast|hot|cold|long (?:is|are|was|does)) ", "(?:true or false|yes or no)", "was (?:ist|heißt|bedeutet|sind die) ", "wer ", "wann ", "wo (?:ist|liegt|sind) ", "welche[rsn]? ",
  "wie (?:viele?|heißt|hoch|alt|groß|schreibt man) ", "(?:quel(?:le)?s?|qui|quand|où|combien|comment s'appelle|est-ce que) ", "¿?(?:cuál|quién|cuándo|dónde|cuánt[oa]s?|qué (?:es|significa|color|día)) ",
  "(?:qual|quem|quando|onde|quant[oa]s?|o que (?:é|significa)) ", "(?:谁|哪)", "[^，。]{1,14}(?:是(?:什么|谁|多少|哪)|在哪|有多少|有几|叫什么|是.{1,4}吗)", ".{1,20}(?:は(?:何|誰|いつ|どこ|いくつ)|とは|の首都)"
))
/** A yes-or-no question in everyday words. */
export const yesOrNo = at("^(?:is|are|was|were|does|do|did|has|have|can (?!i|we|you|u\\b)) (?!i\\b|we\\b|you\\b|u\\b|my\\b|s?he\\b|they\\b|it\\b|our\\b|there )(?:[\\p{L}\\d']{1,10} ){1,7}[\\p{L}\\d']{1,10}\\s*\\?*$")
/** A question that asks for a word, a definition, a fact or a name. */
export const smallWord = at("^(?=.*\\b", anyOf(
  "synonyms?", "antonyms?", "opposite", "plural", "singular", "past (?:tense|participle)", "(?:an?other|the) word for", "mean(?:ing|s)?", "define", "definition",
  "spell", "pronounce", "rhymes? with", "stands? for", "acronym", "abbreviation", "capital", "colou?rs?", "days", "months", "seasons", "planets?", "continents?", "fruits?", "vegetables?", "animals?",
  "countr(?:y|ies)", "cit(?:y|ies)", "names? for"
), ")", anyOf(
  "(?:what(?:'?s| is| are| does)|how do (?:you|i|we)|give|define|definition|meaning|name|find|the|an?|one|two|three|some|list|plural|singular|past|opposite|antonyms?|synonyms?|spell|pronounce|rhymes?) ",
  "[\\p{L}' ]{2,30}\\b(?:meaning|definition|synonyms?|antonyms?|plural|capital)\\b", "(?:capital|plural|colou?r|meaning|definition|past tense|abbreviation) (?:of|for) "
))
const language = anyOf(
  "english", "spanish", "french", "german", "italian", "portuguese", "dutch", "chinese", "mandarin", "japanese", "korean", "russian", "arabic", "hindi", "polish",
  "turkish", "swedish", "norwegian", "danish", "finnish", "greek", "czech", "ukrainian", "(?:auf |ins )?(?:englisch|deutsch|spanisch|französisch|italienisch)e?", "anglais",
  "espagnol", "allemand", "français", "italien", "inglés", "francés", "alemán", "español", "inglês", "francês", "alemão", "espanhol", "[英中日法德西韩葡][语文]", "(?:英|中国|日本|フランス|ドイツ|スペイン|韓国)語"
)
const translation = anyOf(
  `(?:translat\\w+|übersetz\\w*|tradui\\w*|traduc\\w*|traduz\\w*|翻译|訳)[^]*${language}`, `${language}[^]*(?:翻译|訳|言)`,
  `(?:how (?:do|would) (?:you|i|we) (?:say|write)|say|what(?:'?s| is)|wie (?:sagt man|heißt)|was heißt|comment (?:dit-on|dire)|cómo se dice|como se diz)\\s[^]*${language}`,
  `(?:in|to|into|en|em) ${language}\\s*[?:]`, `^\\S[^\\n]{0,60} (?:in|into|auf|en|em) ${language}[\\s?.]*$`, `${language} (?:word )?for\\b`
)
/** Requests for a small change to a short text, or for a quick look at it. */
const glance = anyOf(
  `(?:fix|correct|check|mend|repair|proofread)${near}\\b(?:spelling|typos?|grammar|punctuation|capitali[sz]ation|sentence|word|mistakes?)`,
  "(?:is|are) \\S+ (?:\\S+ )?(?:spelled|spelt|positive|spam|a question|formal|true)\\b", `(?:korrigiere|verbessere|corrige[rz]?|corrija|corrijam?)${near}(?:\\p{L}+)`, "rechtschreib\\w+", "纠正|改正|誤字|直して",
  "(?:upper|lower|title|camel|snake)[ -_]?case", "capitali[sz]e", "in (?:capitals|capital letters|all caps)", "großbuchstaben|majuscules?|mayúsculas|maiúsculas|大写|大文字",
  "reverse (?:the|this|these) (?:word|string|text|letters|list)", "how many (?:letters|vowels|words|characters|syllables|[a-z]'?s) (?:are )?(?:there )?in", "count (?:the )?(?:letters|vowels|words|characters)",
  "(?:alphabeti[sz]e|alphabetical(?:ly)?|in alphabetical order)", "sort (?:these|this|the following)?\\s?(?:numbers|words|names|list)", "positive or negative", "sentiment\\b", "odd one out", `(?:add|remove|delete|put|insert)\\b[^.!?\\n]{0,12}\\b(?:commas?|periods?|full stops?|punctuation|quot(?:es|ation marks)|spaces|duplicates)\\b`, "(?:turn|convert|format|put|make)\\b[^.!?\\n]{0,20}\\b(?:in)?to (?:an? )?(?:json|yaml|csv|bullet(?:s| points?| list)|(?:markdown )?table)\\b", "(?:shorten|simplify|rephrase|reword|paraphrase) (?:this|the|my) (?:sentence|phrase|line|word|title)", "spam or (?:not|ham)",
  `(?:rewrite|rephrase|reword|shorten|make|put|turn)\\b${near}(?:polite(?:ly)?|short(?:er)?|formal(?:ly)?|friendlier|nicer|past tense|plural|a question|passive|one word)`,
  `(?:extract|find|pull(?: out)?|get|give|what is|which)\\b${near}(?:e-?mail|date|phone|price|year|name|city|number)(?: (?:number|address|code))?s?\\b(?: \\w+)?(?:,? …|${near}\\b(?:from|in|of) (?:this|the|it|…))`,
  "(?:summari[sz]e|sum up|shorten|condense|cut)\\b[^.!?\\n]{0,20}\\b(?:one|a single|\\d|three|four|five) (?:sentence|line|words?)", "repeat (?:after me|the word)", "(?:finish|complete) (?:the|this) (?:sentence|phrase|proverb)"
)
const unit = anyOf(
  "(?:kilo|centi|milli)?met(?:er|re)s?", "k?m", "[cm]m", "miles?", "mi", "inch(?:es)?", "feet", "foot", "ft", "yards?", "(?:kilo|milli)?grams?", "k?g", "kilos?", "lbs?", "pounds?", "oz", "ounces?",
  "(?:milli)?lit(?:er|re)s?", "ml", "gallons?", "cups?", "pints?", "(?:table|tea)spoons?", "(?:degrees? )?(?:celsius|fahrenheit|kelvin)", "°?[cf]", "hours?", "minutes?", "mins?", "seconds?", "days?", "weeks?",
  "months?", "years?", "decades?", "mph", "km/h", "kph", "[kmgt]i?b", "(?:kilo|mega|giga|tera)?bytes?", "dozens?", "acres?", "hectares?", "kilometer", "meilen", "stunden", "minuten", "heures?", "horas?", "minutos?", "公里|英里|公斤|磅"
)
export const conversion = at(anyOf("^", "\\s"), "(?:", anyOf(
  `(?:\\d[\\d.,]*|an?|one|half an?)\\s?${unit} (?:to|into|in|nach|en|em|is how many|=) (?:\\?|how many )?${unit}`,
  `(?:how many|wie viele|combien de|cuánt[oa]s|quant[oa]s) ${unit} (?:are |is |sind |hat |has |hay |há |y a-t-il )?(?:there )?(?:in|en|dans|em|eine?|une?)\\b`, `\\d[\\d.,]*\\s?${unit}(?:是|等于)多少`
), ")(?=$|\\W)")
/** Requests for a line of code or a command that every programmer knows. */
const tinyCode = anyOf(
  `rename (?:the |this |my |an? )?(?:(?:variable|function|method|column|class|field|constant|file|property|parameter)\\b|\\S+ to )`, `(?:umbenennen|renombra|renomme|renomeie|重命名)`, `(?:regex|regexp|regular expression|正则表达式|正規表現)\\b${far}(?:dates?|e-?mail|phone|zip|postcode|url|digits?|number|ip|hex|日期|数字|日付|datum|fecha)`,
  `(?:command|one-?liner|shell|bash|linux|unix|terminal|git|powershell|vim|nano|zsh|befehl|comando|commande|命令|コマンド)\\b${far}\\b(?:list|count|delet|remov|find|cop(?:y|ies)|mov(?:e|ing)|show|print|undo|exit|quit|creat|stop|unzip|rename|go up|see|search)`,
  `(?:list|count|delete|remove|find|copy|move|show|print|undo|exit|quit|create|unzip|rename|search)\\b${far}\\b(?:command|one-?liner|shell|bash|linux|unix|terminal|git|powershell|vim|last commit|ls|grep|sed|awk)\\b`,
  "hello,? world", "(?:for|while) loop\\b", "functions? (?:that|to|which) (?:adds?|multipl(?:y|ies)|sums?|subtracts?) two numbers", "reverses? a string", `print (?:the )?numbers from \\d+ to \\d+`, `(?:reverse|lowercase|uppercase|sum|sort|length of|loop over|iterate over|swap)\\b${near}\\b(?:string|list|array|two variables)s? in \\w+`,
  `check (?:if|whether)${near}\\b(?:even|odd|empty|null)\\b`, "select (?:all|everything|\\*)\\b", "(?:http )?status code \\d{3}|http \\d{3}\\b|port (?:of|for|does) (?:http|ssh|ftp|dns|smtp|https)", "hex (?:code|colou?r)", "(?:bold|center|centre)\\b.*\\b(?:html|css)|(?:html|css)\\b.*\\b(?:bold|link|center|centre)"
)
export const lightTouch = at("^", anyOf(
  "tell (?:me )?(?:a|another) (?:\\w+ )?joke", "(?:suggest|give|pick|name|list|choose|think of)(?: me)? (?:an?|one|two|three|four|five|[1-7]|some|the)(?: \\p{L}+){1,3} ?(?:for (?:an?|my) (?:\\p{L}+ ?){1,3})?[.?!]*$", "flip a coin|roll a d(?:ie|ice)|(?:pick|choose|give me|generate) a (?:random )?number",
  `(?:write|give me|make)\\b${near}\\b(?:one[- ](?:line|sentence)|short|happy birthday|birthday|thank[- ]you|get[- ]well|out[- ]of[- ]office)\\b${near}\\b(?:message|note|wish|greeting|card|reply)`
))
export const onShortText = at(anyOf("^", "[\\s\"“«「（(]", "(?=[^\\x00-\\u2fff])"), anyOf(translation, glance, tinyCode))
/** A request with one of these words is not trivial: words for an explanation, advice or a longer work. */
export const notTrivial = at("", anyOf(
  "\\b(?:prove|proof|theorem|lemma|conjecture|hypothesis|deriv\\w+|why|explain|analy[sz]\\w+|compar\\w+|differences?|design|architect\\w*|implement\\w*|debug|optimi[sz]\\w+|essay|article|poem|sonnet|lyrics|strateg\\w+|step[- ]by[- ]step|integrals?|limit of|probabilit\\w+|matri\\w+|eigen\\w*|polynomial|differential|algorithms?|complexity|quantum|legal\\w*|contracts?|clauses?|diagnos\\w+|dos(?:e|age)|tax(?:es)?|research|thesis|plan|best|better|optimal|should|recommend\\w*|advantages?|pros and cons|causes?|effects?|implications?|significance|purpose|ethic\\w*|consciousness|meaning of life|legacy|codebase|race condition|beweis\\w*|warum|erklär\\w*|unterschied|pourquoi|expliqu\\w+|différence|por ?qu[eé]|explica|explique|diferen\\w+|idioms?|rhyming|literary|safe|healthy|interact\\w*|exactly|ever|every|without|constraints?|attached|bundle|upload|settled|weather|latest|news|today|think|happen\\w*|recipe|groups?|rings?|digits? of (?:pi|e)|np|manifolds?|topolog\\w+|metric|riemann|goldbach|collatz|bugs?|leak\\w*|co-?prime|mod(?:ulo)?|(?:un)?decidable|cancer\\w*|medi[ck]a\\w+|symptom\\w*|pregnan\\w+|yesterday|tonight|across|throughout|repositor\\w*|nested|capital gains|comes next|databases?|frameworks?|librar(?:y|ies)|stocks?|investments?|worth|vaccin\\w*|toddlers?|infants?|mill?igram\\w*|probate|copyright|crimes?|\\p{L}*steuern?|odds|determinants?|sorting|parameters?|churn|deadline|rfc|how many (?:ways|integers|permutations|combinations|subsets|paths|solutions|divisors)|write (?:an? )?(?:\\w+ )?(?:function|program|script|class)(?!\\w* (?:that|to|which) (?:adds?|multipl\\w+|sums?|subtracts?|reverses?|prints?)\\b))\\b",
  "^[{[]|\\w_\\w|\\^\\s*\\d{2,}|为什么|解释|证明|区别|なぜ|説明|違い|証明|```|\\\\[a-z]{2,}|\\$[^$]*[\\\\^_][^$]*\\$"
))
/** Words that refer to a text that stands before the request. */
export const beforeIt = /\b(?:this|that|it|these|those|them|above|the (?:last|previous))\b/iu
/** Words that refer to a subject outside the request ("in my"). */
export const absent = /\b(?:in|on|of|from|with) (?:my|our|this|these|those)\b/iu
export const options = /(?:^|\n)\s*\(?[A-Da-d1-4][.):]\s/
/** Quoted text, and text after a colon, which do not count as words of the request. */
export const content = /["“«「『][^"”»」』]*["”»」』]?|(?<=^|\s)'[^'\n]+'(?=\W|$)|:\s[^]*$/gu

// -- Surely easy requests: the answer is short and takes no special knowledge.

const [modest, writes] = [
  anyOf("short", "brief", "quick", "polite", "friendly", "kind", "nice", "simple", "little", "one[- ](?:line|sentence)"),
  "(?:(?:write|draft|compose|give|make|send|suggest|create|need|generate|propose|come up with|think of|find|brainstorm)\\b(?: me| us| up| out)?)"
]
/** Requests for a few everyday lines, a name or ideas, and questions of general knowledge. */
export const easyWork = at("^", anyOf(
  `(?:${writes} )?(?:(?:an?|the|one|my|\\d{1,2}|some|three|five|ten)\\b )?${near}\\b${modest}\\b${near}\\b(?:repl(?:y|ies)|response|answer|e-?mail|message|note|letter|invitation|reminder|post|tweet|caption|bio|poem|slogan|toast|greeting|card|apology)\\b`,
  `${writes} ${near}\\b(?:names?|titles?|headlines?|slogans?|taglines?|captions?|hashtags?|ideas?|(?:haikus?|limericks?)(?! (?:generator|app|bot|script|api))|tweets?|product descriptions?|birthday|thank[- ]you|out[- ]of[- ]office|recipes?|(?:shopping|packing|to-?do) list)\\b`,
  `(?:schreibe?|verfasse?|formuliere?|escribe|redacta|écri[sv]\\p{L}*|rédige[rz]?|escreva|写|請?寫)${near}(?:kurz|nett|höflich|cort[oa]|breve|amable|courte?|bref|poli|curt[oa]|educad[oa]|简短|短|礼貌)${near}(?:nachricht|einladung|e?-?mail|antwort|notiz|gruß|mensaje|correo|nota|respuesta|invitación|message|mot|réponse|courriel|invitation|mensagem|resposta|convite|消息|回复|邮件|短信)`,
  `(?:escribe|redacta|écri[sv]\\p{L}*|rédige[rz]?|escreva)${near}(?:mensaje|correo|nota|respuesta|message|mot|réponse|courriel|mensagem|resposta|convite|invitación|invitation)${near}(?:cort[oa]|breve|amable|court|bref|poli|curt[oa]|educad[oa])`,
  "what(?:'?s| is) the difference between (?:an? |the )?[\\w-]+(?: [\\w-]+)? and (?:an? |the )?[\\w-]+(?: [\\w-]+)?[\\s?.]*$", "(?:why|how) (?:is|are|do|does) (?:an? |the )?[\\w']+(?: [\\w']+){1,5}[\\s?.]*$"
))
/** Requests for a title or tags of a text of any length. */
export const naming = at(`^${writes} `, near, "\\b(?:title|headline|(?:hash)?tags?|keywords?|emojis?|subject line|follow-?up questions?)\\b")
/** Kinds of work on a text that result in a few words. */
export const fewWords = at("\\b", anyOf(
  "titles?", "headlines?", "tags?", "labels?", "keywords?", "hashtags?", "emojis?", "subject lines?", "follow-?up questions?", "(?:classif|categori[sz]|label|tag)\\w*", "categor(?:y|ies)", "intents?", "language", "sentiment", "tone", "topics?", "yes or no", "true or false", "(?:one|a single|\\d{1,2}|two|three|four|five) (?:short )?(?:words?|sentences?|lines?)",
  "count", "how many", "(?:is|does|are) (?:this|the)"
))
/** Words that refer to a subject outside the request ("the attached report"). */
export const elsewhere = at("\\b", "(?:this|these|those|our|(?:on|in) my|so far|the (?:attached|following|above|given|chat|conversation|thread|documents?|files?|reports?|articles?|meeting|paper|code|logs?))\\b")
export const special = at("\\b", anyOf(
  "legal\\w*", "contracts?", "clauses?", "polic(?:y|ies)", "complian\\w+", "diagnos\\w+", "medi[ck]a\\w+", "symptoms?", "dos(?:e|age)", "tax(?:es)?", "tariffs?", "patents?", "audit\\w*", "security", "threats?", "vulnerab\\w+", "prove", "proofs?", "theorems?",
  "deriv\\w+", "conjecture", "hypothesis", "algorithms?", "concurren\\w+", "architect\\w*", "migrat\\w+", "refactor\\w*", "optimi[sz]\\w+", "debug\\w*", "bugs?", "leaks?", "dead-?locks?", "race", "production", "strateg\\w+", "research", "thesis", "literature",
  "novel", "sonnets?", "million", "billion", "codebase", "repositor\\w+", "business plan", "investments?", "unit tests?"
), "\\b")
/** The beginning of a reply that approves of a plan from an earlier turn. */
export const approval = at("^", anyOf(
  "yes", "yeah", "yep", "sure", "ok(?:ay)?", "go (?:ahead|on|for it)", "(?:sounds|looks) (?:good|great|fine|right)", "lgtm", "continue", "proceed", "(?:please )?do (?:it|that|so)", "approved?", "next", "agreed", "correct", "right", "great", "perfect", "no", "both", "all of (?:them|it)", "the (?:first|second|last|other)",
  "ja", "oui", "sí", "sim", "weiter", "mach", "continue[rz]?", "好", "行", "继续", "はい", "続け"
), "(?=$|[\\s,.!?，。]|[^\\x00-\\x7f])")
