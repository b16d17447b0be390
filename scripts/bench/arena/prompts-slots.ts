/** Words that fill the `{slots}` of the arena's prompts; all made up for it. */
export const slots: Readonly<Record<string, ReadonlyArray<string>>> = {
  language: ["Python", "TypeScript", "Go", "Rust", "Java", "Kotlin", "C#", "Ruby"],
  routine: [
    "parseInvoice", "merge_ranges", "loadProfile", "retryUpload", "countVowels", "rotateKeys", "splitBatch",
    "normalisePath", "sumColumns"
  ],
  file: [
    "billing/charge.ts", "app/models/order.rb", "cmd/sync/main.go", "src/queue.rs", "core/session.py",
    "web/cart.js", "lib/geo.kt"
  ],
  failure: [
    "IndexError: list index out of range", "TypeError: undefined is not a function",
    "panic: assignment to entry in nil map", "NullPointerException at line 48", "deadlock detected",
    "connection reset by peer", "stack level too deep"
  ],
  structure: [
    "a linked list", "a binary heap", "an LRU cache", "a trie", "a ring buffer", "an interval tree",
    "a bloom filter"
  ],
  table: [
    "orders", "subscriptions", "shipments", "page_views", "employees", "tickets", "invoices", "refunds"
  ],
  column: ["created_at", "region", "customer_id", "status", "amount_cents", "warehouse", "channel"],
  service: ["the checkout API", "our mail worker", "the search index", "the login service", "the report job"],
  product: [
    "espresso machine", "standing desk", "noise-cancelling headset", "robot vacuum", "trail backpack",
    "smart thermostat", "e-reader", "folding bike"
  ],
  complaint: [
    "arrived with a cracked lid", "never turned up", "stopped charging after a week", "was the wrong colour",
    "makes a grinding noise", "was billed twice"
  ],
  person: ["Amara", "Jonas", "Mei", "Rafael", "Ingrid", "Tomasz", "Leila", "Oskar", "Priya"],
  company: [
    "Halden Freight", "Bluefin Labs", "Okoye & Partners", "Nordlicht GmbH", "Cedar Loom", "Tavira Foods"
  ],
  city: ["Lisbon", "Osaka", "Tromsø", "Valparaíso", "Leeds", "Ghent", "Nairobi", "Graz"],
  tongue: ["German", "Spanish", "Japanese", "Polish", "Brazilian Portuguese", "Dutch", "Finnish"],
  sentence: [
    "The meeting has been moved to Thursday morning.", "Please do not leave luggage unattended.",
    "Our shop will be closed over the holidays.", "The battery must be charged before first use.",
    "She could hardly believe how quiet the harbour was.", "Returns are accepted within thirty days."
  ],
  idiom: [
    "to bite the bullet", "a storm in a teacup", "to let the cat out of the bag", "once in a blue moon",
    "to add fuel to the fire", "the last straw"
  ],
  clause: [
    "limitation of liability", "termination for convenience", "confidentiality", "assignment",
    "force majeure", "indemnification", "governing law"
  ],
  contract: [
    "software licence", "commercial lease", "employment agreement", "reseller agreement", "loan note",
    "data processing agreement"
  ],
  duty: [
    "give ninety days' notice", "keep records for six years", "insure the goods in transit",
    "report a breach within 72 hours", "pay interest at four percent"
  ],
  shape: ["cone", "cylinder", "regular hexagon", "trapezium", "sphere", "right-angled triangle", "torus"],
  theme: [
    "a lighthouse keeper", "the first snow", "an old bicycle", "two rival bakers", "a lost letter",
    "night trains", "a garden on a roof"
  ],
  mood: ["wry", "melancholy", "hopeful", "formal", "playful", "plain", "urgent"],
  audience: [
    "new colleagues", "school children", "our investors", "busy parents", "local journalists", "engineers"
  ]
}

export const openers: ReadonlyArray<string> = [
  "Hi,", "Hello there.", "Quick one:", "Can you help?", "Please", "I need a hand.", "Good morning!",
  "For work:", "One more task."
]

export const closers: ReadonlyArray<string> = [
  "Thanks!", "Keep it short.", "No explanations, please.", "I need it today.", "Be precise.",
  "Cheers.", "Answer in plain text.", "Thank you in advance."
]
