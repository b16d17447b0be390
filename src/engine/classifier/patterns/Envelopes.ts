/** Patterns of the wrapping around a request. */

// -- Sentences that ask for a strong model, or call the request hard or easy: such sentences must not change
// the class.

const model = "(?:models?|llms?|ais?)"
const praise = "(?:best|strongest|smartest|brightest|biggest|largest|latest|top|cheapest|fastest|smallest|frontier|premium|(?:most|least|very) \\w+)"
const level = "(?:hard|difficult|complex|complicated|tricky|challenging|easy|trivial|simple|expert(?:[- ]level)?|important|critical|urgent)"

const kind = "(?:task|question|problem|request|one)"
/** Words that tell the model how to think ("very hard", "step by step"). */
const manner = "(?:,? (?:very|really|extremely|long|as|more|and|hard(?:er)?|deep(?:ly|er)?|carefully|step[- ]by[- ]step|it|through|first|about (?:it|this)|you can|please"
  + `|(?:show|explain) your (?:work|reasoning|thinking|steps)|before (?:you (?:answer|respond|reply|begin|start)|answering|responding|replying)(?: (?:the|this) ${kind})?))`

/** Matches a sentence about the model or the difficulty, up to its full stop or up to the request. */
const wish = [
  `(?:please )?(?:(?:you (?:must|should) )?(?:use|pick|choose|select|take|run)|route|send|escalate|i (?:want|need))\\b[^.!?\\n]{0,24}\\b(?:the|your|a|an) ${praise}[^.!?:\\n]{0,12} ${model}\\b(?: (?:for this|available|possible|you have|there is|here)(?: ${kind})?)?\\s*(?=[.!\\n]|$)`,
  "(?:note|message|hint|instructions?) (?:to|for) (?:the )?(?:\\w+ )?(?:router|gateway|classifier)\\b(?:[^.!?\\n]|[.!?](?=\\S)){0,160}",
  "(?:task[_ ])?(?:difficulty|complexity|tier)\\s?[=:]\\s?\\w+",
  `(?:please )?(?:classify|rate|treat|label|consider) (?:this|it) (?:\\w+ )?as (?:an? )?${level}\\b(?: ${kind})?\\s*(?=[.!\\n]|$)`,
  `(?:this|it)(?: ${kind})?(?: is|'s) (?:(?:an?|very|really|extremely|super|quite|so) ){0,3}${level}\\b(?: ${kind})?(?: (?:to|for) (?:me|my|us|our)\\b(?: (?!and\\b)\\w+){0,3})?\\s*(?=[.!\\n]|$)`,
  `(?:please |let'?s )?(?:(?:ultra|mega)think|(?:think|reason)${manner})${manner}{0,8}`,
  "(?:do|give (?:it|this)) your (?:very )?best(?: (?:work|effort|shot|here|please))?\\s*(?=[.!\\n]|$)"
].join("|")

// -- Chats in JSON, chat markers, turns of a transcript, template tags.

