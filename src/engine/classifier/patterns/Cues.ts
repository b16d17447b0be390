/** Patterns of the structure cues. The trained weights depend on the order of the patterns. */

const codeLanguage =
  "python|javascript|typescript|java|c\\+\\+|c#|golang|rust|ruby|php|kotlin|swift|scala|haskell|bash|sql|html|css|react|node\\.?js|django|pandas|perl|matlab|powershell|terraform|docker|kubernetes|latex"
const humanLanguage =
  "english|german|french|spanish|italian|portuguese|dutch|polish|russian|ukrainian|czech|swedish|danish|norwegian|finnish|greek|turkish|arabic|hebrew|hindi|bengali|urdu|thai|vietnamese|indonesian|malay|swahili|korean|japanese|chinese|mandarin|latin|romanian|hungarian|catalan|englisch|deutsch|französisch|spanisch|italienisch|inglés|alemán|francés|español|italiano|anglais|allemand|français|espagnol|inglese|tedesco|francese|spagnolo|engels|duits"
/** Patterns that are searched for in the request. */
export const spanPatterns: ReadonlyArray<RegExp> = [
  // code
  /\b(?:function|method|class|script|program|algorithm|code|snippet|component|endpoint|api|unit tests?|regex|regular expression|query|dockerfile|makefile|workflow|migration|module|library|package|cli|webpage|one-liner)\b/i,
  new RegExp(`\\b(?:${codeLanguage})(?![\\w])`, "i"),
  /\b(?:write|create|build|implement|develop|generate|make|code)\b.{0,60}\b(?:function|script|program|class|query|regex|code|app|component|endpoint|api|test|parser|server|bot|module)\b/i,
  // summary
  /\b(?:summar(?:y|i[sz]e|i[sz]ing|ies)|tl;?dr|sum (?:it |this |that |the |up)|recap|gist|key (?:points|takeaways|messages|facts)|main (?:points?|ideas?|takeaways)|takeaways|overview|condense|abstract|digest|synopsis of|boil|shorten|nutshell|in brief|headline|highlights)\b/i,
  /zusammen(?:fass|zufassen)|fasse|zusammenfassung|résum|resum|riassum|samenvat|sammanfatta|streść|podsumuj|кратк|резюм|总结|摘要|概括|要約|まとめ|요약|özetle|لخص|सारांश/i,
  // extraction
  /\b(?:extract|pull out|pull the|list (?:all|every|the)|find all|identify (?:all|every|the)|collect|mentioned|key concepts|key details|keywords?|key ?words|key ?terms|entities|named|spot every|pick out|get (?:all|every|the)|locate|copy out|fields?|key-value|named entit|concepts|scrape|tabulate|which (?:names|dates|people|companies|numbers|amounts|urls|emails|places))\b/i,
  /extrahier|extrae|extraire|extrais|estrai|extraia|haal .{0,40} uit|извлек|提取|抽出|列出|추출|çıkar/i,
  /\b(?:names?|dates?|amounts?|e-?mail address(?:es)?|phone numbers?|urls?|address(?:es)?|prices?|ids?|numbers?|deadlines?|action items|people|organi[sz]ations?|companies|locations?|places|line items|invoice number|order (?:number|id)|skills|ingredients|parties)\b/i,
  // translation
  /\b(?:translat(?:e|ion|ing|or)|render (?:this|it|the)|how (?:do|would|to) (?:you |i |one )?say|what(?:'s| is) .{1,40} in (?:english|german|french|spanish|italian)|localis|localiz|into (?:plain )?(?:english|german|french|spanish|japanese|chinese))\b/i,
  /übersetz|traduc|tradui|traduz|tradurr|vertaal|översätt|oversæt|oversett|przetłumacz|перевед|перевод|翻译|翻譯|翻訳|번역|ترجم|अनुवाद|çevir|käännä|auf (?:deutsch|englisch|französisch|spanisch)|en (?:anglais|inglés|français|español)|cómo se dice|comment (?:dit-on|dire)|wie sagt man|come si dice/i,
  new RegExp(`\\b(?:in|into|to|from|auf|ins|en|al|in het|naar) (?:${humanLanguage})\\b`, "i"),
  // classification
  /\b(?:classif|categori[sz]|category|categories|label|sentiment|tag (?:this|the|each|it)|spam|toxic|tone of|topic of|intent|urgency|priority|positive|negative|neutral|stars?|rating|rate (?:this|the|how)|which (?:class|type|kind|topic|genre|department|team|bucket|queue)|belongs? to|polarity|genre|fake|offensive|sarcastic|fits? best|best describes|entail|contradict)/i,
  /klassifizier|kategor|clasific|classifique|classer|classez|classific|ordne .{0,60} zu|стоит ли|классифиц|分类|分類|判断|감정|분류|stimmung|sentiment|duygu/i,
  /\b(?:positive|negative|yes|no|true|false|spam|bug|urgent|high|low|subjective|formal|a|same)(?:\/| or |, or | vs\.? )(?:positive|negative|yes|no|true|false|not|ham|feature|high|low|neutral|objective|informal|b|different)\b/i,
  /\b(?:same (?:meaning|thing|question|event|person|idea|intent)|paraphrases?|equivalent|entail|imply|implies|follow from|contradict|duplicates?|mean the same|agree with each other|say the same)\b/i,
  // Two characters before the comma match the same texts as up to 24, with fewer lengths to try.
  /[\w ]{2}, [\w ]{2,24},? (?:or|and|oder|o|ou) [\w ]{2,24}(?:\?|\.|$)/im,
  /\((?:[\w -]{2,24}[,/|] ?){1,8}[\w -]{2,24}\)|\[(?:[\w -]{2,24}[,/|] ?){1,8}[\w -]{2,24}\]/,
  // creative
  /\b(?:story|stories|poem|haiku|sonnet|limerick|song|lyrics|rap|novel|scene|dialogue|monologue|screenplay|plot|fiction|fairy tale|fable|slogan|tagline|jingle|joke|riddle|speech|toast|essay|blog|article|caption|tweet|post|advert|ad copy|newsletter|cover letter|letter|invitation|storyline|character|villain|bedtime|parody|name for|names for|movie|press release|verse|ballad|eulogy|script for)\b/i,
  /\b(?:write|compose|create|draft|invent|imagine|make up|come up with|tell me|pen|craft|generate|continue|finish|build|brainstorm|turn)\b.{0,60}\b(?:story|poem|song|scene|essay|article|blog|speech|letter|slogan|plot|joke|tale|sentence|description|dialogue|post|ad|tagline|haiku|email|names|movie|narrative|lyrics|piece)\b/i,
  /gedicht|geschichte|erzähl|märchen|poema|poesía|cuento|historia|conte |poème|histoire|poesia|racconto|gedichtje|verhaal|стих|рассказ|сказк|诗|故事|小说|詩|物語|시를|이야기|şiir|hikaye|wiersz|opowiad/i,
  // qa
  /^\W{0,3}(?:was|wer|wie|wo|wann|warum|welche[rsm]?|qué|quién|cuál|cuándo|dónde|cómo|por qué|quel|quelle|qui|quand|où|pourquoi|comment|chi|cosa|quando|dove|perché|quem|qual|onde|wat|waarom|hoe|vad|hvem|hvad|кто|что|где|когда|почему|как|kto|gdzie|kiedy)(?![\p{L}])|什么|谁|哪|为什么|怎么|何|誰|どこ|なぜ|무엇|누구|어디|كيف|ما هو/imu,
  // rag
  /\b(?:according to|based on|given|using|from|in) (?:only |just |solely |strictly )?(?:the|this|these|that|my|our|following|above|below|attached|provided|given|supplied|retrieved)\b.{0,24}\b(?:context|passage|text|article|document|documents|sources?|excerpts?|paragraph|information|background|snippets?|search results|notes|policy|manual|handbook|faq|contract|evidence|material)\b/i,
  // reasoning
  /\d.{0,80}\b(?:how (?:many|much|far|long|old|fast|tall)|what is the (?:total|sum|probability|average|value|remainder|area)|left|altogether|in total|each)\b|\b(?:how (?:many|much|far|old|long))\b.{0,80}\d/i,
  /\b(?:next (?:number|term|letter|in the sequence)|sequence|older than|taller than|younger than|faster than|heavier than|brother|sister|mother|father|left of|right of|sits next|facing|liar|truth[- ]teller|knight|knave|if all|all \w{3,20} are|some \w{3,20} are|must be true|who (?:is|finished|came|owns|lives|sits) (?:the )?(?:first|last|second|tallest|oldest|youngest|in)|odd one out|is to \w+ as|days? (?:from|after|before)|opposite direction|turns (?:left|right))\b/i,
  // tools
  /^\W{0,3}(?:please |can you |could you |hey \w+,? )?(?:set|turn|switch|dim|lock|unlock|open|close|play|pause|skip|mute|remind|wake|book|order|schedule|cancel|reschedule|send|text|call|email|add|navigate|start|stop|restart|deploy|check|track|reserve|buy|pay|transfer|increase|decrease|raise|lower|search|look up|google|fetch|download|upload|create an? (?:event|reminder|ticket|calendar|meeting|alarm|issue))\b/im,
  // other
  /\b(?:paraphrase|rephrase|reword|rewrite|proofread|grammar|spelling|polish|edit|correct (?:the|this|my)|fix (?:the )?(?:grammar|typos|spelling|punctuation)|improve (?:the|this|my)|make (?:it|this|the text|that|them) (?:more|less|sound|shorter|longer|formal|polite|friendl|clear)|more (?:formal|polite|casual|professional)|simpler words|tone down|passive voice|active voice|in other words|another way|umformulier|reformul|formuliere|改写|言い換え)/i,
  /\b(?:reply|respond|answer|response|write back) (?:to|that)\b|\b(?:draft|write|compose|suggest) (?:a |an |me a )?(?:\w+ )?(?:reply|response|answer)\b|\bdecline\b|\bpolitely (?:refuse|decline)\b/i,
  /\b(?:generate|write|create|make up|formulate|ask|come up with|what (?:is|was|could be) (?:the|a)) (?:an? |the |\d+ |some |possible )?(?:\w+ )?questions?\b|\bquestion (?:about|for|that|to)\b.{0,40}\b(?:answer|text|passage|plot)\b/i
]

/** Patterns of layout, searched for in the first 550 and the last 300 characters of a text. */
export const scopePatterns: ReadonlyArray<RegExp> = [
  /codeblock/,
  /^\s*(?:def |class |function |import |from \w+ import|const |let |var |public |private |#include|fn |func |package |using |SELECT |<\?php|@\w+|async )/m,
  /"(?:name|description|parameters|properties|function|type)"\s*:\s*["{]/,
  /^\W{0,4}(?:available |allowed )?(?:functions?|tools?|apis?|plugins)\W{0,4}(?:available)?\s?[:：(]|<tools?>|\btool_call/im,
  /^\W{0,4}(?:context|passage|article|document|background|source|excerpt|knowledge base|search results|snippet|kontext|contexto|contexte|reference|paragraph|evidence|doc)s?\s?\[?\d{0,2}\]?\s?[:：]/im,
  /^\W{0,4}(?:sentiment|category|label|class|stars|rating|topic|verdict|type|tone|priority|intent|polarity|relation|is spam)\s?[^\n]{0,40}[:：]?\s*$/im,
  /^\W{0,4}(?:review|tweet|comment|ticket|message|headline|feedback|premise|hypothesis|sentence \d|sentence [ab12]|text [ab12]|question [12])\s?[:：]/im,
  /^\W{0,4}(?:entities|names|dates|keywords|extracted|output|json|concepts|fields)\s?[:：]\s*$/im,
  /^\s*\(?[aA1][).:][^\n]{1,200}\n\s*\(?[bB2][).:]/m,
  /^\s*\(?[aA][).:][^\n]{1,200}\n\s*\(?[bB][).:]/m,
  /(?:^|\s)\(?[aA][).] .{1,80}\s\(?[bB][).] /,
  /^\s*[{[]\s*"/m,
  /[Ѐ-ӿ]/, /[äöüßéèñçãõåø]/i,
  /["“«'][^"”»'\n]{2,80}["”»']/
]
