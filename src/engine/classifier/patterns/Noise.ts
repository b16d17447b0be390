/** Patterns of lines that say nothing of the task: bare markers, mail headers, rules of dashes, log lines. */

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
