import type { Difficulty, TaskType } from "../../src/domain/Task.ts"

export interface Request {
  readonly intent: string
  readonly type: TaskType
  readonly difficulty: Difficulty
  /** Types that would be fair answers too. */
  readonly also?: ReadonlyArray<TaskType>
  readonly templates: ReadonlyArray<string>
}

/** Ways of asking; `{slot}` is filled from content.ts. */
export const requests: ReadonlyArray<Request> = [
  {
    intent: "which-mentioned", type: "extraction", difficulty: "easy",
    templates: [
      "Which {field} appear in the following?\n\n{text}",
      "{text}\n\nWhat {field} are mentioned above?",
      "What are the {field} in this text? {text}",
      "Are there any {field} in here? If so, which?\n\n{text}",
      "Who and what is named in this message?\n\n{text}",
      "{text}\n\nWhich {field} does the writer name?",
      "Every {field} you can see in this, please:\n\n{text}"
    ]
  },
  {
    intent: "field-lines", type: "extraction", difficulty: "easy",
    templates: [
      "{field}:\n\n{text}",
      "{text}\n\n{field}:",
      "Text: {text}\nNames:",
      "{text}\n\nPerson, place, date ->",
      "Input: {text}\nEntities:",
      "{text}\nPeople mentioned:",
      "name | date | amount\n\nfill the row from: {text}"
    ]
  },
  {
    intent: "keywords-of", type: "extraction", difficulty: "easy",
    templates: [
      "keywords: {sent}",
      "Give keywords for: {sent}",
      "{sent}\n\nKeywords?",
      "What concepts does this sentence contain? {sent}",
      "Key concepts in: {sent}",
      "From the sentence \"{sent}\" take the nouns.",
      "{sent}\nImportant words only.",
      "List the verbs in: {sent}",
      "Sentence: {sent}\nConcepts:"
    ]
  },
  {
    intent: "bio-details", type: "extraction", difficulty: "medium",
    templates: [
      "What details about {name} can be found in this bio?\n\nBio: {text}",
      "What does the profile tell about {name}? List attribute: value.\n\n{text}",
      "Facts about {name} in the text below, as a list.\n\n{text}",
      "Turn the biography of {name} into an infobox.\n\n{text}"
    ]
  },
  {
    intent: "to-schema", type: "extraction", difficulty: "medium",
    templates: [
      "{text}\n\n{\"person\": ..., \"date\": ..., \"amount\": ...}",
      "Convert the email to a record with sender, request, due date.\n\n{text}",
      "Populate a table with columns {field} and {field}.\n\n{text}",
      "Parse into JSON with keys who, what, when:\n\n{text}",
      "I need the {field} in a CSV. {text}",
      "Structured output please: {field}, {field}.\n\n{text}"
    ]
  },
  {
    intent: "span-find", type: "extraction", difficulty: "easy", also: ["rag"],
    templates: [
      "Quote the sentence that mentions {field}.\n\n{text}",
      "Copy the exact words that give the {field}:\n{text}",
      "Where in this text does it say something about {field}? Return the span.\n\n{text}",
      "grab the {field} from here {text}",
      "Scan this for {field} and dump them one per line:\n{text}",
      "find me all {field} in this mess\n{text}"
    ]
  },
  {
    intent: "extract-lang", type: "extraction", difficulty: "easy",
    templates: [
      "Liste alle Personen und Orte im Text auf.\n\n{text}",
      "Welche Daten werden genannt? {text}",
      "Enumera las fechas y los importes del texto.\n\n{text}",
      "Quelles sont les personnes citées dans ce texte ?\n\n{text}",
      "Quali date compaiono nel testo? {text}",
      "Quais nomes aparecem no texto?\n\n{text}",
      "Wymień wszystkie daty z tekstu.\n\n{text}",
      "Выпиши все имена и даты.\n\n{text}",
      "列出文中的人名和日期。\n\n{text}",
      "次の文章から日付を抜き出してください。\n\n{text}",
      "Metindeki tüm isimleri listele.\n\n{text}",
      "Noem alle bedragen in deze tekst.\n\n{text}"
    ]
  },
  {
    intent: "from-keywords", type: "creative", difficulty: "easy",
    templates: [
      "Make a sentence with these words: {keywords}",
      "Put the concepts together to form a sentence: {keywords}",
      "{keywords} - use all of these in one sentence",
      "Ideas: {keywords}\n\nWrite something that contains them all.",
      "Humans can easily string together abstract concepts. Given the concepts {keywords}, write a coherent sentence."
    ]
  },
  {
    intent: "from-material", type: "creative", difficulty: "medium",
    templates: [
      "Here are my notes:\n- {sent}\n- {sent}\n\nTurn them into a short story.",
      "{text}\n\nWrite an alternative ending.",
      "Continue this:\n\n{sent}",
      "Write an article for the headline: {sent}",
      "Develop a full news story out of these points:\n{sent}\n{sent}",
      "Title: {sent}\nArticle:",
      "{sent}\n\nMake this the first line of a novel chapter.",
      "Rewrite this as a fairy tale:\n\n{text}",
      "Retell the events below as a ballad.\n\n{text}",
      "Question: What did {name} hide?\nAnswer: {thing}\nWrite a movie plot around this.",
      "Use the following facts in a speech: {text}"
    ]
  },
  {
    intent: "short-pieces", type: "creative", difficulty: "easy",
    templates: [
      "haiku about {topic}",
      "Two rhyming lines on {topic}.",
      "a limerick for {name}",
      "give me a pun about {topic}",
      "Slogan ideas for a shop that sells {thing}",
      "Name for a podcast about {topic}",
      "bedtime story, main character {thing}",
      "a toast for {name}'s retirement",
      "birthday message for {name} from {other}",
      "wedding vows, funny",
      "lyrics for a blues about {topic}",
      "Dialogue between {thing} and {thing}."
    ]
  },
  {
    intent: "persuade", type: "creative", difficulty: "medium", also: ["other"],
    templates: [
      "Write a persuasive essay on why schools should teach {topic}.",
      "Product description for {thing}.",
      "Blog post: what {topic} taught me",
      "Cover letter for a job at a museum of {topic}",
      "Write an Instagram caption for a photo of {thing}.",
      "Draft an invitation to a party about {topic}.",
      "Please write an opinion column on {topic}, 600 words, dry humour.",
      "Write an email to my neighbour about {thing}."
    ]
  },
  {
    intent: "voice", type: "creative", difficulty: "medium",
    templates: [
      "How would a pirate explain {topic}?",
      "You are {thing}. Write your diary entry for today.",
      "Pretend to be {thing} and greet me.",
      "Narrate {topic} like a football commentator.",
      "Monologue of {thing} in the style of Shakespeare",
      "Be {thing}. I say hello. What do you say?",
      "Speak as {topic} personified and complain about humans."
    ]
  },
  {
    intent: "creative-lang", type: "creative", difficulty: "easy",
    templates: [
      "Schreib ein kurzes Gedicht über {topic}.",
      "Erfinde eine Geschichte über {thing}.",
      "Escribe un cuento sobre {thing}.",
      "Invente une histoire courte avec {thing}.",
      "Scrivi una poesia su {topic}.",
      "Escreva um conto sobre {thing}.",
      "Napisz wiersz o {topic}.",
      "Напиши сказку про {thing}.",
      "写一个关于{thing}的短故事。",
      "{topic}についての俳句を書いて。",
      "{topic} hakkında bir şiir yaz.",
      "{topic}에 대한 시를 써 줘."
    ]
  },
  {
    intent: "pair-question", type: "classification", difficulty: "medium", also: ["reasoning"],
    templates: [
      "Do these two sentences mean the same thing?\n1. {sent}\n2. {sent}",
      "Sentence 1: {sent}\nSentence 2: {sent}\nIs sentence 2 a paraphrase of sentence 1?",
      "{sent}\n{sent}\n\nSame meaning or not?",
      "\"{sent}\" and \"{sent}\": are they duplicates?",
      "Does \"{sent}\" imply \"{sent}\"? Yes, no, or maybe?",
      "Premise: {sent}\nHypothesis: {sent}\nEntailment, neutral or contradiction?",
      "Suppose {sent} Can we infer that {sent} Yes or no?",
      "Question 1: how do {topic} work?\nQuestion 2: what are {topic}?\nCould the two be merged as duplicates?",
      "If the first is true, must the second be true?\n{sent}\n{sent}",
      "Are these two reviews about the same product?\nA: {sent}\nB: {sent}",
      "Which of the two is more formal?\nA) {sent}\nB) {sent}"
    ]
  },
  {
    intent: "label-question", type: "classification", difficulty: "easy",
    templates: [
      "Is this {labels}? {sent}",
      "{sent}\n\n{labels}?",
      "How would you label this: {labels}\n\n{text}",
      "Tell me which bucket it belongs to ({labels}): {sent}",
      "{sent} -> {labels} ->",
      "What is the tone of this message?\n\n{text}",
      "What genre is this text?\n\n{text}",
      "Was the customer satisfied? {sent}",
      "Does this text contain hate speech, yes or no? {sent}",
      "Is the following sarcastic? {sent}",
      "What is the main topic of the text: {labels}?\n\n{text}",
      "On a scale of 1 to 5 how happy is the author? {sent}"
    ]
  },
  {
    intent: "label-bare", type: "classification", difficulty: "easy",
    templates: [
      "Text: {sent}\nLabel:",
      "{sent}\nSentiment:",
      "Labels: {labels}\nText: {sent}\nLabel:",
      "Tweet: {sent}\nEmotion:",
      "{sent} // {labels}",
      "Question: who invented {topic}?\nType of answer (person, place, date, number):",
      "Language of this sentence? {sent}",
      "Ticket: {sent}\nQueue ({labels}):",
      "Rate 1-5: {sent}",
      "Relevant to {topic}? yes/no\n\n{sent}",
      "Article: {text}\nSection:"
    ]
  },
  {
    intent: "class-lang", type: "classification", difficulty: "easy",
    templates: [
      "Ist diese Bewertung positiv oder negativ? {sent}",
      "Ordne den Text einer Kategorie zu: {labels}. {sent}",
      "¿Es positiva o negativa esta reseña? {sent}",
      "Quel est le sentiment de cet avis : positif ou négatif ? {sent}",
      "Questa frase è spam? {sent}",
      "Esta avaliação é positiva ou negativa? {sent}",
      "Определи тональность: {sent}",
      "这条评论是正面还是负面？{sent}",
      "このレビューは肯定的ですか、否定的ですか。{sent}",
      "Bu yorum olumlu mu olumsuz mu? {sent}",
      "이 리뷰는 긍정인가요 부정인가요? {sent}",
      "Is deze recensie positief of negatief? {sent}"
    ]
  },
  {
    intent: "kin", type: "reasoning", difficulty: "medium", also: ["qa"],
    templates: [
      "{name} is {other}'s mother. {other} is {third}'s sister. How is {name} related to {third}?",
      "{name} has {n} brothers and each brother has two sisters. How many sisters does {name} have?",
      "{name} is taller than {other}, who is taller than {third}. Who is shortest?",
      "Pointing at a photo {name} says: she is the daughter of my grandfather's only son. Who is she?",
      "If {name} finished before {other} and {third} finished last, who won?",
      "{name}'s father has {n} children: Nana, Nene, Nini... what is the last one called?"
    ]
  },
  {
    intent: "sequence", type: "reasoning", difficulty: "easy", also: ["qa"],
    templates: [
      "2, 6, 12, 20, ?",
      "What comes next: {n}, {m}, 3, 9, 27?",
      "A, C, F, J, ...",
      "Find the odd one out: apple, plum, carrot, pear",
      "hand is to glove as foot is to ?",
      "1 4 9 16 next",
      "Complete the pattern: AB, DE, GH, ?",
      "cat : kitten :: cow : ?",
      "If BOOK is CPPL then what is LAMP?"
    ]
  },
  {
    intent: "short-puzzle", type: "reasoning", difficulty: "medium", also: ["qa"],
    templates: [
      "A bat and a ball cost 1.10. The bat costs 1 more than the ball. Price of the ball?",
      "I have {n} apples and eat {n}. I buy {m} more. How many now?",
      "If {n} machines make {n} parts in {n} minutes, how long do {m} machines take for {m} parts?",
      "{name} faces north, turns right twice and left once. Which direction?",
      "Yesterday was two days before Friday. What day is tomorrow?",
      "All florps are glims. Some glims are red. Are all florps red?",
      "One of {name}, {other} and {third} lies. {name} says {other} lies. {other} says {third} lies. {third} says both lie. Who tells the truth?",
      "How many squares are on a {n} by {n} board?",
      "A farmer has {m} hens and cows with {m} legs... how many cows?",
      "what weighs more, a kilo of lead or a kilo of feathers, and why",
      "You have a {n} litre and a {m} litre jug. Measure 4 litres.",
      "A clock shows 3:15. What is the angle between its hands?",
      "{name} put the vase in the bag because it was fragile. What was fragile?",
      "Does 'it' refer to the trophy or the case? The trophy did not fit in the case because it was too small."
    ]
  },
  {
    intent: "word-problem", type: "reasoning", difficulty: "easy",
    templates: [
      "{name} sells {m} cakes at {n} euros each and spends {m} euros on flour. What is the profit?",
      "A tank fills in {n} hours and empties in {m}. How long with both open?",
      "{name} drives {m} km at {m} km/h and returns at {n} km/h slower. When is {name} home?",
      "Two trains {m} km apart move toward each other at 40 and 60 km/h. When do they meet?",
      "{name} reads {n} pages a day. The book has {m} pages. After how many days is it finished?",
      "A shirt costs {m} dollars after a 20% discount. What was the price before?",
      "{name} is {n} times as old as {other}. In {m} years he will be twice as old. How old is {other}?",
      "The rectangle has perimeter {m} and is twice as long as wide. Area?",
      "There are {m} students; a third play chess and {n} play both chess and go. How many play only chess?",
      "{name} has {m} stickers, gives {n} to {other} and half of the rest to {third}. How many are left?"
    ]
  },
  {
    intent: "math-bare", type: "reasoning", difficulty: "medium",
    templates: [
      "{m} * {n} + 17",
      "integrate x^{n} sin x",
      "d/dx of x^{n} e^x",
      "solve {n}x + {m} = 100",
      "Find all integers x with $x^2 \\equiv {n} \\pmod{ {m} }$.",
      "limit of (1+1/n)^n",
      "log base 2 of {m}",
      "What is {n}% of {m}?",
      "Let $a_n = 2a_[n-1]+1$ and $a_1={n}$. Find $a_[10]$.",
      "Probability of at least one six in {n} throws",
      "Prove that sqrt({n}) is irrational.",
      "eigenvalues of [[2,1],[1,2]]",
      "A fair coin is tossed {n} times. What is the chance of exactly two heads?"
    ]
  },
  {
    intent: "reason-lang", type: "reasoning", difficulty: "easy",
    templates: [
      "{name} hat {m} Äpfel und gibt {other} {n}. Wie viele bleiben?",
      "Ein Zug fährt {m} km in {n} Stunden. Wie schnell ist er?",
      "{name} tiene {m} euros y gasta {n}. ¿Cuánto le queda?",
      "Un train parcourt {m} km en {n} heures. Quelle est sa vitesse ?",
      "{name} ha {m} mele e ne mangia {n}. Quante ne restano?",
      "{name} tem {m} balas e dá {n}. Quantas sobram?",
      "{name} ma {m} jabłek i oddaje {n}. Ile zostało?",
      "У {name} было {m} яблок, {n} отдали. Сколько осталось?",
      "{name}有{m}个苹果，给了{other}{n}个，还剩几个？",
      "{name}は{m}個のりんごを持ち、{n}個食べました。残りはいくつですか。",
      "{name}'nın {m} elması var, {n} tanesini verdi. Kaç elması kaldı?",
      "{name} heeft {m} euro en geeft {n} uit. Hoeveel houdt {name} over?"
    ]
  },
  {
    intent: "logic-options", type: "reasoning", difficulty: "hard",
    templates: [
      "There are {n} houses in a row. {name} lives left of {other}. {third} does not live at an end. The tea drinker lives next to {name}.\n\nQuestion: In which house does {third} live?\nA) 1\nB) 2\nC) 3",
      "Clues:\n1. {name} is not the doctor.\n2. {other} sits opposite the pilot.\n3. {third} is older than the baker.\nWho is the pilot?\nA) {name}\nB) {other}\nC) {third}",
      "Five friends sit in a circle. {name} is between {other} and {third}. Who can sit next to {other}?\nA) {name}\nB) nobody",
      "Schedule talks by {name}, {other}, {third} on Mon-Wed: {name} not on Monday, {other} before {third}. Which orders are possible?"
    ]
  },
  {
    intent: "search-keywords", type: "qa", difficulty: "trivial",
    templates: [
      "population of {place}",
      "{place} capital",
      "{topic} meaning",
      "{topic} causes",
      "who discovered {topic}",
      "{place} currency",
      "largest lake in {place}",
      "{topic} vs {topic} difference",
      "symptoms of {topic}",
      "{topic} history",
      "when is the rainy season in {place}",
      "who played the lead in the film about {topic}",
      "best time to visit {place}",
      "{place} head of state 1998",
      "how long is the coast of {place}"
    ]
  },
  {
    intent: "explain", type: "qa", difficulty: "easy",
    templates: [
      "Explain {topic} to a ten year old.",
      "What causes {topic}?",
      "Tell me about {topic}.",
      "In which year did {place} become independent?",
      "Why are {topic} important?",
      "How do {topic} work?",
      "What is the difference between {topic} and {topic}?",
      "eli5 {topic}",
      "I never understood {topic}, can you explain?",
      "Is it true that {topic} can be dangerous?",
      "Name three things {place} is known for.",
      "List three causes of {topic}.",
      "pros and cons of {topic}?",
      "What would have happened if {topic} had never existed?"
    ]
  },
  {
    intent: "exam", type: "qa", difficulty: "medium", also: ["reasoning"],
    templates: [
      "Which of the following is true of {topic}?\nA) It is older than writing\nB) It began in {place}\nC) It is a gas\nD) None",
      "Subject: biology\nQ: Which organ stores bile?\n(a) liver (b) gallbladder (c) spleen (d) kidney",
      "{topic} are mostly found in\nA. deserts\nB. cities\nC. oceans\nD. caves",
      "Anatomy: the femur is a bone of the\n1) arm\n2) leg\n3) skull",
      "Multiple choice. The treaty that ended the war in {place} was signed in\nA) 1648\nB) 1815\nC) 1919",
      "A plant in the dark turns yellow because\nA) it lacks light\nB) it is wet\nC) of the soil\nAnswer:",
      "Which law applies? A seller knows of a defect and keeps silent.\nA) fraud\nB) mistake\nC) duress\nD) frustration"
    ]
  },
  {
    intent: "howto", type: "qa", difficulty: "easy", also: ["other"],
    templates: [
      "how do I descale a kettle",
      "How can I sleep better?",
      "what should I feed a {n} week old kitten",
      "Best way to learn {language}?",
      "How long do boiled eggs keep?",
      "tips for a first marathon",
      "is it safe to eat {topic} raw",
      "How do I get from {place} to {place} by land?",
      "can I use vinegar on marble?",
      "What should I look for when buying {thing}?"
    ]
  },
  {
    intent: "qa-lang", type: "qa", difficulty: "trivial",
    templates: [
      "Was ist die Hauptstadt von {place}?",
      "Wie funktionieren {topic}?",
      "¿Quién inventó {topic}?",
      "¿Por qué el cielo es azul?",
      "Pourquoi la mer est-elle salée ?",
      "Qu'est-ce que {topic} ?",
      "Che cos'è {topic}?",
      "O que é {topic}?",
      "Co to jest {topic}?",
      "Что такое {topic}?",
      "{topic}是什么？",
      "{topic}とは何ですか。",
      "{topic} nedir?",
      "{topic}이 뭐예요?",
      "Wat is {topic}?",
      "Vad är {topic}?"
    ]
  },
  {
    intent: "rag-forms", type: "rag", difficulty: "medium", also: ["qa", "extraction"],
    templates: [
      "{text}\n\nGiven the text above, when was the wing opened?",
      "Read this and tell me who has to send the lease:\n{text}",
      "Question: {name} wants to know what the museum cost.\nPassage: {text}\nAnswer:",
      "[1] {sent}\n[2] {sent}\n[3] {sent}\n\nUsing the sources, answer with citations: what happened to the bridge?",
      "Search results:\n{text}\n\nUser question: how much did it cost?",
      "Does the document say when {name} left? If not, say 'not stated'.\n\n{text}",
      "Our handbook says: {text}\n\nMay an employee in {place} work from home?",
      "Policy: {text}\nQ: How much notice must be given?",
      "{text}\n\nBased only on this, why did repairs fall?",
      "I pasted the manual below. Why does my router lose the connection?\n\n{text}",
      "Answer from the excerpt, otherwise reply 'insufficient information': who joined the board?\n\n{text}"
    ]
  },
  {
    intent: "background", type: "rag", difficulty: "medium", also: ["reasoning", "qa"],
    templates: [
      "Background: {sent} {sent}\nSituation: {name} goes to {place}. {other} stays at home.\nQuestion: Who will notice the change first?",
      "I can use this background: {text}\n\nNow, the situation: {name} keeps two gardens, one wet and one dry.\n\nWhich garden attracts more bees?",
      "Paragraph 1: {text}\nParagraph 2: {name} tried it, {other} did not.\nAnswer using both paragraphs: whose result was better?",
      "You are given a background paragraph and a situation.\n{text}\n{name} bought one in May, {other} in June.\nWho paid more?"
    ]
  },
  {
    intent: "rag-lang", type: "rag", difficulty: "easy",
    templates: [
      "Kontext: {text}\n\nFrage: Wann wurde das Museum eröffnet?",
      "Beantworte die Frage nur mit dem Text. Wer zog um?\n\n{text}",
      "Contexto: {text}\nPregunta: ¿cuánto costó?",
      "D'après le texte, pourquoi le pont a-t-il été fermé ?\n\n{text}",
      "Secondo il testo, chi ha lasciato il consiglio?\n\n{text}",
      "De acordo com o texto, quanto custou?\n\n{text}",
      "Ответь по тексту: кто ушёл?\n\n{text}",
      "根据上文回答：桥为什么关闭？\n\n{text}",
      "次の文章に基づいて答えてください。いつ開館しましたか。\n\n{text}",
      "Volgens de tekst, wie tekent de huur?\n\n{text}"
    ]
  },
  {
    intent: "commands", type: "tool_use", difficulty: "trivial",
    templates: [
      "turn off {device}",
      "{device} on {time}",
      "Wake me {time}.",
      "Remind me {time} to call {name}",
      "play some {topic} music",
      "text {name} that I am late",
      "set {device} to {m}",
      "Book me a taxi {time}",
      "add milk to the shopping list",
      "navigate home",
      "what's the weather in {place} right now",
      "cancel my meeting with {name}",
      "move the call with {name} to {time}",
      "start a {m} minute timer",
      "volume up",
      "order the same pizza as last week",
      "dim {device}",
      "pay {name} {m} euros",
      "call {name}"
    ]
  },
  {
    intent: "do-it", type: "tool_use", difficulty: "medium",
    templates: [
      "Search the web for flights to {place} and put the cheapest in my calendar.",
      "Open a ticket in Jira for {name}, priority high.",
      "Run the tests and tell me which fail.",
      "Check my inbox for mails from {name} and archive them.",
      "Download the report, convert it to PDF and send it to {name}.",
      "Look up the order and refund it.",
      "Query the database for last month's sales and post the chart in Slack.",
      "Use the calculator tool for {m} * {n}.",
      "Get the current price of gold.",
      "Create a new branch, commit the change and open a pull request.",
      "Fetch https://example.org/{n} and save the table."
    ]
  },
  {
    intent: "tool-schemas", type: "tool_use", difficulty: "medium",
    templates: [
      "You may call: get_weather(city: str), send_mail(to: str, body: str).\n\nIs it raining in {place}?",
      "Tools:\n- search(query)\n- calculator(expression)\n\nWho is {name} and what is {m} times {n}?",
      "{\"name\":\"find_route\",\"parameters\":{\"from\":\"string\",\"to\":\"string\"}}\n\nHow do I get from {place} to {place}?",
      "How tall is the highest hill in {place}?\n\nAvailable functions: [{\"name\": \"lookup_peak\", \"description\": \"height of a peak\", \"parameters\": {}}]",
      "Functions available: create_event(title, start), list_events(day)\n{name} and I meet {time}.",
      "<tools>\n{\"type\": \"function\", \"function\": {\"name\": \"convert\"}}\n</tools>\nHow much is {m} dollars in euros?"
    ]
  },
  {
    intent: "schemas-more", type: "tool_use", difficulty: "medium",
    templates: [
      "{job}\n\nAvailable functions:\n[{\"name\": \"util.run\", \"description\": \"Runs a task\", \"parameters\": {\"type\": \"dict\", \"properties\": {\"x\": {\"type\": \"integer\"}}}}]",
      "What is {m} times {n}?\n\nAvailable functions:\n{\"name\": \"multiply\", \"description\": \"product of two numbers\", \"parameters\": {\"properties\": {\"a\": {\"type\": \"integer\"}}, \"required\": [\"a\"]}}",
      "Functions: [{\"name\": \"history_of\", \"description\": \"facts\", \"parameters\": {}}]\nWho discovered {topic}?",
      "{\"tools\": [{\"name\": \"translate\", \"parameters\": {\"text\": \"string\"}}]}\nSay good night in {language}.",
      "Pick the right function and its arguments.\nFunctions: area(width: int, height: int), area_circle(radius: float)\nThe garden is {n} by {m} metres."
    ]
  },
  {
    intent: "tool-lang", type: "tool_use", difficulty: "trivial",
    templates: [
      "Schalte {device} aus.",
      "Stell einen Wecker auf {n} Uhr.",
      "Enciende la luz del salón.",
      "Pon una alarma a las {n}.",
      "Allume la lumière de la cuisine.",
      "Mets un minuteur de {m} minutes.",
      "Accendi la luce.",
      "Apague a luz da sala.",
      "Włącz światło w kuchni.",
      "Включи свет в спальне.",
      "把客厅的灯关掉。",
      "{n}時にアラームをかけて。",
      "Işığı kapat.",
      "불 꺼 줘.",
      "Zet de verwarming uit."
    ]
  },
  {
    intent: "edit", type: "other", difficulty: "easy", also: ["creative"],
    templates: [
      "Make this sound friendlier: {sent}",
      "fix my grammar: {sent}",
      "Shorten this to one line but keep the meaning exact: {sent}",
      "Say this differently: {sent}",
      "Can you polish this?\n\n{text}",
      "more formal pls: {sent}",
      "Change to past tense: {sent}",
      "Correct the spelling only.\n\n{text}",
      "Replace '{name}' with '{other}' everywhere.\n\n{text}",
      "What is another way to say \"{sent}\"?",
      "Remove the jargon.\n\n{text}",
      "Rewrite without repeating any word: {sent}",
      "Proofread: {text}"
    ]
  },
  {
    intent: "reply", type: "other", difficulty: "easy", also: ["creative"],
    templates: [
      "Reply to this and say no politely:\n\n{text}",
      "How should I answer this message? {sent}",
      "What do I write back? {sent}",
      "Draft a response to the complaint below.\n\n{text}",
      "Respond to {name}: yes, but later.\n\n{sent}",
      "Answer this email in my name, accept the offer.\n\n{text}"
    ]
  },
  {
    intent: "plan", type: "other", difficulty: "medium", also: ["creative", "qa"],
    templates: [
      "Plan a week in {place} for two.",
      "meal plan, vegetarian, {n} days",
      "Make a study schedule for {topic}.",
      "agenda for a {m} minute kickoff",
      "Packing list for {place}",
      "How should I organise my move {time}? Checklist please.",
      "Roadmap for launching a shop for {thing}",
      "Training plan for a 10k in {n} weeks",
      "Brainstorm names of risks for the project and next steps."
    ]
  },
  {
    intent: "ask-a-question", type: "other", difficulty: "easy", also: ["creative", "qa"],
    templates: [
      "Ask a question about this text.\n\n{text}",
      "Write {n} quiz questions on {topic}.",
      "Given the answer '{thing}', what could the question be?",
      "{sent}\n\nGiven that the answer to a question is \"relieved\", what is the question?",
      "What question would '{sent}' answer?",
      "Make up a comprehension question for: {text}"
    ]
  },
  {
    intent: "chat", type: "other", difficulty: "trivial", also: ["qa"],
    templates: [
      "hello",
      "thanks, that was great",
      "are you there?",
      "who made you",
      "I'm bored",
      "can we talk",
      "what can you do",
      "ok next",
      "hmm not what I wanted",
      "try again",
      "I lost my parcel, order {n}{m}",
      "my password does not work",
      "I want my money back",
      "delete my data",
      "how are you today",
      "test {n}",
      "never mind",
      "good night",
      "speak to an agent"
    ]
  },
  {
    intent: "reshape", type: "other", difficulty: "easy", also: ["extraction"],
    templates: [
      "Sort these alphabetically: {keywords}",
      "Number the lines.\n\n{text}",
      "Put this in upper case: {sent}",
      "Make a markdown table of it.\n\n{text}",
      "Merge the two paragraphs.\n\n{text}\n\n{sent}",
      "Remove duplicate lines:\n{sent}\n{sent}",
      "Shuffle this list: {keywords}",
      "pick a number between {n} and {m}",
      "Flip a coin",
      "generate a password with {m} characters",
      "Lorem ipsum, two paragraphs"
    ]
  },
  {
    intent: "other-lang", type: "other", difficulty: "easy",
    templates: [
      "Formuliere höflicher: {sent}",
      "Korrigiere die Rechtschreibung: {sent}",
      "Corrige este texto: {sent}",
      "Reformule cette phrase : {sent}",
      "Riscrivi la frase: {sent}",
      "Corrija a gramática: {sent}",
      "Popraw ten tekst: {sent}",
      "Перефразируй: {sent}",
      "润色这句话：{sent}",
      "この文をもっと丁寧にしてください。{sent}",
      "Bu cümleyi düzelt: {sent}",
      "Danke schön!",
      "Hola, ¿qué tal?",
      "Bonjour",
      "こんにちは"
    ]
  },
  {
    intent: "sum-forms", type: "summarization", difficulty: "easy", also: ["extraction"],
    templates: [
      "{text}\n\ntl;dr",
      "{text}\n\nIn one sentence:",
      "What is this about? {text}",
      "Give me the gist.\n\n{text}",
      "{text}\n\nKey points?",
      "I don't have time to read this, what does it say?\n\n{text}",
      "Boil it down to {n} bullets.\n\n{text}",
      "What should I remember from this?\n\n{text}",
      "Summary in {m} words:\n{text}",
      "Executive summary, please.\n\n{text}",
      "Headline for: {text}",
      "Short version?\n{text}",
      "What are the main arguments here?\n\n{text}",
      "catch me up on this thread:\n{text}",
      "Write highlights for this article.\n\n{text}",
      "Article: {text}\n\nSummary:"
    ]
  },
  {
    intent: "sum-lang", type: "summarization", difficulty: "easy",
    templates: [
      "Fasse den Text in zwei Sätzen zusammen.\n\n{text}",
      "Worum geht es hier? {text}",
      "Resume el texto.\n\n{text}",
      "Résume en une phrase.\n\n{text}",
      "Riassumi il testo.\n\n{text}",
      "Resuma o texto.\n\n{text}",
      "Streść tekst.\n\n{text}",
      "Кратко перескажи.\n\n{text}",
      "总结一下。\n\n{text}",
      "この文章を要約してください。\n\n{text}",
      "Metni özetle.\n\n{text}",
      "요약해 줘.\n\n{text}",
      "Vat dit samen.\n\n{text}"
    ]
  },
  {
    intent: "tr-forms", type: "translation", difficulty: "easy",
    templates: [
      "{sent}\n\nin {language} please",
      "How would a native say this in {language}? {sent}",
      "{language}: {sent}",
      "English: {sent}\n{language}:",
      "put this into {language} {sent}",
      "I need the {language} version of this.\n\n{text}",
      "{sent} => {language}",
      "What does '{sent}' mean in {language}?",
      "translate {sent}",
      "Translate to {language}, keep names as they are.\n\n{text}",
      "Render the passage into idiomatic {language}.\n\n{text}",
      "subtitle this in {language}: {sent}",
      "Could you say '{sent}' in {language}?",
      "Localise the text for readers in {place}.\n\n{text}"
    ]
  },
  {
    intent: "tr-lang", type: "translation", difficulty: "easy",
    templates: [
      "Übersetze ins Englische: {sent}",
      "Was heißt \"{sent}\" auf Spanisch?",
      "Traduce al inglés: {sent}",
      "¿Cómo se dice \"{sent}\" en francés?",
      "Traduis en anglais : {sent}",
      "Comment dit-on \"{sent}\" en allemand ?",
      "Traduci in inglese: {sent}",
      "Traduza para o inglês: {sent}",
      "Przetłumacz na polski: {sent}",
      "Переведи на русский: {sent}",
      "翻译成中文：{sent}",
      "日本語に訳してください：{sent}",
      "한국어로 번역해 줘: {sent}",
      "Türkçeye çevir: {sent}",
      "Vertaal naar het Nederlands: {sent}",
      "ترجم إلى العربية: {sent}"
    ]
  },
  {
    intent: "code-forms", type: "code", difficulty: "easy",
    templates: [
      "{code}: {job}",
      "how to {job} in {code}",
      "{job} {code} example",
      "I want to {job}. Language: {code}.",
      "Write {code} to {job}.",
      "def solve(items):\n    # {job}\n",
      "What is wrong with this {code}?\n\n```\nfor i in range(len(a)): a.pop(i)\n```",
      "Port this from {code} to {code}:\n```\nx = [i*i for i in range(10)]\n```",
      "Why is my {code} loop slow?",
      "Unit tests for a function to {job}, {code}",
      "TypeError: cannot read properties of undefined (reading 'map'). Help",
      "Explain this code:\n```\n{sent}\nreturn a ?? b\n```",
      "regex for dates like 2024-05-01",
      "SQL: customers with more than {n} orders",
      "git: undo the last commit but keep changes",
      "Complete the function:\n\nfunction f(list) {\n  // {job}\n",
      "Review my pull request:\n```diff\n- a = 1\n+ a = 2\n```"
    ]
  },
  {
    intent: "code-contest", type: "code", difficulty: "hard",
    templates: [
      "You are given an array of n integers and {n} queries. For each query print the number of pairs with sum at most {m}. Constraints: n <= 10^5.",
      "{name} has a tree with n vertices. Remove edges so that each part has at most {n} vertices. Print the least number of removals.\n\nInput: first line n.\nOutput: one integer.",
      "Return the length of the longest substring with at most {n} distinct letters.\n\nExample:\nInput: s = \"abcba\"\nOutput: 3",
      "Implement class Cache with get and put in O(1). Starter code:\nclass Cache:\n    def get(self, key): ...",
      "Design a {code} service that can {job}, with tests and a Dockerfile."
    ]
  },
  {
    intent: "code-lang", type: "code", difficulty: "easy",
    templates: [
      "Schreibe eine Funktion in {code}, die eine Liste sortiert.",
      "Warum stürzt mein {code} Programm ab?",
      "Escribe una función en {code} para contar palabras.",
      "Écris un script {code} qui renomme des fichiers.",
      "Scrivi una funzione {code} che inverte una stringa.",
      "Escreva um programa em {code} que leia um arquivo.",
      "Napisz funkcję w {code}, która sumuje liczby.",
      "Напиши функцию на {code}, которая сортирует список.",
      "用{code}写一个函数，反转字符串。",
      "{code}でファイルを読む関数を書いてください。",
      "{code} ile listeyi sıralayan bir fonksiyon yaz.",
      "{code}로 파일을 읽는 함수를 작성해 줘."
    ]
  },
  {
    intent: "quoted-translation", type: "translation", difficulty: "easy",
    templates: [
      "Translate the text into {language}.\n\n\"\"\"\nWrite a {code} function to {job}.\n\"\"\"",
      "Put the quoted text into {language}.\n\n```\nWrite a {code} function to {job}.\n```",
      "Put the quoted text into {language}.\n\n\"\"\"\nWrite a story about {thing}.\n\"\"\"",
      "Translate the text into {language}.\n\n```\nTranslate this to {language}: {sent}\n```",
      "Translate the text into {language}.\n\n\"\"\"\nWhat is the capital of {place}?\n\"\"\"",
      "Put the quoted text into {language}.\n\n```\nWhat is the capital of {place}?\n```",
      "Put the quoted text into {language}.\n\n\"\"\"\nFix the bug, then {job} in {code} and add tests.\n\"\"\"",
      "Translate the text into {language}.\n\n```\nClassify as {labels}: {sent}\n```",
      "Translate the text into {language}.\n\n\"\"\"\n{sent} {sent} {sent}\n\"\"\"",
      "Put the quoted text into {language}.\n\n```\n{sent} {sent} {sent}\n```",
      "Put the quoted text into {language}.\n\n\"\"\"\nExtract the {field}. {sent}\n\"\"\""
    ]
  },
  {
    intent: "quoted-summarization", type: "summarization", difficulty: "easy",
    templates: [
      "Summarize the text in one sentence.\n\n\"\"\"\nWrite a {code} function to {job}.\n\"\"\"",
      "Sum up what is quoted.\n\n```\nWrite a {code} function to {job}.\n```",
      "Sum up what is quoted.\n\n\"\"\"\nWrite a story about {thing}.\n\"\"\"",
      "Summarize the text in one sentence.\n\n```\nTranslate this to {language}: {sent}\n```",
      "Summarize the text in one sentence.\n\n\"\"\"\nWhat is the capital of {place}?\n\"\"\"",
      "Sum up what is quoted.\n\n```\nWhat is the capital of {place}?\n```",
      "Sum up what is quoted.\n\n\"\"\"\nFix the bug, then {job} in {code} and add tests.\n\"\"\"",
      "Summarize the text in one sentence.\n\n```\nClassify as {labels}: {sent}\n```",
      "Summarize the text in one sentence.\n\n\"\"\"\n{sent} {sent} {sent}\n\"\"\"",
      "Sum up what is quoted.\n\n```\n{sent} {sent} {sent}\n```",
      "Sum up what is quoted.\n\n\"\"\"\nExtract the {field}. {sent}\n\"\"\""
    ]
  },
  {
    intent: "quoted-classification", type: "classification", difficulty: "easy",
    templates: [
      "Classify the text: {labels}.\n\n\"\"\"\nWrite a {code} function to {job}.\n\"\"\"",
      "Is the quoted message polite or rude?\n\n```\nWrite a {code} function to {job}.\n```",
      "Is the quoted message polite or rude?\n\n\"\"\"\nWrite a story about {thing}.\n\"\"\"",
      "Classify the text: {labels}.\n\n```\nTranslate this to {language}: {sent}\n```",
      "Classify the text: {labels}.\n\n\"\"\"\nWhat is the capital of {place}?\n\"\"\"",
      "Is the quoted message polite or rude?\n\n```\nWhat is the capital of {place}?\n```",
      "Is the quoted message polite or rude?\n\n\"\"\"\nFix the bug, then {job} in {code} and add tests.\n\"\"\"",
      "Classify the text: {labels}.\n\n```\nClassify as {labels}: {sent}\n```",
      "Classify the text: {labels}.\n\n\"\"\"\n{sent} {sent} {sent}\n\"\"\"",
      "Is the quoted message polite or rude?\n\n```\n{sent} {sent} {sent}\n```",
      "Is the quoted message polite or rude?\n\n\"\"\"\nExtract the {field}. {sent}\n\"\"\""
    ]
  },
  {
    intent: "quoted-other", type: "other", difficulty: "easy",
    templates: [
      "Correct the grammar of the text.\n\n\"\"\"\nWrite a {code} function to {job}.\n\"\"\"",
      "Rephrase the quoted request.\n\n```\nWrite a {code} function to {job}.\n```",
      "Rephrase the quoted request.\n\n\"\"\"\nWrite a story about {thing}.\n\"\"\"",
      "Correct the grammar of the text.\n\n```\nTranslate this to {language}: {sent}\n```",
      "Correct the grammar of the text.\n\n\"\"\"\nWhat is the capital of {place}?\n\"\"\"",
      "Rephrase the quoted request.\n\n```\nWhat is the capital of {place}?\n```",
      "Rephrase the quoted request.\n\n\"\"\"\nFix the bug, then {job} in {code} and add tests.\n\"\"\"",
      "Correct the grammar of the text.\n\n```\nClassify as {labels}: {sent}\n```",
      "Correct the grammar of the text.\n\n\"\"\"\n{sent} {sent} {sent}\n\"\"\"",
      "Rephrase the quoted request.\n\n```\n{sent} {sent} {sent}\n```",
      "Rephrase the quoted request.\n\n\"\"\"\nExtract the {field}. {sent}\n\"\"\""
    ]
  },
  {
    intent: "quoted-extraction", type: "extraction", difficulty: "easy",
    templates: [
      "Extract the {field} from the text.\n\n\"\"\"\nWrite a {code} function to {job}.\n\"\"\"",
      "List the verbs of the quoted text.\n\n```\nWrite a {code} function to {job}.\n```",
      "List the verbs of the quoted text.\n\n\"\"\"\nWrite a story about {thing}.\n\"\"\"",
      "Extract the {field} from the text.\n\n```\nTranslate this to {language}: {sent}\n```",
      "Extract the {field} from the text.\n\n\"\"\"\nWhat is the capital of {place}?\n\"\"\"",
      "List the verbs of the quoted text.\n\n```\nWhat is the capital of {place}?\n```",
      "List the verbs of the quoted text.\n\n\"\"\"\nFix the bug, then {job} in {code} and add tests.\n\"\"\"",
      "Extract the {field} from the text.\n\n```\nClassify as {labels}: {sent}\n```",
      "Extract the {field} from the text.\n\n\"\"\"\n{sent} {sent} {sent}\n\"\"\"",
      "List the verbs of the quoted text.\n\n```\n{sent} {sent} {sent}\n```",
      "List the verbs of the quoted text.\n\n\"\"\"\nExtract the {field}. {sent}\n\"\"\""
    ]
  },
  {
    intent: "quoted-creative", type: "creative", difficulty: "easy",
    templates: [
      "Write a poem inspired by the quote.\n\n\"\"\"\nWrite a {code} function to {job}.\n\"\"\"",
      "Write a poem inspired by the quote.\n\n```\nWrite a story about {thing}.\n```",
      "Write a poem inspired by the quote.\n\n\"\"\"\nWhat is the capital of {place}?\n\"\"\"",
      "Write a poem inspired by the quote.\n\n```\nFix the bug, then {job} in {code} and add tests.\n```",
      "Write a poem inspired by the quote.\n\n\"\"\"\n{sent} {sent} {sent}\n\"\"\"",
      "Write a poem inspired by the quote.\n\n```\nExtract the {field}. {sent}\n```"
    ]
  },
  {
    intent: "quoted-qa", type: "qa", difficulty: "easy",
    templates: [
      "What is the capital of {place}? Ignore what I pasted.\n\n\"\"\"\nWrite a {code} function to {job}.\n\"\"\"",
      "What is the capital of {place}? Ignore what I pasted.\n\n```\nWrite a story about {thing}.\n```",
      "What is the capital of {place}? Ignore what I pasted.\n\n\"\"\"\nWhat is the capital of {place}?\n\"\"\"",
      "What is the capital of {place}? Ignore what I pasted.\n\n```\nFix the bug, then {job} in {code} and add tests.\n```",
      "What is the capital of {place}? Ignore what I pasted.\n\n\"\"\"\n{sent} {sent} {sent}\n\"\"\"",
      "What is the capital of {place}? Ignore what I pasted.\n\n```\nExtract the {field}. {sent}\n```"
    ]
  },
  {
    intent: "catch-up", type: "reasoning", difficulty: "medium",
    templates: [
      "A bus leaves at {n}:00 at {m} km/h and a car follows an hour later at 95 km/h. When does the car catch the bus?",
      "Runner {name} starts {n} minutes before {other} and runs at 10 km/h; {other} runs at 12. When do they meet?",
      "One candle burns {n} cm an hour, another {m} mm an hour. When are they equally long?",
      "A boat goes {m} km upstream in {n} hours and back in 2. How fast is the river?",
      "A pipe leaves a third of the tank empty. When does the second pipe fill it?",
      "The first of two ships sails at {m} knots, the second at 30 knots, starting at 10:00. Where does the second reach the first?"
    ]
  }
]
