/** Patterns of requests that are surely trivial and of those that are surely for experts, in seven languages. */

const anyOf = (...parts: ReadonlyArray<string>): string => `(?:${parts.join("|")})`
/** A pattern of words at a place of a text, in any case. */
const at = (before: string, ...parts: ReadonlyArray<string>): RegExp => new RegExp(before + parts.join(""), "iu")
/** Between two words of one request. */
const [near, far] = ["[^.!?\\n]{0,40}?", "[^!?\\n]{0,120}?"]

// -- Surely trivial: short, closed, everyday.

/** Courtesies before a request. */
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
/** What a person says without asking for anything, whatever it follows. */
export const greeting = utterance(...greetings)
/** The same with words that may approve of a plan, where they follow one. */
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
/** A question whose answer is one word, a name or a figure: how it begins in seven languages. */
export const closedQuestion = at("^", anyOf(
  "what(?:'?s| is| are| was| were) (?:the|\\d|its)\\b", "what(?:'?s| is) (?:an? )?[\\p{L}\\d-]+[\\s?.]*$", "what(?!'?s\\b| (?:is|are|was|were|if|would|can|could|about|do(?! you call)|did|makes?|happen\\w*|kinds?|sorts?|types?|to)\\b) ",
  "who(?:'?s| \\p{L}+) ", "when(?:'?s| is| was| were| did| does| do) ", "where(?:'?s| is| was| were| are| did| does| do) ", "which ", "(?:in|on|at) (?:what|which) ",
  "how (?:many|much|old|tall|far|big|high|deep|heavy|fast|hot|cold|long (?:is|are|was|does)) ", "(?:true or false|yes or no)", "was (?:ist|heißt|bedeutet|sind die) ", "wer ", "wann ", "wo (?:ist|liegt|sind) ", "welche[rsn]? ",
  "wie (?:viele?|heißt|hoch|alt|groß|schreibt man) ", "(?:quel(?:le)?s?|qui|quand|où|combien|comment s'appelle|est-ce que) ", "¿?(?:cuál|quién|cuándo|dónde|cuánt[oa]s?|qué (?:es|significa|color|día)) ",
  "(?:qual|quem|quando|onde|quant[oa]s?|o que (?:é|significa)) ", "(?:谁|哪)", "[^，。]{1,14}(?:是(?:什么|谁|多少|哪)|在哪|有多少|有几|叫什么|是.{1,4}吗)", ".{1,20}(?:は(?:何|誰|いつ|どこ|いくつ)|とは|の首都)"
))
/** A question of yes or no in everyday words. */
export const yesOrNo = at("^(?:is|are|was|were|does|do|did|has|have|can (?!i|we|you|u\\b)) (?!i\\b|we\\b|you\\b|u\\b|my\\b|s?he\\b|they\\b|it\\b|our\\b|there )(?:[\\p{L}\\d']{1,10} ){1,7}[\\p{L}\\d']{1,10}\\s*\\?*$")
/** A word, a definition, a fact or a name is wanted. */
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
/** A small change to a short text, or a glance at it. */
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
/** A line of code or a command that every programmer knows. */
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
/** What a short request may not ask for: an explanation, a judgement, advice, or a longer work. */
export const notTrivial = at("", anyOf(
  "\\b(?:prove|proof|theorem|lemma|conjecture|hypothesis|deriv\\w+|why|explain|analy[sz]\\w+|compar\\w+|differences?|design|architect\\w*|implement\\w*|debug|optimi[sz]\\w+|essay|article|poem|sonnet|lyrics|strateg\\w+|step[- ]by[- ]step|integrals?|limit of|probabilit\\w+|matri\\w+|eigen\\w*|polynomial|differential|algorithms?|complexity|quantum|legal\\w*|contracts?|clauses?|diagnos\\w+|dos(?:e|age)|tax(?:es)?|research|thesis|plan|best|better|optimal|should|recommend\\w*|advantages?|pros and cons|causes?|effects?|implications?|significance|purpose|ethic\\w*|consciousness|meaning of life|legacy|codebase|race condition|beweis\\w*|warum|erklär\\w*|unterschied|pourquoi|expliqu\\w+|différence|por ?qu[eé]|explica|explique|diferen\\w+|idioms?|rhyming|literary|safe|healthy|interact\\w*|exactly|ever|every|without|constraints?|attached|bundle|upload|settled|weather|latest|news|today|think|happen\\w*|recipe|groups?|rings?|digits? of (?:pi|e)|np|manifolds?|topolog\\w+|metric|riemann|goldbach|collatz|bugs?|leak\\w*|co-?prime|mod(?:ulo)?|(?:un)?decidable|cancer\\w*|medi[ck]a\\w+|symptom\\w*|pregnan\\w+|yesterday|tonight|across|throughout|repositor\\w*|nested|capital gains|comes next|databases?|frameworks?|librar(?:y|ies)|stocks?|investments?|worth|vaccin\\w*|toddlers?|infants?|mill?igram\\w*|probate|copyright|crimes?|\\p{L}*steuern?|odds|determinants?|sorting|parameters?|churn|deadline|rfc|how many (?:ways|integers|permutations|combinations|subsets|paths|solutions|divisors)|write (?:an? )?(?:\\w+ )?(?:function|program|script|class)(?!\\w* (?:that|to|which) (?:adds?|multipl\\w+|sums?|subtracts?|reverses?|prints?)\\b))\\b",
  "^[{[]|\\w_\\w|\\^\\s*\\d{2,}|为什么|解释|证明|区别|なぜ|説明|違い|証明|```|\\\\[a-z]{2,}|\\$[^$]*[\\\\^_][^$]*\\$"
))
/** What stands before the request is meant. */
export const beforeIt = /\b(?:this|that|it|these|those|them|above|the (?:last|previous))\b/iu
/** What is asked about is not in the request. */
export const absent = /\b(?:in|on|of|from|with) (?:my|our|this|these|those)\b/iu
/** The options of an examination. */
export const options = /(?:^|\n)\s*\(?[A-Da-d1-4][.):]\s/
/** What is quoted in a request or stands behind a colon, so that words of it are not taken for the request's. */
export const content = /["“«「『][^"”»」』]*["”»」』]?|(?<=^|\s)'[^'\n]+'(?=\W|$)|:\s[^]*$/gu

// -- Surely easy: little is written, and nothing special must be known.

const [modest, writes] = [
  anyOf("short", "brief", "quick", "polite", "friendly", "kind", "nice", "simple", "little", "one[- ](?:line|sentence)"),
  "(?:(?:write|draft|compose|give|make|send|suggest|create|need|generate|propose|come up with|think of|find|brainstorm)\\b(?: me| us| up| out)?)"
]
/** Everyday writing of a few lines, a name or a list of ideas, and a question of general knowledge. */
export const easyWork = at("^", anyOf(
  `(?:${writes} )?(?:(?:an?|the|one|my|\\d{1,2}|some|three|five|ten)\\b )?${near}\\b${modest}\\b${near}\\b(?:repl(?:y|ies)|response|answer|e-?mail|message|note|letter|invitation|reminder|post|tweet|caption|bio|poem|slogan|toast|greeting|card|apology)\\b`,
  `${writes} ${near}\\b(?:names?|titles?|headlines?|slogans?|taglines?|captions?|hashtags?|ideas?|(?:haikus?|limericks?)(?! (?:generator|app|bot|script|api))|tweets?|product descriptions?|birthday|thank[- ]you|out[- ]of[- ]office|recipes?|(?:shopping|packing|to-?do) list)\\b`,
  `(?:schreibe?|verfasse?|formuliere?|escribe|redacta|écri[sv]\\p{L}*|rédige[rz]?|escreva|写|請?寫)${near}(?:kurz|nett|höflich|cort[oa]|breve|amable|courte?|bref|poli|curt[oa]|educad[oa]|简短|短|礼貌)${near}(?:nachricht|einladung|e?-?mail|antwort|notiz|gruß|mensaje|correo|nota|respuesta|invitación|message|mot|réponse|courriel|invitation|mensagem|resposta|convite|消息|回复|邮件|短信)`,
  `(?:escribe|redacta|écri[sv]\\p{L}*|rédige[rz]?|escreva)${near}(?:mensaje|correo|nota|respuesta|message|mot|réponse|courriel|mensagem|resposta|convite|invitación|invitation)${near}(?:cort[oa]|breve|amable|court|bref|poli|curt[oa]|educad[oa])`,
  "what(?:'?s| is) the difference between (?:an? |the )?[\\w-]+(?: [\\w-]+)? and (?:an? |the )?[\\w-]+(?: [\\w-]+)?[\\s?.]*$", "(?:why|how) (?:is|are|do|does) (?:an? |the )?[\\w']+(?: [\\w']+){1,5}[\\s?.]*$"
))
/** A name for a text, however long it is. */
export const naming = at(`^${writes} `, near, "\\b(?:title|headline|(?:hash)?tags?|keywords?|emojis?|subject line|follow-?up questions?)\\b")
/** Work on a text that comes to a few words. */
export const fewWords = at("\\b", anyOf(
  "titles?", "headlines?", "tags?", "labels?", "keywords?", "hashtags?", "emojis?", "subject lines?", "follow-?up questions?", "(?:classif|categori[sz]|label|tag)\\w*", "categor(?:y|ies)", "intents?", "language", "sentiment", "tone", "topics?", "yes or no", "true or false", "(?:one|a single|\\d{1,2}|two|three|four|five) (?:short )?(?:words?|sentences?|lines?)",
  "count", "how many", "(?:is|does|are) (?:this|the)"
))
/** What is asked about is not in the request. */
export const elsewhere = at("\\b", "(?:this|these|those|our|(?:on|in) my|so far|the (?:attached|following|above|given|chat|conversation|thread|documents?|files?|reports?|articles?|meeting|paper|code|logs?))\\b")
/** A topic that takes more than everybody knows. */
export const special = at("\\b", anyOf(
  "legal\\w*", "contracts?", "clauses?", "polic(?:y|ies)", "complian\\w+", "diagnos\\w+", "medi[ck]a\\w+", "symptoms?", "dos(?:e|age)", "tax(?:es)?", "tariffs?", "patents?", "audit\\w*", "security", "threats?", "vulnerab\\w+", "prove", "proofs?", "theorems?",
  "deriv\\w+", "conjecture", "hypothesis", "algorithms?", "concurren\\w+", "architect\\w*", "migrat\\w+", "refactor\\w*", "optimi[sz]\\w+", "debug\\w*", "bugs?", "leaks?", "dead-?locks?", "race", "production", "strateg\\w+", "research", "thesis", "literature",
  "novel", "sonnets?", "million", "billion", "codebase", "repositor\\w+", "business plan", "investments?", "unit tests?"
), "\\b")
/** It lets something go on that the text does not name. */
export const approval = at("^", anyOf(
  "yes", "yeah", "yep", "sure", "ok(?:ay)?", "go (?:ahead|on|for it)", "(?:sounds|looks) (?:good|great|fine|right)", "lgtm", "continue", "proceed", "(?:please )?do (?:it|that|so)", "approved?", "next", "agreed", "correct", "right", "great", "perfect", "no", "both", "all of (?:them|it)", "the (?:first|second|last|other)",
  "ja", "oui", "sí", "sim", "weiter", "mach", "continue[rz]?", "好", "行", "继续", "はい", "続け"
), "(?=$|[\\s,.!?，。]|[^\\x00-\\x7f])")

// -- Surely hard or for experts: proofs, systems, large works, research, law, competitions.

/**
 * Of words in lower case; those of letters past ASCII may stand anywhere. What begins with one letter is tried
 * behind it, so that a search leaves most words of a text by their first letter.
 */
const word = (...parts: ReadonlyArray<string>): RegExp => {
  const [plain, wide] = [/^[ -~]/, /^[^ -~]/].map((first) => parts.filter((part) => first.test(part)))
  const byLetter = Map.groupBy(plain!, (part) => /^[a-z](?![?*+{])/.exec(part)?.[0] ?? "")
  const groups = [...byLetter].map(([letter, those]) =>
    letter + anyOf(...those.map((part) => part.slice(letter.length))))
  return new RegExp([`\\b${anyOf(...groups)}`, ...wide!].join("|"))
}
const make = word(
  "(?:design|implement|build|develop|create|architect|devise|invent|propose|discover|formulate|construct)\\b", "write an?\\b", "entwirf", "entwickle", "implementiere", "baue?\\b",
  "conç(?:ois|ev)", "développe", "implément", "diseñ[ae]", "desarroll[ae]", "implementa", "projete", "desenvolva", "implemente", "设计", "实现", "設計", "実装"
)
const rework = word(
  "re-?(?:factor|architect|structure|design|write)", "migrat", "port\\b", "convert\\b", "split\\b", "break(?:ing)? up", "modulari[sz]", "decoupl", "untangl", "upgrad", "moderni[sz]", "overhaul",
  "refa[ck]tor", "migrier", "überarbeite", "migre", "migra", "重构", "迁移", "リファクタ", "移行", "書き直"
)
const largeCode = [
  "(?:entire|whole|large|huge|massive|legacy|big|complete)\\s(?:[\\w-]+\\s){0,3}(?:code ?base|repo(?:sitory)?|system|application|app|project|back-?end|platform|code|program)\\b(?!:| (?:budget|schedule|form|status|plan|page|team|description|proposal|report|timeline|title|logo))", "code-?\\s?base\\b(?! of \\d{1,3} lines)", "monolith", "mono-?repo",
  "(?:\\d{1,3}[.,' ]?\\d{3}|\\d{4,}|\\d+(?:\\.\\d+)?\\s?k|(?:hundred )?thousands?(?: of)?|(?:\\d+ )?millions?(?: of)?)[- ]*(?:\\w+ ){0,2}(?:lines?|loc|zeilen|lignes|líneas|linhas)\\b", "\\d{2,}\\+? (?:\\w+ )?(?:micro-?)?(?:services|modules|files|packages|repos\\w*|classes)\\b",
  "(?:gesamte|ganze)[nrs]? (?:\\w+[- ]){0,2}(?:code|projekt|anwendung)", "toute? (?:la |le )?(?:base de code|code|application)", "tod[oa] (?:el |la |o |a )?(?:código|base de código|aplicación|aplicação)", "代码库", "万行", "整个(?:项目|系统|后端)", "コードベース", "全体"
]
const system = [
  "(?:distributed|replicated|asynchronous|blockchain|leader) (?:\\w+ )?consensus", "consensus (?:protocol|algorithm|engine|layer|mechanism|module|librar|system|service)", "raft\\b", "paxos", "byzantine", "crdts?\\b", "lock-?free", "wait-?free", "lineari[sz]ab", "serializab", "optimi[sz]ing compiler", "jit compiler", "operating system", "kernel (?:module|driver)", "device driver", "hypervisor",
  "(?:database|storage|query) engine", "query optimi[sz]er", "garbage collector", "distributed (?:\\w+ )?(?:database|transactions?|locks?|file ?system|ledger|store|system|scheduler|queue)", "exactly-once", "multi-region", "zero-knowledge", "homomorphic", "sat solver",
  "theorem prover", "verteilte\\w* (?:konsens|system|datenbank)", "(?:système|base de données|consensus) distribué", "(?:consenso|sistema|base de datos|banco de dados) distribu", "分布式", "分散(?:合意|システム|データベース)"
]
const solve = word(
  "(?:solve|settle|resolve|crack|refute|proof of|(?:dis)?prove|find|counter-?examples?)\\b", "beweis", "löse", "résou", "démontre", "prouve", "resuelve", "demuestr", "resolva", "demonstre", "解决", "证明", "証明", "解明"
)
const openProblem = [
  "riemann hypothesis", "goldbach", "collatz", "p (?:=|≠|!=|vs\\.?|versus|equals?|is not equal to|does not equal) np\\b", "twin primes?", "navier[- –]stokes", "birch and swinnerton", "yang[- –]mills", "odd perfect number", "even (?:number|integer)s?\\b.{0,40}\\bsum of two primes", "continuum hypothesis", "unsolved", "open problem",
  "conjecture", "hypothèse de riemann", "hipótesis de riemann", "hipótese de riemann", "riemannsche vermutung", "vermutung", "conjetura", "黎曼", "猜想", "リーマン", "予想"
]
const mend = word("find\\b", "fix\\b", "debug", "diagnos", "locate", "track down", "trace\\b", "root[- ]cause", "hunt", "finde", "behebe", "trouve", "corrige", "encuentra", "encontre", "解决", "修复", "找出", "調査", "修正", "見つけ")
const fault = ["race conditions?", "data races?", "dead-?lock", "live-?lock", "memory corruption", "use-after-free", "heisenbug", "kernel panic", "竞态", "死锁", "競合", "デッドロック"]
const depth = word(
  "kernel", "drivers?\\b", "lock-?free", "multi-?thread", "concurren", "distributed", "production", "intermittent", "sporad", "firmware", "hypervisor", "scheduler", "allocator", "treiber", "pilote", "noyau", "núcleo", "内核", "驱动", "カーネル", "ドライバ"
)
const novel = word("novel", "original", "new", "state[- ]of[- ]the[- ]art", "publishable", "groundbreaking", "neuartig", "nouvel", "novedos", "inédit", "全新", "新しい")
const invention = [
  "algorith?m", "architecture", "theory", "superconductor", "drug", "molecule", "vaccine", "cryptosystem", "cipher", "catalyst", "antibiotic", "(?:research|machine learning|training|optimi[sz]ation|statistical) method", "算法", "アルゴリズム"
]
const examine = word("analy[sz]", "review\\b", "audit", "assess", "examine", "redline", "identify", "prüfe", "analysiere", "analiza", "revis[ae]", "分析", "审查", "レビュー")
const judge = word("review\\b", "audit", "assess", "redline", "negotiate", "prüfe", "revis[ae]", "审查", "レビュー")
const lawText = ["contracts?", "agreements?", "lease", "merger", "prospectus", "treaty", "statutes?", "licen[cs]e (?:agreement|terms)", "[a-zäöü]*vertr[aä]g", "contrat", "合同", "契約書"]
const lawDepth = word(
  "\\d{2,}[- ](?:pages?|seiten|páginas)", "\\d{2,} ?[页頁ペ]", "cross-border", "jurisdiction", "indemnit", "liabilit", "haftung", "responsabili", "enforceab", "antitrust", "change[- ]of[- ]control", "(?:all|every|hidden) (?:\\w+ )?(?:risks?|clauses?)", "责任", "风险", "責任"
)
/** Systems that few people in the world build well, and what makes of any system a work of research. */
const rareSystem = [
  "byzantine", "optimi[sz]ing compiler", "jit compiler", "operating system", "hypervisor", "zero-knowledge", "homomorphic", "theorem prover", "multi-region", "分布式", "分散(?:合意|システム|データベース)"
]
const rigour = word("prov(?:e|ably|ing)\\b", "proofs?\\b", "formal", "verif", "invariants?", "model check", "argue", "lineari[sz]ab", "novel", "regions\\b")
const lawPages = word("\\d{2,}[- ](?:pages?|seiten|páginas)", "\\d{2,} ?[页頁ペ]", "cross-border", "antitrust")
/** What an engineer must have done before to do it well. */
const largeWork = [
  "compiler\\b", "interpreter\\b", "b-?\\+?tree\\b", "ray ?tracer", "emulator\\b", "(?:physics|search|chess|game|recommendation|rules?) engine", "payment system", "(?:thread|memory|connection) pool", "allocator\\b", "multi-tenant", "micro-?services?\\b", "real-time", "high-availability", "disaster recovery", "trading (?:bot|system)"
]
const speedUp = ["optimi[sz]e", "speed up", "tune\\b", "make .{0,40}faster", "scale\\b"]
const load = word("\\d+ ?(?:k|m|million|billion|thousand|gb|tb)\\b", "(?:millions?|billions?) (?:of )?", "(?:requests|rows|queries|users) per", "seconds? on")
const attack = ["threat model", "penetration test", "security (?:audit|review)", "vulnerabilit", "reentrancy", "exploit"]
/** A theorem beyond the one that books have. */
export const strengthened = word("generali[sz]", "novel", "new\\b", "stronger", "sharper", "improved? (?:bound|constant)", "conjectur", "open\\b")
const software = word("apps?\\b", "applications?\\b", "services?\\b", "code\\b", "projects?\\b", "databases?\\b", "clusters?\\b", "back-?end", "front-?end", "sites?\\b")

/** A level, and patterns that are all in one sentence with the scarce word before them. */
type Work = readonly ["hard" | "expert", ...ReadonlyArray<RegExp>]
/** Scarce words, each with the works that they may be a part of: research, works of a team, a specialist's day. */
const scarceWorks: ReadonlyArray<readonly [scarce: ReadonlyArray<string>, ...ReadonlyArray<Work>]> = [
  [openProblem, ["expert", solve]], [largeCode, ["expert", rework]], [rareSystem, ["expert", make]], [system, ["expert", make, rigour], ["hard", make]],
  [fault, ["expert", mend, depth], ["hard", mend]], [invention, ["expert", novel, make]], [lawText, ["expert", examine, lawPages], ["hard", examine, lawDepth], ["hard", judge]],
  [["(?:\\d{4}|an|the|this) imo\\b", "imo (?:shortlist|problem|\\d)", "\\d{4} putnam", "putnam (?:\\d|[ab]-?\\d|problem|competition|exam)", "usamo", "olympiad"], ["expert", word("solve", "answer\\b", "work out")]],
  [["(?:find|determine) all (?:real |positive |natural |prime )?(?:functions|polynomials|integers|numbers|primes|pairs|triples)\\b"], ["expert", word("such that", "satisfy", "f ?\\(x", "\\w+ ?\\^", "divides\\b", "\\w ?[≤≥∈]")]],
  [["publishable", "original (?:research|results)", "phd (?:thesis|dissertation|proposal)"], ["expert", word("write", "conduct", "do\\b", "propose")]], [["reverse[- ]engineer"], ["expert", word("malware", "obfuscated", "binary", "firmware", "protocol")]],
  [["formally verif", "machine-check", "formali[sz]e\\b"], ["expert", word("file ?system", "compiler", "coq\\b", "rocq", "lean\\b", "isabelle", "agda\\b", "tla\\+", "proof", "protocol", "kernel", "allocator")]],
  [["(?:in|with|using) (?:coq|rocq|lean|isabelle|agda|tla\\+)"], ["expert", word("verif", "(?:dis)?prove", "proof")]], [["rsa\\b", "rsa-?\\d", "aes\\b", "sha-?256"], ["expert", word("break\\b(?! (?:down|it|up|into))", "crack\\b", "cryptanaly", "factor\\b(?=.{0,20}rsa)")]],
  [["cure for", "vaccine (?:for|against)"], ["expert", word("cancer", "hiv\\b", "alzheimer")]], [["unif(?:y|ies|ied)"], ["expert", word("relativity", "gravity"), word("quantum")]],
  [largeWork, ["hard", make]], [speedUp, ["hard", load]], [["migrat", "port\\b", "rewrite\\b", "upgrade\\b"], ["hard", word("from \\S+(?: \\d[\\d.]*)? to \\S+"), software]],
  [attack, ["hard", word("review\\b", "audit", "do an?\\b", "write an?\\b", "perform", "find\\b", "run an?\\b")]],
  [["literature review", "systematic review", "meta-analysis", "grant proposal"], ["hard", word("write", "conduct", "do\\b", "draft", "prepare")]],
  [["differential diagnos", "dcf\\b", "discounted cash flow", "causal (?:effect|inference)"], ["hard", word("give", "build", "make\\b", "estimate", "work out", "calculate", "list")]]
]
/** As {@link scarceWorks}, a pattern for the scarce words of each. */
export const works = scarceWorks.map(([scarce, ...asks]) => [word(...scarce), asks] as const)
/** Marks before the words of a sentence. */
const opening = "^[\\s\"'“«(*#>-]{0,8}"
/** A word without which nothing asks for a proof. */
const proofWord = ["(?:dis)?prove", "proofs?\\b", "show that", "deduce that", "beweis", "zeigen? ?(?:sie)?,? dass", "démontre", "prouve", "demuestr", "demostrar", "pruebe", "demonstre", "rigorously", "formally", "证明", "証明"]
/** Any of the words without which nothing asks for a large work or a proof: one search in place of 22. */
export const largeWord = word(...proofWord, ...scarceWorks.flatMap(([scarce]) => scarce))
/** A request for a proof. */
export const proof = at(opening, anyOf(
  "(?:(?:dis)?prove|(?:rigorously|formally) (?:prove|show|verify)|beweise?n?|démontre[rz]?|prouve[rz]?|demuestr[ae]|demostrar|pruebe|demonstre|prove que)\\b(?!\\s+it\\W*$)(?!.{0,20}(?<!\\p{L})(?:me|you|us|yourself|wrong|him|it to)(?!\\p{L}))", "证明(?!责任)", ".{1,200}(?:証明し|証明せ)", "(?:zeigen? sie|zeige),? dass", "(?:show|deduce) that .*(?:np-hard|np-complete|undecidable)",
  "show that\\b.*(?:\\b(?:every|all|any|compact|continuous|group|ring|graph|manifold|integers?|primes?|space|theorem|unique|exists?)\\b|[\\\\$≤≥∀∃])", `(?:give|write|find|provide|construct|produce)\\b${near}\\bproofs?\\b ?(?:that|of(?! (?:employment|payment|purchase|address|income|identity|residen\\w+|insurance|delivery|concept|funds|age|ownership|enrol\\w+|vaccination|work))|for|:)`
))
/** What every first textbook of a subject proves, in a short sentence that asks for no more than that. */
const textbookProof = `^(?=.{0,100}$)(?!.*\\b(?:generali[sz]|novel|new\\b|stronger|sharp|improve|exten[ds]|analog|variant|conjectur|research)).*\\b${anyOf(
  "de morgan", "cauchy[- ]schwarz", "triangle inequality", "lagrange'?s theorem", "(?:intermediate|mean|extreme) value theorem", "rolle'?s theorem", "bolzano", "heine[- ]borel", "fundamental theorem of (?:calculus|algebra|arithmetic)",
  "fermat'?s little", "wilson'?s theorem", "chinese remainder", "pigeonhole", "binomial theorem", "quadratic formula", "law of (?:co)?sines", "angles? of a triangle", "(?:harmonic|geometric) (?:series|sum)",
  "(?:reals?|real numbers) (?:is|are) (?:uncountable|not countable)", "halting problem", "am[- ]gm", "bayes'?s?'? (?:theorem|rule|law)", "(?:product|chain) rule", "finite integral domain", "closed (?:and bounded )?interval is bounded"
)}`
/** A proof that every schoolbook has, or first textbook. */
export const schoolProof = at("", anyOf(
  textbookProof,
  "(?:sqrt|√|square root of|wurzel (?:aus|von)|racine (?:carrée )?de|raíz (?:cuadrada )?de)\\W*2", "infinite(?:ly many)? primes?\\W*$", "unendlich viele primzahlen\\W*$", "pythagor", "\\b(?:even|odd|gerade|ungerade)\\b", "1 ?\\+ ?2 ?\\+", "homework", "0[.,]9{2,}", "consecutive (?:whole )?(?:numbers|integers)"
))
/** A question or an explanation about such a work is not the work, nor is an email, a test or a drawing that names it. */
export const about = at(opening, anyOf(
  `(?:write|draft|compose|create|make|send|design|build|generate|prepare|add|update)(?: (?!(?:with|and|that|which|for|in|to|of|from|using|publishable|original|research|phd)\\b)[\\w'-]+){0,6}? ${anyOf(
    "e-?mails?", "letters?", "messages?", "repl(?:y|ies)", "reminders?", "invitations?", "(?:blog )?posts?", "articles?", "essays?", "tweets?", "announcements?", "descriptions?", "slogans?", "headlines?", "poems?",
    "haikus?", "songs?", "jokes?", "stor(?:y|ies)", "templates?", "schedules?", "agendas?", "notes?", "summar(?:y|ies)", "slides?", "presentations?", "(?:unit )?tests?", "(?:docker|container) image", "diagrams?", "log lines?",
    "quiz(?:zes)?", "logos?", "checklists?", "(?:\\w+ )?tickets?", "postings?", "websites?", "readme", "docs", "documentation", "job ad"
  )}(?=\\W*$|[:;,(]| (?:about|for|on|to|that|of|from|in|with|asking|saying|explaining|announcing)\\b)`, ".*\\b(?:toy|class assignment|for (?:kids|beginners|dummies))\\b",
  "(?:who|what|when|where|which|why|is|are|was|were|does|did|explain|summari[sz]e|define|list|name|describe|tell|correct|spell|translate|how (?:old|many|long)|was ist|wer|wann|erkläre|qu'est-ce|qui|explique|qué|quién|explica|o que|quem)\\b", "什么是", "[^，。]{1,20}(?:是什么|とは)"
))
