/** Several hundred named texts of every kind: what the readings of a text are frozen and compared over. */
import { rowsIn } from "../../../scripts/training/words.ts"
import { wrap } from "../../../scripts/training/wrappers.ts"
import { generator } from "../../../src/stats/Generator.ts"

type Named = readonly [name: string, text: string]

/** Every `step`-th row of a file of words, by its column `column`. */
const everyOf = (file: string, column: string, step: number): ReadonlyArray<Named> =>
  rowsIn<Readonly<Record<string, unknown>>>(file).flatMap((row, index): ReadonlyArray<Named> =>
    index % step === 0 && typeof row[column] === "string" ? [[`${file} ${index}`, row[column]]] : [])

const prompts = rowsIn<{ readonly task: string }>("synthetic").map(({ task }) => task)

/** Prompts one below the other, cut at `chars` characters. */
const pasted = (seed: number, chars: number): string => {
  let text = prompts[seed % prompts.length]!
  for (let index = 1; text.length < chars; index++) text += `\n\n${prompts[(seed + index * 31) % prompts.length]!}`
  return text.slice(0, chars)
}

const lengths: ReadonlyArray<Named> = [
  ...Array.from({ length: 30 }, (_, index): Named => [`2,000 characters ${index}`, pasted(index * 97, 2_000)]),
  ...[4_000, 4_001, 4_499, 4_500, 4_501, 6_000, 10_000, 65_536, 65_537, 100_000].map((chars): Named =>
    [`${chars} characters`, pasted(chars, chars)])
]

const wrapped: ReadonlyArray<Named> = [
  ...rowsIn<{ readonly list: string; readonly text: string }>("phrases")
    .filter(({ list }) => list === "trainWrappers" || list === "unseenWrappers").map(({ text }) => text),
  ...rowsIn<{ readonly template: string }>("wrappers-fresh").map(({ template }) => template)
].filter((_, index) => index % 2 === 0).map((template, index): Named =>
  [`wrapped ${index}`, wrap(template, prompts[index * 53]!)])

const repeated = (piece: string, chars: number): Named =>
  [`repeated ${JSON.stringify(piece)}`, piece.repeat(Math.ceil(chars / piece.length)).slice(0, chars)]

const hostile: ReadonlyArray<Named> = [
  "a", "(", "\n", "```", "\"\"\" ", "User: ", "Hi, ", "Thanks. ", "a, b or ", "[{\"role\":", "\0", "😀", "_ ", "1 + ", "\ud800",
  "\udc00", "You are x. ", "aB1 ", "İ", "- a\n- b\n", "|a|\n", "Q: ", "{\"text\":\"", "word ", "é", "漢", "a, b; c\n", "'\"", "\r\n", "\t "
].flatMap((piece) => [repeated(piece, 100_000), [`few ${JSON.stringify(piece)}`, piece.repeat(40)] as const])

