/** Slot fillers of our own wording; `{text}` is pasted content that every type shares, so that it predicts none. */
const sentences = [
  "The bridge at Halden was closed for nine weeks while divers checked the northern pier.",
  "Mira Solberg joined the board on 14 February and left again before the summer.",
  "Sales of electric bicycles rose by 18 percent, while repairs of older ones fell.",
  "The recipe calls for two eggs, 200 g of flour and a pinch of salt.",
  "Our router loses the connection every time the microwave is on.",
  "Please send the signed lease to Tomas Vrba, Kettle Street 9, before Friday.",
  "The museum's new wing cost 3.2 million euros and opened a year late.",
  "He wrote that the valley was quiet, that the bees were back, and that nobody asked about the war.",
  "In 1911 the observatory moved to the hill, away from the lights of the harbour.",
  "I waited forty minutes for a cold soup and the waiter laughed at me.",
  "The vaccine lowered hospital visits among people over seventy in all three regions.",
  "def total(rows): return sum(row['price'] for row in rows)",
  "Bees tell each other where the flowers are by dancing on the comb.",
  "The supplier may end the contract with thirty days' notice if invoices stay unpaid.",
  "Dr Imani Oduya found that the moss stores three times its weight in water.",
  "Great phone, terrible battery, but the camera makes up for it.",
  "The team agreed that Jo will ask the printer for a quote and Ben will book the hall.",
  "Rain is expected from Thursday on, with gusts of up to 80 km/h on the coast.",
  "The city of Oru has 61,000 inhabitants and lies on both banks of the Tamm.",
  "When the glass fell, the whole kitchen went silent, and then somebody giggled."
]
export const slots: Readonly<Record<string, ReadonlyArray<string>>> = {
  sent: sentences,
  text: Array.from({ length: 24 }, (_, index) =>
    Array.from({ length: 3 + (index % 4) * (index % 6 === 5 ? 9 : 2) }, (_, place) =>
      sentences[(index * 7 + place * (3 + (index % 5))) % sentences.length]!)
      .join(index % 5 === 4 ? "\n" : " ")),
  topic: ["tides", "the printing press", "vaccines", "glaciers", "jazz", "chess", "the Silk Road", "black holes", "inflation", "bees",
    "solar panels", "sourdough", "the Roman senate", "migraine", "volcanoes", "coral reefs"],
  thing: ["a lighthouse keeper", "two rival bakers", "a lost umbrella", "the last tram of the night", "a shy dragon", "an honest thief",
    "a robot gardener", "my grandmother's piano", "a village without clocks", "a talking compass"],
  name: ["Ada", "Bram", "Chidi", "Dora", "Emil", "Farah", "Goran", "Hana"], other: ["Ines", "Jonas", "Kira", "Luca", "Mei", "Noor"],
  third: ["Olga", "Pavel", "Quinn", "Rosa", "Sven", "Tara"],
  n: ["3", "4", "5", "7", "8", "12"], m: ["15", "20", "24", "36", "60", "90"],
  language: ["German", "French", "Spanish", "Italian", "Japanese", "Polish", "Turkish", "Swahili", "Korean", "Portuguese", "Hindi", "Dutch"],
  place: ["Peru", "Norway", "Kenya", "Japan", "Portugal", "Vietnam", "Chile", "Ghana"],
  code: ["Python", "TypeScript", "Rust", "Go", "Java", "C++", "SQL", "Bash", "Kotlin", "PHP"],
  job: ["reverse the words in a string", "merge two sorted lists", "parse a CSV file", "find duplicates in an array", "retry a failing request",
    "validate an email address", "count words in a file", "rotate a matrix", "cache results with a time limit", "walk a directory tree"],
  field: ["names of people", "dates", "places", "amounts of money", "organisations", "phone numbers", "email addresses", "products", "deadlines", "job titles"],
  labels: ["positive, negative or neutral", "billing, technical, sales", "sport, politics, science, culture", "urgent / not urgent",
    "spam or not spam", "fact or opinion", "A1, A2, B1, B2", "toxic, safe"],
  keywords: ["river bridge fisherman", "dog catch frisbee park", "candle storm window", "train ticket stranger", "snow, boots, silence", "baker flour dawn"],
  device: ["the living room lights", "the heating", "the alarm", "the garage door", "the speaker", "the dishwasher"],
  time: ["7 am", "half past six", "tomorrow at noon", "in 20 minutes", "on Friday evening"]
}
