/** Patterns of surely hard or expert requests in seven languages: proofs, systems, research, law. */
import { anyOf, at, near } from "./Alternatives.ts"

/**
 * A part whose first character is ASCII must begin a word; other parts may stand anywhere. Parts with the
 * same first letter share a branch, so that the search rejects nearly all words at their first letter.
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
/** Systems that only experts build, and words that make the work on any system an expert's work. */
const rareSystem = [
  "byzantine", "optimi[sz]ing compiler", "jit compiler", "operating system", "hypervisor", "zero-knowledge", "homomorphic", "theorem prover", "multi-region", "分布式", "分散(?:合意|システム|データベース)"
]
const rigour = word("prov(?:e|ably|ing)\\b", "proofs?\\b", "formal", "verif", "invariants?", "model check", "argue", "lineari[sz]ab", "novel", "regions\\b")
const lawPages = word("\\d{2,}[- ](?:pages?|seiten|páginas)", "\\d{2,} ?[页頁ペ]", "cross-border", "antitrust")
/** Kinds of work that an engineer does well only with experience. */
const largeWork = [
  "compiler\\b", "interpreter\\b", "b-?\\+?tree\\b", "ray ?tracer", "emulator\\b", "(?:physics|search|chess|game|recommendation|rules?) engine", "payment system", "(?:thread|memory|connection) pool", "allocator\\b", "multi-tenant", "micro-?services?\\b", "real-time", "high-availability", "disaster recovery", "trading (?:bot|system)"
]
const speedUp = ["optimi[sz]e", "speed up", "tune\\b", "make .{0,40}faster", "scale\\b"]
const load = word("\\d+ ?(?:k|m|million|billion|thousand|gb|tb)\\b", "(?:millions?|billions?) (?:of )?", "(?:requests|rows|queries|users) per", "seconds? on")
const attack = ["threat model", "penetration test", "security (?:audit|review)", "vulnerabilit", "reentrancy", "exploit"]
/** Words for a theorem that goes beyond textbooks. */
export const strengthened = word("generali[sz]", "novel", "new\\b", "stronger", "sharper", "improved? (?:bound|constant)", "conjectur", "open\\b")
const software = word("apps?\\b", "applications?\\b", "services?\\b", "code\\b", "projects?\\b", "databases?\\b", "clusters?\\b", "back-?end", "front-?end", "sites?\\b")

type Work = readonly ["hard" | "expert", ...ReadonlyArray<RegExp>]
/** Groups of rare words, each with the kinds of large work that may contain such a word. */
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
/** The entries of {@link scarceWorks} with one expression for each group of rare words. */
export const works = scarceWorks.map(([scarce, ...asks]) => [word(...scarce), asks] as const)
const opening = "^[\\s\"'“«(*#>-]{0,8}"
/** Every request that {@link proof} matches has one of the words of `proofWord`. */
const proofWord = ["(?:dis)?prove", "proofs?\\b", "show that", "deduce that", "beweis", "zeigen? ?(?:sie)?,? dass", "démontre", "prouve", "demuestr", "demostrar", "pruebe", "demonstre", "rigorously", "formally", "证明", "証明"]
/**
 * Requests that {@link works} or {@link proof} match have one of these words, so one search replaces many.
 */
