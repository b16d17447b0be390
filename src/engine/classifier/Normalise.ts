/** What is read of a long task: instructions stand at the start or at the end, pasted content in between. */
const headChars = 3_000
const tailChars = 1_500

/** A line or sentence past this length is content, never a marker, a greeting or a rule: patterns skip it. */
const longestMarker = 320

/** Rules of a system prompt are looked for in this many sentences; longer prompts are rare and cost time. */
const longestPreamble = 24
/** A first paragraph that opens like a system prompt is dropped whole up to this length. */
const longestParagraph = 1_500

/** Closing courtesies and format rules are looked for in this many sentences from the end. */
const longestTrailer = 8

/** What must remain when a preamble or a trailer is dropped; otherwise it was the task itself. */
const shortestTask = 6

const chatJson = /^\s*[[{]\s*["{[]/
/** A longer JSON is data, and slow to parse. */
const longestEnvelope = 65_536
const deepestEnvelope = 3
const textKey = new RegExp(
  "^(?:text|message|content|prompt|input|query|body|question|request|utterance|user_?(?:input|message|text|query)|msg"
    + "|task|instruction|description|payload|data|params|event|value)$",
  "i"
)
const turnMark = /<\|im_start\|>(\w{1,12})\n?/g
const characterData = /<!\[CDATA\[|\]\]>/g
const otherMark = /<\|[a-z_]{1,20}\|>/g
const systemLike = new RegExp(
  "^\\W*(?:\\|?im_start\\|?\\W*)?(?:system|user|human|assistant|role|rules?|guidelines|instructions?|preamble|persona"
    + "|you are|you're|act as|below is|as an? |the following is a c|conversation|context for the assistant|begin)",
  "i"
)
const userTurn = new RegExp(
  "^[^a-z0-9]{0,8}(?:im_start\\|?>?\\s{0,2})?(?:user|human|end user|inst)"
    + "(?:'s)?(?: (?:message|request|query|input|prompt|says|question|turn|task))?\\s{0,2}[:\\]>*|=-]{1,6}\\s{0,3}",
  "i"
)
const assistantTurn = /^[^a-z0-9]{0,8}(?:im_start\|>)?(?:assistant|ai|bot|\/?inst|\/user|im_end)\s{0,2}[:\]>|*]/i
const markerOnly = new RegExp(
  "^[^\\p{L}\\p{N}]{0,8}(?:/?(?:system|user|human|assistant|inst|instructions?|response|task|prompt|request|query"
    + "|message|begin|end|im_end|conversation|input|question)[^\\p{L}\\p{N}]{0,8})?$",
  "iu"
)
const mailHeader = new RegExp(
  "^\\W{0,4}(?:from|to|cc|bcc|date|sent|subject|re|fwd?|ticket|ticket id|case|case id|priority|severity|status"
    + "|requester|reporter|queue|channel|assignee|assigned to|created|opened|department|team|region|locale|language"
    + "|customer id|account|plan|session|user id|tenant|thread|attachments?|reply-to|message-id|importance|via|sla"
    + "|product|component|environment|due|request[_ ]id|client|user[_ ]id|opened by|group|site|phone|name|company|trace[_ ]id|timestamp)\\W{0,3}(?:[:=#]|\\bid\\b)\\s?.{0,120}$",
  "i"
)
const forwarded = /^[\s>]*(?:-{2,}|_{3,}|={3,}|\*{3,}|\+{3,}|#{3,})(?:[^-=]{0,40}(?:forward|origin|message|begin|end|cut)[^]{0,40})?[\s\-=_*+#]*$/i
const logLine = new RegExp(
  "^\\s*(?:\\[?\\d{4}-\\d\\d-\\d\\d[T ]\\d\\d:\\d\\d|\\[?\\d\\d:\\d\\d:\\d\\d|\\[?(?:INFO|WARN(?:ING)?|ERROR|DEBUG|TRACE|FATAL)\\b"
    + "|at [\\w.$<>]+\\(|File \"[^\"]{1,120}\", line|Traceback \\(|\\[build\\]|npm ERR|\\w+Error: "
    + "|\\d{1,3}\\.\\d{1,3}\\.\\d{1,3}\\.\\d{1,3} - )"
)
/** Tags and brackets of a template around the whole text, and a label that only says that a request follows. */
const openingTag = /^\s*(?:<\/?[a-z_|][^<>]{0,80}>|\[\/?INST\]|<<\/?SYS>>|@\w+\b)\s*/i
const closingTag = /\s*(?:<\/?[a-z_|][^<>]{0,40}>|\[\/?INST\]|#\w+|\p{Extended_Pictographic}\uFE0F?)\s*$/iu
const requestLabel = new RegExp(
  "^(?:[\\w']{1,14} ){0,2}(?:request(?: follows)?|message|query|description|details|body|task|prompt|issue|user|says|wrote|writes|asks|asked"
    + "|employee|customer|caller|client|patron|member|student|visitor|agent task|text)\\s?:\\s*(?!$)",
  "i"
)
/** What a preamble's paragraph must not contain if all of it is dropped: a sentence that asks for work. */
const workVerb = new RegExp(
  "(?:^|[.!?:]\\s)(?:please |now |then )?(?:write|summari|translat|extract|list|classif|compose|explain|solve|calculate|find|generate|rewrite|implement|create"
    + "|identify|convert|introduce|imagine|describe|answer the|read the|tell|label|fix|given|determine|decide|using the|based on)",
  "i"
)
const persona = new RegExp(
  "^(?:you are (?!given|asked|to |tasked|running|writing|on |in )|you (?:work|serve|help|assist|support) (?:for|at|as|in|customers|users|staff|people)\\b|you're (?!given)|act as an? |as an? (?:ai|assistant|helpful|large)"
    + "|your (?:role|name|job) is|system\\b|role\\W|this is an? (?:automated|internal)|welcome to|i want you to act as an? "
    + "|this assistant|the assistant|assume the role|internal use|instructions for|below is an instruction|the following is a c|company (?:policy|profile)|about us|our company)",
  "i"
)
const rule = new RegExp(
  "^(?:you (?:are|have|will|must|should|can|may|work|help|never|always|do not|don't|serve|speak|answer|reply)\\b"
    + "|your (?:role|job|name|goal|tone|answers|replies|user|task is to (?:help|assist)|audience)|act as|behave|always\\b|never\\b|do not\\b|don't\\b"
    + "|be (?:brief|polite|concise|kind|friendly|precise|accurate|helpful|honest|careful|professional|formal|clear)|keep (?:answers|your|the|replies|responses|a )"
    + "|follow\\b|avoid\\b|refuse\\b|respond\\b|reply (?:in|with|only|politely)|answer (?:in|concisely|briefly|only|politely|as|accurately|customers|staff|truthfully)"
    + "|use (?:a |metric|plain|british|markdown|short|our|the company|simple|neutral|the tools?)|if (?:you|unsure|in doubt|the user|asked|something|a request)|the (?:user|assistant|current|company|customer)\\b"
    + "|today|current|knowledge|please be|as an? |we (?:are|value|sell|have)|our\\b|this (?:assistant|chat|conversation|system|is)|assume|speak|stay|make sure"
    + "|think before|mention|maintain|ensure|prefer|cite|protect|escalate|write a response that|a chat between|only (?:answer|use|reply)|no (?:emoji|slang|legal|medical)|remember|treat|rules?\\W|guidelines|tone\\W|policy|confidential|safety)",
  "i"
)
const greeting = new RegExp(
  "^(?:hi|hello|hey|hiya|yo|dear|good (?:morning|afternoon|evening|day)|greetings|hallo|hola|bonjour|ciao|guten tag|moin|sup)"
    + "\\b[^.!?,:;]{0,30}[.!?,:;]+\\s*"
    + "|^(?:(?:i )?hope (?:you|this|all)[^.!?]{0,60}[.!?]+|hope you[^.!?]{0,40}[.!?]+|quick (?:one|question)[^\\w]{0,4}(?:for you)?[:,.!-]+|(?:sorry|apologies) [^.!?]{0,60}[.!?]+"
    + "|ok(?:ay)? so,?|so,? |ugh,?|lol,?|pls |plz |yo,? |btw,? |fyi,? |omg[^\\w]{0,4}|basically |i (?:need|want) this (?:for|by)[^.!?:]{0,40}[.!?:]+|please see [^.!?]{0,80}[.!?]+|(?:this|it) is for (?:my|our|an?) [^.!?:]{0,60}[.!?:]+|my (?:manager|boss|teacher|client|colleague)[^.!?:]{0,60}[.!?:]+|not urgent[^.!?:]{0,60}[.!?:]+|i asked [^.!?:]{0,80}[.!?:]+|follow[- ]up [^.!?:\n]{0,60}[.!?:\n]+|as discussed[^.!?:]{0,80}[.!?:]+|context about me[^\n]{0,120}\n|(?:kinda|kind of) stuck[^.!?:—]{0,20}[.!?:—]+|when you (?:have|get)[^.!?:,]{0,40}[.!?:,]+|not sure if [^.!?:]{0,60}[.!?:]+|first time [^.!?:]{0,40}[.!?:]+|need (?:some |ur |your )?help (?:real quick|plz|pls|here)?[.!:,-]+)\\s*",
  "i"
)
const trailer = new RegExp(
  "^(?:thanks?|thank you|thx|ty\\b|cheers|(?:best|kind|warm)? ?regards|best,|sincerely|sent (?:from|via)|confidential|this (?:e-?mail|message) |it'?s urgent|asap|urgent|please hurry"
    + "|many thanks|much appreciated|have a (?:great|nice|good)|looking forward|let me know|merci|danke|gracias|appreciate|any help|i'd be|i would be|no rush|if anything|tysm|(?:\\()?sent from|disclaimer|deliverable|end of|the (?:answer|reply|result) (?:is|goes|will)|i'?m in a (?:hurry|rush)|p\\.?s\\.?"
    + "|(?:please )?(?:respond|reply|answer|return|output|format|provide|give|present|write)[^.]{0,40}\\b(?:json|markdown|plain text|xml|yaml|between|in english|your (?:final )?answer|the (?:final )?(?:answer|output|result)|html|format|briefly|concisely|in (?:the|my) (?:same )?language)\\b"
    + "|use (?:markdown|plain|bullet)|no (?:preamble|markdown|explanation)|do not (?:add|explain|include|use)|don't (?:add|explain|include|use)|be (?:concise|brief|accurate|precise)|keep it (?:short|brief|simple)|explain briefly|think (?:step|carefully|it)|let'?s think"
    + "|take (?:a deep|your time)|max(?:imum)? \\d+ (?:words|tokens)|answer concisely|show only|only (?:output|return|reply)|your (?:answer|response|reply) (?:should|must|will)|make sure|remember (?:to|that)|wrap your|end your"
    + "|you will be (?:penali|tip)|i(?:'ll| will) tip|this is (?:very )?important|ticket |case |ref(?:erence)?\\b.{0,20}\\d|--|__|==|\\*\\*\\*)",
  "i"
)
const formatHeading =
  /\n[\s#*=[<-]{0,8}(?:instructions?|output(?: format)?|response(?: format)?|format(?:ting)?|answer format|notes?|rules|reminders?|requirements|constraints on style|style|guidelines|footer|disclaimer)[\s#*:=\]>-]{0,8}\n/gi
const formatBody = /json|format|markdown|reason|concise|accurate|preamble|tags?\b|confidential|tone|language|polite|answer\b|words/i

/** The sentence ends of one line, cheap on purpose: a stop, question or exclamation mark before white space. */
export const sentencesOf = (line: string): ReadonlyArray<string> => {
  const sentences: Array<string> = []
  let start = 0
  for (let index = 0; index < line.length; index++) {
    const code = line.charCodeAt(index)
    const wide = code === 0x3002 || code === 0xff1f || code === 0xff01
    const narrow = (code === 46 || code === 63 || code === 33) && line.charCodeAt(index + 1) === 32
    if (!wide && !narrow) continue
    sentences.push(line.slice(start, index + 1))
    start = index + 1
  }
  if (start < line.length) sentences.push(line.slice(start))
  return sentences
}

const lastUserContent = (value: unknown): string | undefined => {
  const list = Array.isArray(value) ? value : Object(value).messages
  if (!Array.isArray(list)) return undefined
  for (const message of list.toReversed()) {
    const { role, content } = Object(message)
    if (role !== "user") continue
    if (typeof content === "string") return content
    if (Array.isArray(content)) return content.map((part) => String(Object(part).text ?? "")).join("\n")
  }
  return undefined
}

/** The longest text under a key that names what a person wrote, some levels down; undefined when there is none. */
const enveloped = (value: unknown, depth: number): string | undefined => {
  if (depth === 0 || typeof value !== "object" || value === null || Array.isArray(value)) return undefined
  const texts = Object.entries(value).flatMap(([key, inner]) => {
    return textKey.test(key) ? (typeof inner === "string" ? inner : enveloped(inner, depth - 1)) ?? [] : []
  })
  return texts.toSorted((a, b) => b.length - a.length)[0]
}

/** The last user message of a chat in JSON, or the text in another envelope; any other text as it is. */
const unwrapChat = (text: string): string => {
  if (text.length > longestEnvelope || !chatJson.test(text.slice(0, 120))) return text
  try {
    const value: unknown = JSON.parse(text)
    return lastUserContent(value) ?? enveloped(value, deepestEnvelope) ?? text
  } catch (cause) {
    // A chat that was cut off, or prose that opens like JSON: it is read as plain text.
    if (cause instanceof SyntaxError) return text
    throw cause
  }
}

/** From the last user turn on, when what stands before it opens like a system prompt or a transcript. */
const afterUserTurn = (lines: ReadonlyArray<string>): ReadonlyArray<string> => {
  const first = lines.find((line) => line.trim() !== "") ?? ""
  if (!systemLike.test(first.slice(0, longestMarker))) return lines
  let from = -1
  let to = lines.length
  for (let index = 0; index < lines.length; index++) {
    const head = lines[index]!.slice(0, 60)
    if (userTurn.test(head)) { from = index; to = lines.length }
    else if (from >= 0 && to === lines.length && assistantTurn.test(head)) to = index
  }
  if (from < 0) return lines
  const turn = [lines[from]!.replace(userTurn, ""), ...lines.slice(from + 1, to)]
  return turn.join("").trim().length >= shortestTask ? turn : lines
}

/** These open or close a pasted block, which the instruction span masks; they must stay in pairs. */
const quoteMarks = new Set(["```", "\"\"\"", "'''"])

const isNoise = (line: string): boolean =>
  line.length <= longestMarker
  && (markerOnly.test(line) || logLine.test(line) || forwarded.test(line))

const withoutNoise = (lines: ReadonlyArray<string>): ReadonlyArray<string> => {
  let fenced = false
  const kept = lines.filter((line) => {
    const start = line.trimStart().slice(0, 3)
    if (start === "```") fenced = !fenced
    return fenced || start === "" || quoteMarks.has(start) || !isNoise(line)
  })
  // One "Subject: ..." may be the task; a block of two or more header lines is an envelope.
  let headers = 0
  let end = 0
  for (; end < kept.length; end++) {
    if (kept[end]!.trim() === "") continue
    if (kept[end]!.length > 140 || !mailHeader.test(kept[end]!)) break
    headers++
  }
  const body = headers >= 2 && end < kept.length ? kept.slice(end) : kept
  return body.some((line) => line.trim() !== "") ? body : lines
}

/** Drops greetings, and a persona with the rules that follow it, from the start. */
const withoutPreamble = (text: string): string => {
  let rest = text.trimStart()
  for (let round = 0; round < 4; round++) {
    const next = rest.slice(0, longestMarker).replace(greeting, "")
    const shorter = next + rest.slice(longestMarker)
    if (shorter.length === rest.length || shorter.trim().length < shortestTask) break
    rest = shorter.trimStart()
  }
  if (!persona.test(bare(rest.slice(0, 80)))) return rest
  const paragraph = rest.indexOf("\n\n")
  const opening = rest.slice(0, Math.max(0, paragraph))
  const isWholePreamble = paragraph > 0 && paragraph <= longestParagraph && !opening.includes("?") && !workVerb.test(opening)
  let dropped = isWholePreamble && rest.length - paragraph > shortestTask ? rest.slice(paragraph).trimStart() : rest
  for (let count = 0; count < longestPreamble; count++) {
    const line = dropped.slice(0, lineEnd(dropped))
    const sentence = sentencesOf(line.slice(0, longestMarker * 4))[0] ?? ""
    const plain = bare(sentence)
    const isRule = plain === "" || (plain.length <= longestMarker && (persona.test(plain) || rule.test(plain)))
    if (!isRule || plain.endsWith("?")) break
    const shorter = dropped.slice(sentence.length).trimStart()
    if (shorter.length < shortestTask) break
    dropped = shorter
  }
  return dropped
}
/** Drops tags around the text and a label before it, a few times. */
const withoutFrame = (text: string): string => {
  let rest = text.trim()
  for (let round = 0; round < 4; round++) {
    const head = rest.slice(0, 120).replace(openingTag, "").replace(requestLabel, "")
    const inner = head + rest.slice(120)
    const cut = Math.max(0, inner.length - 120)
    const shorter = inner.slice(0, cut) + inner.slice(cut).replace(closingTag, "")
    if (shorter.length === rest.length || shorter.trim().length < shortestTask) break
    rest = shorter.trim()
  }
  return rest
}
const lineEnd = (text: string): number => {
  const end = text.indexOf("\n")
  return end < 0 ? text.length : end
}
/** A sentence without its bullet, number or heading marks. */
const bare = (sentence: string): string => sentence.replace(/^[\s\d.)#*>\-•"'[\]]{0,12}/, "").trimEnd()

/** Drops an output-format section, closing courtesies and format rules from the end. */
const withoutTrailer = (text: string): string => {
  let rest = text.trimEnd()
  for (const match of rest.matchAll(formatHeading)) {
    const after = rest.slice(match.index + match[0].length)
    if (match.index >= 20 && after.length <= 700 && formatBody.test(after)) {
      rest = rest.slice(0, match.index).trimEnd()
      break
    }
  }
  for (let count = 0; count < longestTrailer; count++) {
    const start = Math.max(0, rest.length - longestMarker)
    const tail = rest.slice(start)
    const stop = lastBoundary(tail)
    if (start + stop < shortestTask || !trailer.test(bare(tail.slice(stop)))) break
    rest = rest.slice(0, start + stop).trimEnd()
  }
  return rest
}
/** Where the last sentence of `text` begins. */
const lastBoundary = (text: string): number => {
  for (let index = text.length - 2; index > 0; index--) {
    const code = text.charCodeAt(index)
    if (code === 10) return index + 1
    if ((code === 46 || code === 63 || code === 33) && text.charCodeAt(index + 1) === 32) return index + 2
  }
  return 0
}

/**
 * The part of a task that says what is wanted, with its content: without chat markers, system prompts, envelopes, log
 * lines, greetings and format rules. At most about 4,500 characters; time is linear in what is read.
 */
export const squeeze = (task: string): string => {
  const chat = unwrapChat(task)
  const cut = chat.length <= headChars + tailChars
    ? chat
    : `${chat.slice(0, headChars)}\n${chat.slice(-tailChars)}`
  const plain = cut.replaceAll("\r\n", "\n").replace(turnMark, "\n$1: ")
    .replace(otherMark, "\n").replace(characterData, "\n")
  const lines = withoutNoise(afterUserTurn(plain.split("\n")))
  const text = withoutFrame(withoutTrailer(withoutPreamble(withoutFrame(lines.join("\n")))))
  return text.trim() === "" ? cut : text
}
