/** Envelopes that home assistants, clubs, schools and small shops put round a request, to learn from. */
export const wrappersD: ReadonlyArray<{ readonly name: string; readonly wrap: (task: string) => string }> = [
  {
    name: "d-family-hub",
    wrap: (task) =>
      "You're Pebble, the helper on the kitchen screen of the Okonjo-Lind home (two adults, three kids).\n" +
      "House style: kind, brief, metric units. Children may be reading along.\n" +
      "Never give out the door code.\n\n" +
      `Spoken by: adult voice 2\n${task}`
  },
  {
    name: "d-speaker-json",
    wrap: (task) =>
      JSON.stringify({
        device: "speaker-hall",
        firmware: "4.11.0",
        locale: "en-GB",
        asr: { confidence: 0.93, transcript: task },
        presence: ["kit", "guest"]
      })
  },
  {
    name: "d-arabic-preamble",
    wrap: (task) =>
      "أنت مساعد ودود في تطبيق جمعية الحي. أجب باحترام، وتجنب الإطالة، ولا تذكر أسماء السكان للغرباء.\n" +
      `طلب العضو:\n${task}\nشكراً جزيلاً لك.`
  },
  {
    name: "d-turkish-ticket",
    wrap: (task) =>
      "Talep no: 48213 | Kanal: mobil uygulama | Üyelik: bireysel | Durum: açık\n" +
      "Not: Üye daha önce iki kez yazdı, kibar olun.\n" +
      `------\n${task}\n------\nSon güncelleme: 09:14`
  },
  {
    name: "d-persian-thread",
    wrap: (task) =>
      "از: نگار\nبه: دستیار کتابخانه‌ی محله\nموضوع: یک خواهش کوچک\n\n" +
      `سلام و وقت بخیر،\n${task}\n\nبا سپاس، نگار`
  },
  {
    name: "d-hebrew-persona",
    wrap: (task) =>
      "את/ה 'גחלית', העוזרת הדיגיטלית של המתנ\"ס. סגנון: חם, ישיר, בלי סימני קריאה מיותרים.\n" +
      `פנייה מהאתר:\n"""\n${task}\n"""`
  },
  {
    name: "d-russian-messenger",
    wrap: (task) =>
      `[Дачный чат, 21:07] Зина: спросите бота, он умный\n[Дачный чат, 21:08] Вы переслали:\n${task}`
  },
  {
    name: "d-serbian-shop",
    wrap: (task) =>
      "Radionica „Hrast i kost“ — pomoćnik za mušterije. Piši jednostavno, persiranje obavezno.\n" +
      `Poruka primljena preko sajta:\n${task}\n\n(poslato sa telefona)`
  },
  {
    name: "d-hungarian-xml",
    wrap: (task) =>
      "<beszelgetes nyelv=\"hu\">\n  <szerep>közösségi ház asszisztense</szerep>\n" +
      `  <keres><![CDATA[${task}]]></keres>\n  <valasz-hossz>szükség szerint</valasz-hossz>\n</beszelgetes>`
  },
  {
    name: "d-homework-portal",
    wrap: (task) =>
      "## Brackenfield School - study portal\n" +
      "*Year group:* 8 | *Signed in as:* pupil\n\n" +
      "> Staff note: be encouraging. Remind pupils that final work must be their own.\n\n" +
      `### What do you need?\n\n${task}\n`
  },
  {
    name: "d-game-overlay",
    wrap: (task) =>
      `[overlay v2.3][party: 4/5][zone: Saltmarsh] /ask ${task}\n[system] replies are cut at 900 letters`
  },
  {
    name: "d-fan-forum-quote",
    wrap: (task) =>
      "Posted in: Off-topic lounge > Ask the bot\nUser: velvet_tugboat (member since 2011, 4,802 posts)\n\n" +
      `${task}\n\n___\n*"mind the quiet"* | my avatar is by @inkling | DMs open`
  },
  {
    name: "d-band-chat",
    wrap: (task) =>
      "#rehearsal-room\nlotte  19:22\nuse the assistant, that's what we pay for\nyou  19:23\n" +
      `@assistant ${task}\nlotte  19:23\n👏`
  },
  {
    name: "d-parish-office",
    wrap: (task) =>
      "You work in the office of St Brannock's. Volunteers aged 16 to 88 write in; be patient and plain.\n" +
      "Don't take sides in matters of doctrine. Pastoral emergencies go to the duty phone.\n" +
      `\nRequest slip no. 119\n${task}\n\nReceived with thanks.`
  },
  {
    name: "d-forwarded-mail",
    wrap: (task) =>
      "---------- Forwarded message ---------\nFrom: Mum\nDate: Sat, 14 Jun, 08:51\n" +
      "Subject: Fwd: Re: can your computer do this\n\n" +
      `${task}\n\nSent from my tablet. Please excuse the thumbs.`
  },
  {
    name: "d-log-prefix",
    wrap: (task) =>
      `2025-05-30T18:02:44.310Z INFO homebot.intake req=7f2c user=guest-3 body=${JSON.stringify(task)}`
  },
  {
    name: "d-yaml-envelope",
    wrap: (task) =>
      "kind: Request\nsource: allotment-app\nmember_since: 2019\n" +
      "style:\n  - friendly\n  - no jargon\nbody: |\n" +
      task.split("\n").map((line) => `  ${line}`).join("\n")
  },
  {
    name: "d-safety-notice",
    wrap: (task) =>
      "Safety: you're not a doctor, electrician or lawyer. For gas smells, chest pain or live wires, " +
      `send people to the\nemergency number first. Otherwise simply help.\n\nMember: ${task}\nHelper:`
  },
  {
    name: "d-style-guide",
    wrap: (task) =>
      `${task}\n\n--\nStyle: British spelling. No exclamation marks. Don't open with praise. ` +
      "Don't mention that you're a machine.\nIf the request is unclear, ask one question at most."
  },
  {
    name: "d-german-club",
    wrap: (task) =>
      "Vereins-Assistent des Kleingartenvereins Sonnenhang e. V.\nHinweis: Antworten sind unverbindlich. " +
      "Datenschutz: keine Mitgliedsdaten nennen.\n\n" +
      `Anfrage über das Kontaktformular:\n${task}\n\nMit Gartengruß`
  }
]
