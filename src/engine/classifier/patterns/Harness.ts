/** Patterns of what coding agents and chat clients put around a request. */

const nameOf = (words: string): string => words.replaceAll(" ", "[-_]?")
const namesOf = (...names: ReadonlyArray<string>): string => names.map(nameOf).join("|")

/** Blocks that say nothing of the request: reminders, the state of an editor, rules of a repository. */
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
/** Blocks of what a person attached: material of the request. */
const attached = namesOf(
  "ide selection", "attached files", "attachments?", "current file", "file contents?", "folder content", "url content", "selections?"
)
/** An opening tag of either; the second group is the name of what was attached. */
export const harnessTag = new RegExp(
  `(?:# AGENTS\\.md instructions[^\\n<]{0,200}\\s{0,4}<(?=INSTRUCTIONS>)|<(?=(?:${state}|${attached}|permissions instructions)[\\s>]))([a-z_-]{3,40}(?: instructions)?)[^<>]{0,200}>`,
  "gi"
)
export const attachedName = new RegExp(`^(?:${attached})$`, "i")
/** The tag before the request itself, where blocks stand beside it. */
export const requestTag = /<(task|feedback|user[-_]?(?:query|request|message|input|prompt))>/gi