const written: ReadonlyArray<Named> = [
  "", " ", "\n", "\0", "a", "?", "hm", "ok", "\ud800", "\udc00x", "x\ud83d", "🙂🙂🙂", "\u00a0\u00a0", "\u2028\u2029", "\ufeffSum a list.",
  "اكتب قصة قصيرة عن بحار عجوز وقطته.", "תרגם את המשפט הבא לאנגלית: הפגישה נדחתה ליום שישי.", "Translate \u202eabc\u202c into Arabic: صباح الخير",
  "次の文章を日本語で要約してください。昨日、市議会はフェリーの予算を承認した。", "请把下面的句子翻译成英文：会议改到星期五。", "이 글을 세 문장으로 요약해 줘. 무엇이 바뀌었나요?",
  "Переведи на английский: встреча перенесена на пятницу. Сколько будет 12 × 7?", "निम्नलिखित का सारांश लिखें: परिषद ने मतदान किया।", "لخص النص التالي في جملة واحدة",
  "Fasse den Text zusammen. Übersetze ihn auch ins Französische, bitte!", "¿Cuál es la capital de Mongolia? Explica por qué.", "İSTANBUL'da NE KADAR? ŞİİR YAZ", "Kelvin \u212a and long \u017f: \u017fUMMARIZE thi\u017f",
  "def f(x: int) -> int:\n    return x + 1\n\nWhy does this crash? Fix it.", "#include <stdio.h>\nint main(void) { return 0; }\n", "SELECT a, b FROM t WHERE a IN (1, 2);\nExplain this query.",
  "```python\nprint(1)\n```\nWhat does this print?", "```\nunclosed fence", "\"\"\"quoted\"\"\" '''x'''", "const a = { b: [1, 2, { c: 'd' }] };\nmake it typed", "<document>\ntext\n</document>\nSummarize the document.",
  "A) red\nB) blue\nC) green\nWhich one?", "1. First\n2. Second\n\nAnswer:", "a,b,c\n1,2,3\n4,5,6", "| a | b |\n|---|---|\n| 1 | 2 |", "Context: x\nQuestion: y?\nAnswer:", "Subject: Lease\nFrom: a@b.c\n\nDear all,\nplease sign.\nRegards",
  "2024-05-17T03:12:10Z ERROR api POST /v2 503\nwhat happened?", "$\\frac{1}{2} x^2$ solve for x = 3", "Is this spam or not spam: WIN NOW", "pick (red, green, blue) or [a/b]", "positive/negative?",
  "<|im_start|>system\nYou are a bot.<|im_end|>\n<|im_start|>user\nTranslate hello<|im_end|>\n<|im_start|>assistant\n", "System: be brief\nUser: what is 2+2?\nAssistant:", "<![CDATA[Sum a list]]>",
  "[{\"role\":\"system\",\"content\":\"x\"},{\"role\":\"user\",\"content\":\"Write a poem\"}]", "{\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"Book a taxi\"}]}]}", "{\"payload\":{\"text\":\"Classify this\"}}", "[{\"role\":\"user\"",
  "Hi there, hope you are well. Quick question: what is the capital of Mongolia? Thanks!", "You are Nimbus. Always be polite. Never lie.\n\nTurn off the lights.", "Visitor 14:03: translate this: hola", "TL;DR please: long text", "x".repeat(319) + "? y", "a. b! c? d。e？f！",
  "the cat sat on the ___ .", "if all cats are dogs, who is the tallest?", "remind me at 7:30 am tomorrow", "never mind", "who are you?", "don't know", "ſtory Story STORY story", "naïve façade ÄÖÜ ß ẞ", "e\u0301crire\u200d\u200c zero\u200bwidth"
].map((text): Named => [`written ${JSON.stringify(text.slice(0, 40))}`, text])

/** Pieces that patterns look for, and what may stand between them. */
const pieces = (
  "write|create|summarize|translate|extract|classify|function|story|code|json|context|question|answer|you are|always|never|please|thanks|hi|hello|dear"
  + "|based on|the|of|into|german|how many|what is|who|why|is this|or|and|positive|negative|true|false|step 2|def |import |class |user|system|assistant"
  + "|subject|from|regards|tl;dr|10^5|x^2|1 + 2|f(x) =|$x_1$|\\frac|[1]|[doc 2]|<text>|http://a.b|www.x|A) |B) |- |* |• |1. |```|\"\"\"|'''|{|}|[|]|(|)|;|:|：|,|.|?|？|!|。|\"|'|“|”|«|»|_|__|#|=|-|--|>|||"
  + "é|ü|ß|ñ|я|слово|漢字|要約|요약|ひら|عربي|हिन्दी|😀|\ud800|\udfff|\u00a0|\u017f|\u212a|İ|0|7|42|2024-01-02|12:30|am|pm"
).split("|")
const gaps = [" ", " ", " ", " ", "\n", "\n\n", "", "", ", ", ". ", ": ", "? ", "\t", "\r\n", "  "]

/** Texts put together at random from pieces of patterns; the same seed gives the same texts. */
export const fuzzedTexts = (seed: number, count: number, piecesMax: number): ReadonlyArray<string> => {
  const random = generator(seed)
  const pick = (from: ReadonlyArray<string>) => from[Math.floor(random() * from.length)]!
  const cased = (text: string) => random() < 0.7 ? text : random() < 0.5 ? text.toUpperCase() : text.slice(0, 1).toUpperCase() + text.slice(1)
  return Array.from({ length: count }, () =>
    Array.from({ length: 1 + Math.floor(random() * piecesMax) }, () => {
      const piece = random() < 0.8 ? pick(pieces) : prompts[Math.floor(random() * prompts.length)]!.slice(0, Math.floor(random() * 80))
      return cased(piece) + pick(gaps)
    }).join(""))
}

/** All of them; always the same list, no name twice. */
export const variedTexts: ReadonlyArray<Named> = [
  ...everyOf("synthetic", "task", 60), ...everyOf("voices-a", "task", 40), ...everyOf("voices-b", "task", 40),
  ...everyOf("voices-c", "task", 40), ...everyOf("voices-d", "task", 40), ...everyOf("fresh", "task", 20),
  ...everyOf("pasted", "text", 4), ...wrapped, ...lengths, ...hostile, ...written,
  ...fuzzedTexts(16, 100, 60).map((text, index): Named => [`fuzzed ${index}`, text])
]
