/* Kinds of prompt from practical work. */

/** One kind of task in two or three wordings; `{slot}` takes a word, `{n}` a number. */
export interface Kind {
  readonly name: string
  readonly wordings: ReadonlyArray<string>
}

const code: ReadonlyArray<Kind> = [
  { name: "bug", wordings: [
    "My {language} function {routine} in {file} crashes with \"{failure}\". Find the bug and fix it.",
    "Running {routine} gives {failure} ({file}, {language}). What is wrong and how do I repair it?"
  ] },
  { name: "sql", wordings: [
    "Write a SQL query that returns the top {n} rows of {table} by {column}, grouped per month.",
    "I have a table {table} with {column} and {column}. Give me the SQL for a monthly total, limit {n}.",
    "SQL please: average per {column} from {table} joined with {table} over the past {n} days."
  ] },
  { name: "structure", wordings: [
    "Implement {structure} in {language} with insert and delete, and state the complexity.",
    "Write {structure} from scratch in {language}; capacity {n}, no libraries."
  ] },
  { name: "unit-tests", wordings: [
    "Write unit tests for {routine} in {file}, edge cases included, using the usual {language} framework.",
    "{routine} has no tests yet. Add at least {n} test cases in {language} that cover failures too."
  ] },
  { name: "regex", wordings: [
    "Give me a regular expression that matches order numbers like AB-{n}-2024 but not AB{n}.",
    "Regex to extract every price above {n} euros from a line of text, {language} flavour?"
  ] },
  { name: "refactor", wordings: [
    "Refactor {file}: {routine} is {n}0 lines long with nested ifs. Split it without changing behaviour.",
    "{routine} does three things at once. Restructure this {language} code into smaller functions."
  ] },
  { name: "shell", wordings: [
    "Bash one-liner that deletes log files older than {n} days and prints how much space was freed.",
    "Shell command to find the {n} largest files under /var and sort them by size?"
  ] },
  { name: "deploy", wordings: [
    "Write a Dockerfile and compose file for {service}, written in {language}, listening on port 80{n}.",
    "We deploy {service} on Kubernetes. Draft a deployment with {n} replicas and a readiness probe."
  ] },
  { name: "review", wordings: [
    "Review this {language} change to {file}: it adds a cache around {routine}. Which risks do you see?",
    "Code review, please: {routine} now retries {n} times in {file}. Is that safe under load?"
  ] },
  { name: "port", wordings: [
    "Port {routine} from {language} to {language} and keep the public signature.",
    "Translate the {language} module {file} into idiomatic {language}."
  ] }
]

const support: ReadonlyArray<Kind> = [
  { name: "refund", wordings: [
    "A customer writes that the {product} {complaint}. Write a polite reply that refunds {n} euros.",
    "Answer {person}: the {product} {complaint}; she wants her {n} euros back and we agree."
  ] },
  { name: "triage", wordings: [
    "Label this ticket as billing, delivery or defect: \"my {product} {complaint}, order {n}\".",
    "Which queue does it belong to (billing, delivery, defect)? \"Hello, the {product} {complaint}.\""
  ] },
  { name: "outage", wordings: [
    "Write a status page update: {service} was down for {n} minutes, cause under investigation.",
    "Draft a notice to customers about the outage of {service}; it lasted {n} minutes and is over."
  ] },
  { name: "password", wordings: [
    "{person} cannot reset the password, the link expires after {n} minutes. Explain what to do.",
    "Write help text for users whose reset mail from {service} does not arrive within {n} minutes."
  ] },
  { name: "address", wordings: [
    "Extract name, street, city and order number: \"{person}, {n} Mill Lane, {city}, order {n}{n}\".",
    "Turn this into JSON with name, city and number: {person} from {city} phoned about order {n}{n}."
  ] },
  { name: "escalate", wordings: [
    "The customer at {company} threatens to cancel because {service} failed {n} times. Calm them down.",
    "Write an apology from a manager to {company}: {n} incidents with {service} this quarter."
  ] }
]

const language: ReadonlyArray<Kind> = [
  { name: "translate", wordings: [
    "Translate into {tongue}: \"{sentence}\"",
    "How do you say this in {tongue}? {sentence}",
    "{tongue} version of the following line: {sentence}"
  ] },
  { name: "idiom", wordings: [
    "What is the {tongue} equivalent of the idiom \"{idiom}\"? Give an example sentence.",
    "Explain the saying \"{idiom}\" to a native {tongue} speaker, and name a similar one."
  ] },
  { name: "proofread", wordings: [
    "Correct the grammar, my {tongue} accent shows: \"{sentence} I am agree since {n} days.\"",
    "Proofread: \"{person} have told me yesterday that {sentence}\""
  ] },
  { name: "subtitles", wordings: [
    "Subtitle in {tongue}, at most {n} characters a line, for this dialogue: \"{sentence}\"",
    "Shorten and translate to {tongue} for subtitles ({n} characters): {sentence}"
  ] },
  { name: "formality", wordings: [
    "Rewrite in formal {tongue} for a letter to {company}: \"{sentence}\"",
    "Make it sound casual in {tongue}, as if writing to {person}: {sentence}"
  ] }
]

export const practicalKinds: ReadonlyArray<Kind> = [...code, ...support, ...language]