export const chatJson = /^\s*[[{]\s*["{[]/
export const textKey = new RegExp(
  "^(?:text|message|content|prompt|input|query|body|question|request|utterance|user_?(?:input|message|text|query)|msg"
    + "|task|instruction|description|payload|data|params|event|value)$",
  "i"
)
export const turnMark = /<\|im_start\|>(\w{1,12})\n?/g
export const characterData = /<!\[CDATA\[|\]\]>/g
export const otherMark = /<\|[a-z_]{1,20}\|>/g
/** A first line that begins like a system prompt or a transcript. */
export const systemLike = new RegExp(
  "^\\W*(?:\\|?im_start\\|?\\W*)?(?:system|user|human|assistant|role|rules?|guidelines|instructions?|preamble|persona"
    + "|you are|you're|act as|below is|as an? |the following is a c|conversation|context for the assistant|begin)",
  "i"
)
/** The beginning of the first line of a turn by the user or by the assistant. */
export const userTurn = new RegExp(
  "^[^a-z0-9]{0,8}(?:im_start\\|?>?\\s{0,2})?(?:user|human|end user|inst)"
    + "(?:'s)?(?: (?:message|request|query|input|prompt|says|question|turn|task))?\\s{0,2}[:\\]>*|=-]{1,6}\\s{0,3}",
  "i"
)
export const assistantTurn = /^[^a-z0-9]{0,8}(?:im_start\|>)?(?:assistant|ai|bot|\/?inst|\/user|im_end)\s{0,2}[:\]>|*]/i
/** Tags and brackets of a template around the whole text, and labels before a request ("User says:"). */
export const openingTag = /^\s*(?:<\/?[a-z_|][^<>]{0,80}>|\[\/?INST\]|<<\/?SYS>>|@\w+\b)\s*/i
export const closingTag = /\s*(?:<\/?[a-z_|][^<>]{0,40}>|\[\/?INST\]|#\w+|\p{Extended_Pictographic}\uFE0F?)\s*$/iu
export const requestLabel = new RegExp(
  "^(?:[\\w']{1,14} ){0,2}(?:request(?: follows)?|message|query|description|details|body|task|prompt|issue|user|says|wrote|writes|asks|asked"
    + "|employee|customer|caller|client|patron|member|student|visitor|agent task|text)\\s?:\\s*(?!$)",
  "i"
)

// -- Blocks that coding agents and chat clients put around a request.

const nameOf = (words: string): string => words.replaceAll(" ", "[-_]?")
const namesOf = (...names: ReadonlyArray<string>): string => names.map(nameOf).join("|")

/** Names of blocks that do not hold the request: reminders, the state of an editor, rules of a repository. */
const state = namesOf(
  "system reminders?", "reminder(?:s| ?instructions)", "important reminders", "very important", "system notice", "agent persistence", "ephemeral message", "environment (?:details|context|info(?:rmation)?)",
  "session context", "untrusted context", "hook context", "editor context", "repo(?:sitory)? (?:context|info|map)", "runtime information", "extra info",
  "workspace (?:info(?:rmation)?|diagnostics|structure)", "project (?:layout|structure|context)", "git status",
  "user (?:info(?:rmation)?|rules|instructions|settings change|prompt submit hook|memory input|action|shell command)",
  "custom instructions", "explicit instructions", "always applied workspace rules", "agent (?:skills|transcripts)", "available skills",
  "manually attached skills", "(?:task|subagent) notification", "command (?:name|message|contents)", "local command (?:stdout|stderr|caveat)",
  "bash (?:input|stdout|stderr)", "ide (?:opened file|diagnostics|state)", "new diagnostics", "linter errors", "terminal (?:output|state)",
  "open and recently viewed files", "(?:open|visible) (?:files|tabs)", "uploaded files", "recent edits", "additional (?:data|metadata)",
  "state snapshot", "(?:conversation|context) summary", "tools used before summary", "todo ?list", "turn aborted", "tool references", "collaboration mode", "persisted output"
)
/** Names of blocks that a person attached as material of the request. */
const attached = namesOf(
  "ide selection", "attached files", "attachments?", "current file", "file contents?", "folder content", "url content", "selections?"
)
/** The opening tag of an agent's block or an attachment. The first group of a match is the block's name. */
export const harnessTag = new RegExp(
  `(?:# AGENTS\\.md instructions[^\\n<]{0,200}\\s{0,4}<(?=INSTRUCTIONS>)|<(?=(?:${state}|${attached}|permissions instructions)[\\s>]))([a-z_-]{3,40}(?: instructions)?)[^<>]{0,200}>`,
  "gi"
)
export const attachedName = new RegExp(`^(?:${attached})$`, "i")
/** The tag before the request in a text that has other blocks too. */
export const requestTag = /<(task|feedback|user[-_]?(?:query|request|message|input|prompt))>/gi

// -- Lines that say nothing about the task: bare markers, mail headers, rules of dashes, log lines.

export const markerOnly = new RegExp(
  "^[^\\p{L}\\p{N}]{0,8}(?:/?(?:system|user|human|assistant|inst|instructions?|response|task|prompt|request|query"
    + "|message|begin|end|im_end|conversation|input|question)[^\\p{L}\\p{N}]{0,8})?$",
  "iu"
)
export const mailHeader = new RegExp(
  "^\\W{0,4}(?:from|to|cc|bcc|date|sent|subject|re|fwd?|ticket|ticket id|case|case id|priority|severity|status"
    + "|requester|reporter|queue|channel|assignee|assigned to|created|opened|department|team|region|locale|language"
    + "|customer id|account|plan|session|user id|tenant|thread|attachments?|reply-to|message-id|importance|via|sla"
    + "|product|component|environment|due|request[_ ]id|client|user[_ ]id|opened by|group|site|phone|name|company|trace[_ ]id|timestamp)\\W{0,3}(?:[:=#]|\\bid\\b)\\s?.{0,120}$",
  "i"
)
export const forwarded = /^[\s>]*(?:-{2,}|_{3,}|={3,}|\*{3,}|\+{3,}|#{3,})(?:[^-=]{0,40}(?:forward|origin|message|begin|end|cut)[^]{0,40})?[\s\-=_*+#]*$/i
export const logLine = new RegExp(
  "^\\s*(?:\\[?\\d{4}-\\d\\d-\\d\\d[T ]\\d\\d:\\d\\d|\\[?\\d\\d:\\d\\d:\\d\\d|\\[?(?:INFO|WARN(?:ING)?|ERROR|DEBUG|TRACE|FATAL)\\b"
    + "|at [\\w.$<>]+\\(|File \"[^\"]{1,120}\", line|Traceback \\(|\\[build\\]|npm ERR|\\w+Error: "
    + "|\\d{1,3}\\.\\d{1,3}\\.\\d{1,3}\\.\\d{1,3} - )"
)

// -- Preambles: greetings, personas of system prompts and their rules.

/** The beginning of a sentence that asks for work. A paragraph that asks for work is not dropped whole. */
export const workVerb = new RegExp(
  "(?:^|[.!?:]\\s)(?:please |now |then )?(?:write|summari|translat|extract|list|classif|compose|explain|solve|calculate|find|generate|rewrite|implement|create"
    + "|identify|convert|introduce|imagine|describe|answer the|read the|tell|label|fix|given|determine|decide|using the|based on)",
  "i"
)
export const persona = new RegExp(
  "^(?:you are (?!given|asked|to |tasked|running|writing|on |in )|you (?:work|serve|help|assist|support) (?:for|at|as|in|customers|users|staff|people)\\b|you're (?!given)|act as an? |as an? (?:ai|assistant|helpful|large)"
    + "|your (?:role|name|job) is|system\\b|role\\W|this is an? (?:automated|internal)|welcome to|i want you to act as an? "
    + "|this assistant|the assistant|assume the role|internal use|instructions for|below is an instruction|the following is a c|company (?:policy|profile)|about us|our company)",
  "i"
)
export const rule = new RegExp(
  "^(?:you (?:are|have|will|must|should|can|may|work|help|never|always|do not|don't|serve|speak|answer|reply)\\b"
    + "|your (?:role|job|name|goal|tone|answers|replies|user|task is to (?:help|assist)|audience)|act as|behave|always\\b|never\\b|do not\\b|don't\\b"
    + "|be (?:brief|polite|concise|kind|friendly|precise|accurate|helpful|honest|careful|professional|formal|clear)|keep (?:answers|your|the|replies|responses|a )"
    + "|follow\\b|avoid\\b|refuse\\b|respond\\b|reply (?:in|with|only|politely)|answer (?:in|concisely|briefly|only|politely|as|accurately|customers|staff|truthfully)"
    + "|use (?:a |metric|plain|british|markdown|short|our|the company|simple|neutral|the tools?)|if (?:you|unsure|in doubt|the user|asked|something|a request)|the (?:user|assistant|current|company|customer)\\b"
    + "|today|current|knowledge|please be|as an? |we (?:are|value|sell|have)|our\\b|this (?:assistant|chat|conversation|system|is)|assume|speak|stay|make sure"
    + "|think before|mention|maintain|ensure|prefer|cite|protect|escalate|write a response that|a chat between|only (?:answer|use|reply)|no (?:emoji|slang|legal|medical)|remember|treat|rules?\\W|guidelines|tone\\W|policy|confidential|safety)",
  "i"
)
export const greeting = new RegExp(
  "^(?:hi|hello|hey|hiya|yo|dear|good (?:morning|afternoon|evening|day)|greetings|hallo|hola|bonjour|ciao|guten tag|moin|sup)"
    + "\\b[^.!?,:;]{0,30}[.!?,:;]+\\s*"
    + "|^(?:(?:i )?hope (?:you|this|all)[^.!?]{0,60}[.!?]+|hope you[^.!?]{0,40}[.!?]+|quick (?:one|question)[^\\w]{0,4}(?:for you)?[:,.!-]+|(?:sorry|apologies) [^.!?]{0,60}[.!?]+"
    + "|ok(?:ay)? so,?|so,? |ugh,?|lol,?|pls |plz |yo,? |btw,? |fyi,? |omg[^\\w]{0,4}|basically |i (?:need|want) this (?:for|by)[^.!?:]{0,40}[.!?:]+|please see [^.!?]{0,80}[.!?]+|(?:this|it) is for (?:my|our|an?) [^.!?:]{0,60}[.!?:]+|my (?:manager|boss|teacher|client|colleague)[^.!?:]{0,60}[.!?:]+|not urgent[^.!?:]{0,60}[.!?:]+|i asked [^.!?:]{0,80}[.!?:]+|follow[- ]up [^.!?:\n]{0,60}[.!?:\n]+|as discussed[^.!?:]{0,80}[.!?:]+|context about me[^\n]{0,120}\n|(?:kinda|kind of) stuck[^.!?:—]{0,20}[.!?:—]+|when you (?:have|get)[^.!?:,]{0,40}[.!?:,]+|not sure if [^.!?:]{0,60}[.!?:]+|first time [^.!?:]{0,40}[.!?:]+|need (?:some |ur |your )?help (?:real quick|plz|pls|here)?[.!:,-]+)\\s*"
    + `|^(?:${wish})(?:\\s*[.!?,:\\n]+\\s*| (?=and ))(?:(?:and|then|so) )*`,
  "i"
)

// -- Trailers: courtesies, signatures and format rules.

export const trailer = new RegExp(
  `^(?:(?:${wish})[^a-z0-9]{0,12}$|thanks?|thank you|thx|ty\\b|cheers|(?:best|kind|warm)? ?regards|best,|sincerely|sent (?:from|via)|confidential|this (?:e-?mail|message) |it'?s urgent|asap|urgent|please hurry`
    + "|many thanks|much appreciated|have a (?:great|nice|good)|looking forward|let me know|merci|danke|gracias|appreciate|any help|i'd be|i would be|no rush|if anything|tysm|(?:\\()?sent from|disclaimer|deliverable|end of|the (?:answer|reply|result) (?:is|goes|will)|i'?m in a (?:hurry|rush)|p\\.?s\\.?"
    + "|(?:please )?(?:respond|reply|answer|return|output|format|provide|give|present|write)[^.]{0,40}\\b(?:json|markdown|plain text|xml|yaml|between|in english|your (?:final )?answer|the (?:final )?(?:answer|output|result)|html|format|briefly|concisely|in (?:the|my) (?:same )?language)\\b"
    + "|use (?:markdown|plain|bullet)|no (?:preamble|markdown|explanation)|do not (?:add|explain|include|use)|don't (?:add|explain|include|use)|be (?:concise|brief|accurate|precise)|keep it (?:short|brief|simple)|explain briefly"
    + "|take (?:a deep|your time)|max(?:imum)? \\d+ (?:words|tokens)|answer concisely|show only|only (?:output|return|reply)|your (?:answer|response|reply) (?:should|must|will)|make sure|remember (?:to|that)|wrap your|end your"
    + "|you will be (?:penali|tip)|i(?:'ll| will) tip|this is (?:very )?important|ticket |case |ref(?:erence)?\\b.{0,20}\\d|--|__|==|\\*\\*\\*)",
  "i"
)
/** The heading of a section about the output's format, and words by which such a section is recognised. */
export const formatHeading =
  /\n[\s#*=[<-]{0,8}(?:instructions?|output(?: format)?|response(?: format)?|format(?:ting)?|answer format|notes?|rules|reminders?|requirements|constraints on style|style|guidelines|footer|disclaimer)[\s#*:=\]>-]{0,8}\n/gi
export const formatBody = /json|format|markdown|reason|concise|accurate|preamble|tags?\b|confidential|tone|language|polite|answer\b|words/i
