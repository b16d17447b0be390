import type { Voice } from "./examples.ts"
import { framesAfter, framesBefore } from "./frames.ts"
import { chatter, closers, letterheads, shells, systems } from "./openings.ts"
import { wrappersA } from "./wrappers-a.ts"
import { wrappersB } from "./wrappers-b.ts"
import { wrappersC } from "./wrappers-c.ts"
import { wrappersD } from "./wrappers-d.ts"

export type Wrapper = (task: string) => string
const wrappersBy = { a: wrappersA, b: wrappersB, c: wrappersC, d: wrappersD }
/** What one person would put around a request. */
export const wrappersOf = (voice: Voice): ReadonlyArray<Wrapper> =>
  wrappersBy[voice].map(({ wrap: wrapped }) => wrapped)

/** Dressing around a request that must not change its type; `{}` is the request. */
export const trainWrappers: ReadonlyArray<string> = [
  "You are Nimbus, the virtual agent of Aldersea Insurance. Always stay polite. Never promise a refund. If you are unsure, say so.\n\n{}",
  "You are a helpful assistant.\n\n{}",
  "SYSTEM: You are an internal copilot for the finance team at Brightwater Ltd. Keep answers factual and cite the policy where you can.\nUSER: {}",
  "### System\nYou are Otto, an assistant for engineers. Rules:\n- never share secrets\n- use metric units\n- be brief\n\n### User\n{}",
  "<|im_start|>system\nYou are a careful assistant.<|im_end|>\n<|im_start|>user\n{}<|im_end|>\n<|im_start|>assistant",
  "[INST] {} [/INST]",
  "Human: {}\n\nAssistant:",
  "[{\"role\":\"user\",\"content\":{json}}]",
  "{\"messages\":[{\"role\":\"system\",\"content\":\"Be kind.\"},{\"role\":\"user\",\"content\":{json}}]}",
  "hey so um quick thing, {}",
  "yo!! {} thx a bunch",
  "pls help me out here real quick: {}",
  "ok so basically i need this for tomorrow lol. {}",
  "hiya, sorry to bother you again!! {} ty ty",
  "Ticket: #48211\nPriority: P3\nRequester: m.okafor\nQueue: general\n\n{}",
  "Case ID: 99-1841\nOpened: 2024-03-12 09:14\nChannel: web form\nDescription: {}",
  "Subject: small request\nFrom: dana@example.org\nTo: helpdesk@example.org\nDate: Tue, 4 Jun 2024\n\n{}",
  "---------- Forwarded message ---------\nFrom: Lee Park <lee@example.com>\nDate: Mon, 3 Jun 2024 at 10:02\nSubject: Fwd: can you look at this\nTo: assistant@example.com\n\n{}\n\n--\nLee Park | Operations",
  "Hi team,\n\nplease see the request from our customer below and handle it.\n\n{}\n\nBest regards,\nJoana",
  "Good morning! I hope you had a lovely weekend. {} Many thanks and best wishes, Ruth",
  "{}\n\nPlease answer in JSON with the keys \"reasoning\" and \"answer\".",
  "{}\n\n## Output format\nReturn valid JSON only. No markdown. No explanation.",
  "{}\n\nNotes:\n- the answer goes straight to a customer\n- no more than 200 words\n- use a friendly tone",
  "{}\n\nThink carefully and check your work before answering.",
  "{}\n\n(Sent from my phone, please excuse typos.)",
  "{}\n\nDISCLAIMER: This message is confidential and intended only for the recipient.",
  "Our company sells garden furniture in twelve countries. We value clarity, respect and speed. The assistant supports employees in all departments. Requests may come in any language.\n\nEmployee request: {}",
  "<context_window_info>session=81, user_tier=pro</context_window_info>\n<user_request>\n{}\n</user_request>",
  "# Instructions for the assistant\n1. Read the request.\n2. Do what it asks.\n3. Do not mention these instructions.\n\n# Request\n{}",
  "Internal use only. Current date: 2024-09-30. Locale: en-GB. User plan: enterprise.\n\nRequest follows:\n{}",
  "I asked this yesterday but got no reply so I try again: {}",
  "Not urgent, but when you have a minute: {} No rush at all!",
  "{}\n\nIf anything is unclear, make reasonable assumptions and state them.",
  "{}\n\n2024-06-01T10:00:00Z INFO request received id=7f3a\n2024-06-01T10:00:01Z INFO routed to pool b",
  "request_id: 5521\nlocale: de-DE\nclient: android/8.1\ntext: {}",
  "@bot {} #help",
  "My manager wants this done before lunch. {}",
  "Follow-up to our chat last week.\n\n{}\n\nLet me know if you need anything else from me.",
  "As discussed in the meeting, here is what I need from you:\n\n{}",
  "Task #12 of 40\n====\n{}\n====\nEnd of task",
  "Context about me: I am a teacher in a small town and not very technical.\n\n{}",
  "TASK:\n{}\n\nDELIVERABLE: one complete answer, ready to paste.",
  "Welcome to the Harrowgate Logistics assistant. This assistant serves drivers and dispatchers. It must not discuss wages. It should be courteous at all times.\n\nDriver: {}",
  "omg hi!! kinda stuck rn lol — {} — tysm!!! 🙏",
  "INC0038812 | Sev 4 | Opened by jsmith | Group: Service Desk L2\nDetails:\n{}",
  "-----Original Message-----\nFrom: Petra Novak\nSent: 11 April 2024 16:20\nTo: AI Desk\nSubject: RE: RE: question\n\nHi,\n\n{}\n\nKind regards,\nPetra Novak\nHead of Purchasing",
  "{}\n\nReminder: the reply is read aloud to callers, so avoid tables and emojis. Our style guide asks for British spelling.",
  "<prompt version=\"3\"><meta lang=\"en\" tier=\"gold\"/><body>{}</body></prompt>",
  "[09:41] Tom: hey, got a sec?\n[09:41] bot: Sure!\n[09:42] Tom: {}",
  "You work for the city library of Marlow. Patrons write to you by text message. Treat everyone kindly, do not share personal data, and offer to connect them with a librarian when needed. The library opens at nine.\n\nPatron message: {}",
  "This is for my evening class and I already tried twice on my own. {} I'd be really grateful for any help you can give."
]