export const largeWord = word(...proofWord, ...scarceWorks.flatMap(([scarce]) => scarce))
export const proof = at(opening, anyOf(
  "(?:(?:dis)?prove|(?:rigorously|formally) (?:prove|show|verify)|beweise?n?|démontre[rz]?|prouve[rz]?|demuestr[ae]|demostrar|pruebe|demonstre|prove que)\\b(?!\\s+it\\W*$)(?!.{0,20}(?<!\\p{L})(?:me|you|us|yourself|wrong|him|it to)(?!\\p{L}))", "证明(?!责任)", ".{1,200}(?:証明し|証明せ)", "(?:zeigen? sie|zeige),? dass", "(?:show|deduce) that .*(?:np-hard|np-complete|undecidable)",
  "show that\\b.*(?:\\b(?:every|all|any|compact|continuous|group|ring|graph|manifold|integers?|primes?|space|theorem|unique|exists?)\\b|[\\\\$≤≥∀∃])", `(?:give|write|find|provide|construct|produce)\\b${near}\\bproofs?\\b ?(?:that|of(?! (?:employment|payment|purchase|address|income|identity|residen\\w+|insurance|delivery|concept|funds|age|ownership|enrol\\w+|vaccination|work))|for|:)`
))
/** A short sentence about a textbook theorem, without a word for an extension of the theorem. */
const textbookProof = `^(?=.{0,100}$)(?!.*\\b(?:generali[sz]|novel|new\\b|stronger|sharp|improve|exten[ds]|analog|variant|conjectur|research)).*\\b${anyOf(
  "de morgan", "cauchy[- ]schwarz", "triangle inequality", "lagrange'?s theorem", "(?:intermediate|mean|extreme) value theorem", "rolle'?s theorem", "bolzano", "heine[- ]borel", "fundamental theorem of (?:calculus|algebra|arithmetic)",
  "fermat'?s little", "wilson'?s theorem", "chinese remainder", "pigeonhole", "binomial theorem", "quadratic formula", "law of (?:co)?sines", "angles? of a triangle", "(?:harmonic|geometric) (?:series|sum)",
  "(?:reals?|real numbers) (?:is|are) (?:uncountable|not countable)", "halting problem", "am[- ]gm", "bayes'?s?'? (?:theorem|rule|law)", "(?:product|chain) rule", "finite integral domain", "closed (?:and bounded )?interval is bounded"
)}`
/** Requests for proofs that are in schoolbooks or first textbooks. */
export const schoolProof = at("", anyOf(
  textbookProof,
  "(?:sqrt|√|square root of|wurzel (?:aus|von)|racine (?:carrée )?de|raíz (?:cuadrada )?de)\\W*2", "infinite(?:ly many)? primes?\\W*$", "unendlich viele primzahlen\\W*$", "pythagor", "\\b(?:even|odd|gerade|ungerade)\\b", "1 ?\\+ ?2 ?\\+", "homework", "0[.,]9{2,}", "consecutive (?:whole )?(?:numbers|integers)"
))
/** A sentence that only mentions a large work: a question, an explanation, an email or a test about it. */
export const about = at(opening, anyOf(
  `(?:write|draft|compose|create|make|send|design|build|generate|prepare|add|update)(?: (?!(?:with|and|that|which|for|in|to|of|from|using|publishable|original|research|phd)\\b)[\\w'-]+){0,6}? ${anyOf(
    "e-?mails?", "letters?", "messages?", "repl(?:y|ies)", "reminders?", "invitations?", "(?:blog )?posts?", "articles?", "essays?", "tweets?", "announcements?", "descriptions?", "slogans?", "headlines?", "poems?",
    "haikus?", "songs?", "jokes?", "stor(?:y|ies)", "templates?", "schedules?", "agendas?", "notes?", "summar(?:y|ies)", "slides?", "presentations?", "(?:unit )?tests?", "(?:docker|container) image", "diagrams?", "log lines?",
    "quiz(?:zes)?", "logos?", "checklists?", "(?:\\w+ )?tickets?", "postings?", "websites?", "readme", "docs", "documentation", "job ad"
  )}(?=\\W*$|[:;,(]| (?:about|for|on|to|that|of|from|in|with|asking|saying|explaining|announcing)\\b)`, ".*\\b(?:toy|class assignment|for (?:kids|beginners|dummies))\\b",
  "(?:who|what|when|where|which|why|is|are|was|were|does|did|explain|summari[sz]e|define|list|name|describe|tell|correct|spell|translate|how (?:old|many|long)|was ist|wer|wann|erkläre|qu'est-ce|qui|explique|qué|quién|explica|o que|quem)\\b", "什么是", "[^，。]{1,20}(?:是什么|とは)"
))
