/** Parts of dressings that are put together at random around a request in training; none may change its type. */
export const systems: ReadonlyArray<string> = [
  "You are Lumi, the study helper of Northgate College. Be patient. Never write a whole assignment.",
  "Role: assistant for the warehouse team. Tone: short, friendly. Do not reveal prices from suppliers.",
  "You support the employees of a bakery chain. Answer in the language of the employee. Keep it under 150 words.",
  "System prompt v14. The assistant is called Quill. Quill never mentions competitors, never gives medical advice and signs off with a smile.",
  "We run a newsroom. This bot serves editors and interns. Facts matter more than style. If something is unclear, ask once.",
  "Assistant profile\nname: Ember\ncompany: Ridgeway Tools\naudience: hobby builders\nforbidden: politics, gossip",
  "You are an expert with twenty years of experience in many fields. Take a deep breath and give your best answer.",
  "<system>Follow the user's request. Today is 3 October 2025. Timezone CET. Tools are disabled.</system>",
  "Guidelines:\n1. Be truthful.\n2. Be brief.\n3. If you do not know, say that you do not know.\n4. Never apologise twice.",
  "The following message was sent by a member of our community forum. Moderators read along. Swearing is not allowed.",
  "As a municipal service we answer every citizen within two days. Staff paste citizens' messages here. Do not store personal data.",
  "You will receive a request from an end user. Handle it. The user pays for the premium plan and expects care.",
  "# About this workspace\nBrightpath is a charity with 60 volunteers. The assistant drafts, checks and finds things for them.\n# House rules\nPlain words. No exclamation marks.",
  "CONFIDENTIAL - internal deployment for Alder & Sons, attorneys. Log every exchange. No legal guarantees.",
  "Think of yourself as a calm colleague. Nobody here is a programmer. Nobody here is a lawyer either.",
  "Setting: a kiosk at the airport of Oru. Travellers are in a hurry. Screens show at most 600 characters.",
  "You're chatting with a subscriber of MetroMobile. Subscribers are annoyed easily, so stay kind. Do not offer credits.",
  "Configuration: temperature 0.2, max length 800, persona neutral, memory off.",
  "This is the public demo. Users may type anything at all. Replies are rated by reviewers for accuracy and tone.",
  "Act as the in-house assistant of a hospital group. Emergencies go to 112. Never replace a doctor's opinion.",
  "our bot policy: no slang, no emojis, metric units, dates as day month year",
  "Knowledge cutoff: 2024-06. Current user: editor-in-chief. Workspace: magazine. Permissions: read, write.",
  "Instructions to the model: read the message of the customer below and do what the customer wants. Do not invent anything.",
  "School account. The pupil is 14. Explain where needed, encourage, and never ask for the pupil's name.",
  "You are deployed in the car app of Velo Motors. The driver must not be distracted. Answers are spoken."
]
export const letterheads: ReadonlyArray<string> = [
  "Ticket 77-2041 | opened 09:12 | channel: chat | owner: unassigned", "HD-5530\nRequester: Paul Adler\nPriority: normal\nCategory: misc\nDescription:",
  "To: office-assistant@fern.example\nFrom: Leila Nasser\nSubject: please\n", "Fwd: Fwd: for the assistant\n> From: Greg\n> To: Leila\n", "Slack | #ask-anything | nadia 11:47",
  "[WhatsApp] 14/06/25, 18:02 - Uncle Joe:", "*** form submission ***\nname: K. Brandt\nphone: (hidden)\nmessage:", "Voicemail transcript (confidence 0.91):", "Case owner's remark: came in by fax.",
  "SR 1100291 / Tier 1 / EMEA / waiting for agent", "From the desk of the principal", "Posted by user8841 - 3 hours ago - 12 replies", "Re: Re: Re: help", "Meeting chat, room 4:",
  "-------- Forwarded --------\nFrom: Intake <intake@example.org>\nDate: Fri, 20 Jun 2025", "id: 88213, src: widget, lang: auto", "Q&A box, message 31 of 90:", "Internal request form 12-B\nDepartment: Purchasing\nCost centre: 4410\nText of the request:",
  "JIRA OPS-4471\nReporter: a.kim\nLabels: none\n---", "Chat started at 08:31. Visitor has been waiting 2 min.", "SMS from +44 7700 900123:", "{\"source\":\"kiosk\",\"turn\":1}", "<!-- message -->", "##### INPUT #####", "begin request >>>"
]
export const chatter: ReadonlyArray<string> = [
  "heyyy", "ok listen", "so um", "hi again, me again", "dude", "quick q", "sooo i have this thing", "right so", "gm!", "aight", "my brain refuses today,", "Good evening, sorry for writing so late.", "no idea where to start but",
  "I hope I am in the right place.", "As I told your colleague on the phone,", "First of all, great service so far!", "we spoke yesterday.", "It is my first week here.", "lol this is embarrassing but", "yo bestie", "omg pls save me", "morning :)",
  "Before I forget:", "One more thing.", "My deadline is in an hour.", "Context: I run a small shop.", "My daughter needs this for school.", "Asking for a friend.", "This is probably simple for you.", "Next item on my list:", "Hallo zusammen,", "Bonjour,", "hola buenas", "tbh idk", "welp",
  "The other assistant could not do it.", "Let me try this in a new chat.", "I'm typing with one hand, baby on the other arm.", "Not sure who handles this."
]
export const closers: ReadonlyArray<string> = [
  "cheers", "thx!!", "ty <3", "Sincerely,\nLeila Nasser\nFern & Co, 2nd floor", "Best,\nG.", "--\nK. Brandt | Facilities | ext. 4410", "Sent with Pigeon Mail", "Kind regards from a rainy Oru", "lmk", "no stress", "Take your time.", "I know you can do it!", "appreciate u",
  "Please keep the reply under 100 words.", "Answer in plain text, no bullet points.", "Respond as JSON: {\"reply\": string}", "Output only the final result.", "Format your response in Markdown with a heading.", "Wrap the result in <out></out>.", "Do not explain yourself.",
  "Reply in the same language.", "Keep the tone warm.", "Number your points.", "The result is shown on a small screen.", "It will be checked by two reviewers.", "End with a short offer to help further.", "Avoid jargon.", "No more than three sentences, please.", "Cite nothing.",
  "<<< end request", "##### END #####", "[end of message]", "</message>", "(auto-translated)", "This e-mail and any attachment are meant for the addressee only.", "Unsubscribe | Privacy", "If you cannot do it, tell me why.", "You have one attempt.", "I will tip you well.",
  "Rate this chat from 1 to 5 when done.", "Logged by system at 11:48.", "P.S. greetings to the team", "was that clear?", "or am I asking the wrong person?", "merci d'avance", "Vielen Dank!", "gracias :)"
]
export const shells: ReadonlyArray<string> = [
  "<message>\n{}\n</message>", "\"{}\"", ">>> {}", "### Request\n{}\n### Response", "Request: {}\nYour answer:", "> {}", "* {}", "1) {}", "Text: {}", "customer: {}\nagent:", "{} ...", "[{}]", "user> {}\nbot>", "input = {}", "Nadia: {}", "--- \n{}\n---",
  "{\"message\": {json}, \"attachments\": []}", "{\"input\": {json}}", "messages:\n  - role: user\n    content: {}", "Message from the pupil: {}", "the boss writes: {}", "Here is what I want: {}", "this is the task: {}", "Please handle: {}", "Q: {}\nA:"
]