/** Never seen in training: how often these change the type is the honest measure of robustness. */
export const unseenWrappers: ReadonlyArray<string> = [
  "Persona: Greta, front desk of the Seeblick hotel. Mood: warm. Limits: no discounts, no gossip, never guess room prices.\n\nGuest writes: {}",
  "soooo my brain is mush today 😅 anyway {} k thanks byeee",
  "CHG-2291 / requested by: Facilities / approval: pending / risk: low\nWork notes: {}",
  "On Wed, 5 Jun 2024 at 08:15, Iris Chan wrote:\n\nMorning all,\n\n{}\n\nCheers\nIris",
  "{}\n\nGround rules for your output: British spelling, no exclamation marks, finish with the word DONE.",
  "{{#if user}}\n  {{!-- template v7 --}}\n{}\n{{/if}}",
  "Moderator 14:02: next question please\nVisitor 14:03: {}",
  "Northwind Energy operates a help line for tenants. Staff read replies to callers word for word. Prices change monthly, so none should be quoted from memory. Calls are recorded.\n\nLatest call note: {}",
  "I have been going round in circles with this since breakfast and my colleague could not help either. {} Hope that makes sense, otherwise just ask me."
]

export const openings: ReadonlyArray<string> = [
  "Profile: Milo, concierge of a spa. Style: calm. Avoid: prices.", "Fjordline Ferries runs a chat for passengers. Replies are logged. Timetables change.",
  "Bluepeak Energy has 400 staff. Agents use this tool on calls. Nothing leaves the company.", "Operator note: caller is elderly, be patient.",
  "REQ-8812 / team: Legal / state: open", "JOB 77 | owner: kim | stage: review", "On Mon, 3 Jun 2024, Paula Ortiz wrote:", "Hi there, hope all is well.",
  "Morning everyone,", "Dear colleague,", "Agent 10:02: who is next?", "[10:15] Max: me please", "so my head hurts today 😩", "argh ok", "right, next one for you:",
  "I have been stuck on this for days and nobody here can help.", "My teacher gave us this and I am lost.", "This came in over the weekend from a client.",
  "Session 4, turn 9.", "lang=en; mode=fast; tier=2", "<!-- template 3 -->", "{{header}}", "=== BEGIN ===", "Batch item 14:", "Notes from intake: first contact, web.",
  "Staff at Oakridge Clinic type their questions here. Keep patients' names out.", "House style: short words. No jokes.", "Scope: anything legal. Region: EU.",
  "This tool is run by the town of Elm. Citizens may ask anything. Opening hours are nine to five.", "Reference for auditors: 2024/118.", "Voice transcript, may contain errors."
]
const labels: ReadonlyArray<string> = [
  "", "", "", "", "Guest: ", "Passenger: ", "Note: ", "Summary of contact: ", "Intake note: ", "Here it is: ", "Ask: ", "Input from user: ", "Question from the field: ", "Item: ",
  "Kim 10:03: ", "[10:16] Max: ", "anyway ", "so: ", "> ", "- ", "1. ", "Student: ", "Call note: ", "He writes: ", "Content of the ticket: ", "Q4: "
]
export const closings: ReadonlyArray<string> = [
  "", "", "", "Cheers\nPaula", "Thx, Kim", "k bye", "hope that makes sense!", "just ask me if not clear.", "=== END ===", "{{footer}}", "Our house rules: no emojis, British spelling.",
  "The reply will be printed, so keep it plain.", "Close with the word OVER.", "Please mind our style: short words, no exclamation marks.", "I would be so grateful.", "🙏🙏", "xoxo",
  "-- \nPaula Ortiz\nSales", "Assistant:", "Ground rules: be precise, be polite.", "(typed on a train)", "Any help is welcome, really.", "Due today.", "Copy: finance, legal"
]

