/** Patterns of envelopes of a task: chats in JSON, chat markers, turns of a transcript, template tags. */

/** Opens like a JSON object or list. */
export const chatJson = /^\s*[[{]\s*["{[]/
/** A JSON key that names what a person wrote. */
export const textKey = new RegExp(
  "^(?:text|message|content|prompt|input|query|body|question|request|utterance|user_?(?:input|message|text|query)|msg"
    + "|task|instruction|description|payload|data|params|event|value)$",
  "i"
)
/** Markers of chat templates and of XML. */
export const turnMark = /<\|im_start\|>(\w{1,12})\n?/g
export const characterData = /<!\[CDATA\[|\]\]>/g
export const otherMark = /<\|[a-z_]{1,20}\|>/g
/** A first line that opens like a system prompt or a transcript. */
export const systemLike = new RegExp(
  "^\\W*(?:\\|?im_start\\|?\\W*)?(?:system|user|human|assistant|role|rules?|guidelines|instructions?|preamble|persona"
    + "|you are|you're|act as|below is|as an? |the following is a c|conversation|context for the assistant|begin)",
  "i"
)
/** A line with which the user's turn, or the assistant's, begins. */
export const userTurn = new RegExp(
  "^[^a-z0-9]{0,8}(?:im_start\\|?>?\\s{0,2})?(?:user|human|end user|inst)"
    + "(?:'s)?(?: (?:message|request|query|input|prompt|says|question|turn|task))?\\s{0,2}[:\\]>*|=-]{1,6}\\s{0,3}",
  "i"
)
export const assistantTurn = /^[^a-z0-9]{0,8}(?:im_start\|>)?(?:assistant|ai|bot|\/?inst|\/user|im_end)\s{0,2}[:\]>|*]/i
/** Tags and brackets of a template around the whole text, and a label that only says that a request follows. */
export const openingTag = /^\s*(?:<\/?[a-z_|][^<>]{0,80}>|\[\/?INST\]|<<\/?SYS>>|@\w+\b)\s*/i
export const closingTag = /\s*(?:<\/?[a-z_|][^<>]{0,40}>|\[\/?INST\]|#\w+|\p{Extended_Pictographic}\uFE0F?)\s*$/iu
export const requestLabel = new RegExp(
  "^(?:[\\w']{1,14} ){0,2}(?:request(?: follows)?|message|query|description|details|body|task|prompt|issue|user|says|wrote|writes|asks|asked"
    + "|employee|customer|caller|client|patron|member|student|visitor|agent task|text)\\s?:\\s*(?!$)",
  "i"
)
