/** What people paste beside a request, by kind; `paste` is any of it, so that no content predicts a type. */
const email = [
  "Hi Ruth,\n\nthe chairs came on Tuesday but two of them have scratched legs. Could you send someone before the 19th? Order 55-8210.\n\nBest,\nOlu",
  "Hello,\nyour parcel 4471-AX left our depot in Graz this morning and should reach you on Thursday between 10 and 12. Delivery is free of charge.\nNordpost",
  "From: pia.lund@example.net\nSubject: Lease\n\nDear Mr Okoro, please sign the attached lease and return it by 30 June. The deposit is 1,450 euros.\nPia Lund",
  "hey, can we move the rehearsal to 6? Jonas has a train at 9 and the hall is locked at 8:30. bring the blue folder pls - k",
  "Congratulations! Your address was selected for a 500 dollar voucher. Confirm your bank details within 24 hours at the link below.",
  "Dear team,\nthank you for the offer. We like the second option, but the price per seat must come down to 38 before we can sign. Could you call me on 0171 555 220?\nM. Haddad, Purchasing"
]
const log = [
  "2024-08-02 11:04:09 ERROR billing req=91ac timeout after 3000 ms\n2024-08-02 11:04:12 WARN  billing retry 1/3\n2024-08-02 11:04:18 ERROR billing req=91ac gave up",
  "Jun 03 02:10:55 gw-2 sshd[812]: Failed password for root from 203.0.113.7 port 51122\nJun 03 02:10:58 gw-2 sshd[812]: Connection closed",
  "[worker] job 77 started\n[worker] job 77 failed: ENOSPC no space left on device\n[worker] exiting with code 1",
  "GET /health 200 3ms\nGET /orders 500 812ms\nPOST /orders 201 40ms\nGET /orders 500 799ms",
  "10.1.4.9 - - [04/Mar/2024:10:00:01] \"GET /img/a.png\" 404 12\n10.1.4.9 - - [04/Mar/2024:10:00:02] \"GET /\" 200 5120"
]
const chat = [
  "Ben: can you ask the printer for a quote?\nJo: sure, by Wednesday\nBen: then I book the hall for Friday\nKim: nobody told me about Friday, I am away",
  "[14:01] ana: the build is red again\n[14:02] tom: my fault, reverting\n[14:09] ana: green, thanks. who tells support?\n[14:10] tom: I will",
  "Agent: How can I help?\nCustomer: I was charged twice in May.\nAgent: I see both payments, one will be refunded in five days.\nCustomer: Fine, and cancel the plan please.",
  "mum: did you water the plants\nleo: yesterday!\nmum: and the neighbour's key?\nleo: on the hook. dinner at 7?",
  "Chair: we have 4,000 left. Proposals?\nIda: new nets for the goals.\nSam: the roof leaks, that comes first.\nChair: agreed, Sam gets three offers by the 12th."
]
const review = [
  "Bought the Kestrel headphones in March. The sound is lovely and the case is tiny, but the left one dies after an hour. Support never wrote back.",
  "Best ramen in town! Queue was long, staff kept smiling, and the egg was perfect.",
  "The room faced a building site. They offered us another one only on the last day. Breakfast was good though.",
  "Meh. It does what it says, nothing more. The app needs an account for no reason.",
  "A slow first half, then the film grabs you and does not let go. Rao is brilliant as the ferryman.",
  "Two stars because the drill is strong; the battery arrived cracked and the manual is only in Czech."
]
const table = [
  "name,city,amount\nLund,Oslo,120\nHaddad,Lyon,75\nOkoro,Oslo,310\nVrba,Brno,44",
  "| Month | Visitors | Sales |\n|---|---|---|\n| May | 812 | 40 |\n| June | 1,204 | 66 |\n| July | 990 | 71 |",
  "id;product;price;stock\n1;kettle;29.90;4\n2;lamp;54.00;0\n3;stool;38.50;12",
  "Team  P  W  D  L\nElm   9  6  1  2\nOak   9  5  3  1\nAsh   9  1  2  6",
  "date\tshift\tworker\n3 May\tearly\tNoor\n4 May\tlate\tEmil\n5 May\tearly\tQuinn"
]
const json = [
  "{\"order\": \"A-118\", \"customer\": {\"name\": \"Pia Lund\", \"city\": \"Oslo\"}, \"items\": [{\"sku\": \"K1\", \"qty\": 2}], \"total\": 88.5}",
  "[{\"id\": 4, \"title\": \"Open house\", \"tags\": [\"free\", \"family\"]}, {\"id\": 9, \"title\": \"Jazz night\", \"tags\": []}]",
  "{\"status\": \"error\", \"code\": 422, \"errors\": [{\"field\": \"email\", \"message\": \"is not valid\"}]}"
]
const contract = [
  "4.1 The Tenant shall pay the rent by the third working day of each month. 4.2 Either party may terminate with three months' notice in writing. 4.3 Pets require the Landlord's consent. 4.4 Damage by guests is borne by the Tenant.",
  "Section 7. The Supplier delivers within 14 days. For each started week of delay the price falls by 2 percent, at most 10 percent. Defects must be reported within eight days. The law of Denmark applies.",
  "Members may cancel at the end of a quarter. Fees paid in advance are not returned. The club may close for up to ten days a year for repairs.",
  "The Licensee may install the software on two devices. Copies for backup are allowed. Rental is not. This agreement ends without notice if a fee is overdue by 60 days."
]
const recipe = [
  "Lentil soup: 250 g red lentils, 1 onion, 2 carrots, 1 l stock, cumin, lemon. Fry onion and carrots for 5 minutes, add the rest, simmer for 20. Blend, finish with lemon.",
  "Shortbread\n- 200 g butter\n- 100 g sugar\n- 300 g flour\nRub together, press into a tin, bake 35 minutes at 160 degrees, cut while warm.",
  "Green salad for four: two heads of lettuce, half a cucumber, 3 tbsp oil, 1 tbsp vinegar, salt. Toss just before serving."
]
const receipt = [
  "CAFE MIRA 12/05/24 09:41\n2x flat white 7.60\n1x almond cake 4.20\nVAT 7% 0.77\nTOTAL EUR 11.80 CARD",
  "HARDWARE HUT\nscrews 4x40 5.49\npaint white 5l 32.00\ndiscount -3.20\nSUM 34.29 CASH 40.00 CHANGE 5.71"
]
const snippet = [
  "def mean(xs):\n    return sum(xs) / len(xs)", "const byId = new Map(rows.map((row) => [row.id, row]))\nreturn ids.map((id) => byId.get(id).name)",
  "for (int i = 0; i <= n; i++) {\n  total += values[i];\n}", "SELECT c.name, COUNT(*) FROM orders o JOIN customers c ON c.id = o.customer_id GROUP BY c.name",
  "fn longest<'a>(a: &'a str, b: &str) -> &'a str { if a.len() > b.len() { a } else { b } }",
  "async function load(url) {\n  const res = await fetch(url)\n  return res.json()\n}", "class Stack:\n    def __init__(self, items=[]):\n        self.items = items",
  "while read -r line; do\n  echo $line | cut -d, -f2\ndone < in.csv", "func worker(ch chan int) {\n\tfor v := range ch {\n\t\tgo handle(v)\n\t}\n}",
  "<ul>{items.map(i => <li>{i.name}</li>)}</ul>", "try { save(); } catch (Exception e) { }", "- timeout: 30\n+ timeout: 5\n+ retries: 3"
]
const prose = [
  "Kelp grows up to half a metre a day. Off the coast of Oru, divers of the station at Tamm have planted ropes with young kelp since 2019. Fish came back first, then the seals. The project costs 240,000 euros a year and is paid by the port.",
  "The council of Brindle will vote on 9 May on a night bus between the station and the hospital. Supporters point to 1,300 shift workers; critics say that the 410,000 a year would be better spent on schools.",
  "We compared two ways of teaching fractions in 31 classes (n = 742). Pupils who drew before they calculated scored 0.21 standard deviations higher after ten weeks; the gain held for half a year. Attrition was 6 percent.",
  "Farid Amani, 54, ran the lighthouse museum for twenty years. He was born in Shiraz, studied optics in Leeds, and came to the island by accident, he says, because he missed a ferry.",
  "Shares of the toy maker Pippin fell 9 percent after it warned that delays at two suppliers would cost it the Christmas season. Chief executive Lena Moss ruled out layoffs.",
  "When I was nine, my uncle gave me a radio without a back. You could see the valves glow. I learned the names of cities from it before I learned where they were, and I still hear Hilversum as a colour.",
  "To descale the machine, fill the tank with one part vinegar and two parts water, start the long programme, then rinse twice. A red light means that the tank is empty; a blinking light means that the filter is due.",
  "The patient, 61, reports dizziness on standing for two weeks. Takes ramipril 5 mg and metformin 500 mg twice daily. Blood pressure 104/62 lying, 88/55 standing. No chest pain.",
  "Version 3.4.0 adds offline maps and fixes a crash when two trips overlap. Version 3.3.2 was withdrawn on 4 March.",
  "Der Wochenmarkt zieht ab Mai auf den Rathausplatz um, weil die alte Halle saniert wird. Die Händler zahlen im ersten Jahr keine Miete.",
  "La biblioteca de Oru abrirá los domingos a partir de septiembre. El ayuntamiento ha contratado a cuatro personas y espera unas 300 visitas por día.",
  "Le pont de Halden restera fermé jusqu'au 14 mars. Les bus passent par la rue du Moulin, ce qui ajoute onze minutes au trajet.",
  "新しい図書館は四月に開館します。建設費は十二億円で、子どものための部屋が三つあります。",
  "Музей открыл новый зал. Он стоил три миллиона, и работы длились на год дольше, чем обещали."
]
const long = prose.map((text, index) => [text, prose[(index + 3) % 8]!, prose[(index + 5) % 9]!, prose[(index + 1) % 9]!].join("\n\n"))