/** How often a whole wrapper by another hand is taken, when there are any. */
const extraShare = 0.65

/**
 * A request in a fixed wrapper or in one put together at random; `random` gives numbers in [0, 1),
 * and only what `isUsed` by its place in a list is taken.
 */
export const dress = (
  task: string,
  random: () => number,
  extra: ReadonlyArray<Wrapper>,
  isUsed: (index: number) => boolean
): string => {
  const pick = <A>(all: ReadonlyArray<A>): A => {
    const list = all.filter((_, index) => isUsed(index))
    return list[Math.floor(random() * list.length)]!
  }
  if (extra.length > 0 && random() < extraShare) return pick(extra)(task)
  if (random() < 0.2) return wrap(pick(trainWrappers), task)
  const breakOf = () => random() < 0.35 ? " " : random() < 0.5 ? "\n" : "\n\n"
  const before = [[systems, 0.25], [letterheads, 0.15], [framesBefore, 0.2], [framesBefore, 0.15], [openings, 0.2], [chatter, 0.2]] as const
  const opening = before.filter(([, share]) => random() < share).map(([list]) => pick(list) + breakOf()).join("")
  const inner = random() < 0.2 ? wrap(pick(shells), task) : pick(labels) + task
  const after = [[closers, 0.3], [framesAfter, 0.25], [closings, 0.2]] as const
  return opening + inner + after.filter(([, share]) => random() < share).map(([list]) => breakOf() + pick(list)).join("")
}

export const wrap = (wrapper: string, task: string): string =>
  wrapper.includes("{json}")
    ? wrapper.replace("{json}", () => JSON.stringify(task))
    : wrapper.replace("{}", () => task)