export const pasted: Readonly<Record<string, ReadonlyArray<string>>> = {
  email, log, chat, review, table, json, contract, recipe, receipt, snippet,
  paste: [...prose, ...prose, ...email, ...chat, ...review, ...contract.slice(1), ...recipe, ...log.slice(1), ...table, ...long],
  sent: [
    "The bus was late again and nobody told us.", "I can't wait to see you all on Sunday!", "Prices of olive oil doubled within two years.",
    "Her flight leaves Lisbon at 6:40 and she has not packed.", "The screen flickers when I plug in the charger.", "We regret that the office stays shut on 2 January.",
    "Nobody in the village had ever seen so much snow.", "Could you forward me the notes from Monday?", "This is the worst update you have ever shipped.",
    "Mr Adeyemi sold the orchard to a firm from Ghent for 90,000 euros.", "A man in a red jacket is repairing a bicycle.", "Two children are playing with a kite on the beach.",
    "The cat slept through the whole concert.", "Turn left after the bakery and ring twice.", "My brother thinks that the test was unfair.",
    "Vitamin D is made in the skin under sunlight.", "They have been married for forty years.", "The committee rejected the plan by six votes to five.",
    "Honestly, the soup was better than the company.", "Our new office in Accra opens on 1 August.", "he dont know where is the keys", "Your account will be closed unless you act now.",
    "The storm tore the roof off the school, but the choir sang anyway.", "Please keep the receipt, you may need it.", "Everything I planted died, except for the weeds."
  ],
  file: ["dates.py", "utils.py", "src/api/client.ts", "main.go", "UserService.java", "app.rb", "lib/cart.js", "index.tsx", "parser.rs", "config.yaml", "handlers/orders.go", "test_login.py", "schema.sql", "Program.cs"],
  pkg: ["react", "lodash", "requests", "numpy", "express", "django", "spring boot", "pandas", "webpack", "tokio", "axios", "vite", "rails"],
  err: ["TypeError: x is not a function", "NullPointerException", "KeyError: 'id'", "IndexError: list index out of range", "ECONNREFUSED 127.0.0.1:5432", "ModuleNotFoundError: No module named 'yaml'",
    "undefined is not an object", "segmentation fault (core dumped)", "CORS policy blocked the request", "panic: runtime error: index out of range", "MemoryError", "error TS2345"],
  n: ["2", "3", "4", "5", "6", "7", "8", "9", "12"], m: ["14", "15", "20", "25", "30", "36", "48", "60", "72", "90", "120"]
}
