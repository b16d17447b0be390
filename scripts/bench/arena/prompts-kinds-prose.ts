/* Kinds of prompt about prose: legal texts, mathematics and writing. */
import type { Kind } from "./prompts-kinds.ts"

const legal: ReadonlyArray<Kind> = [
  { name: "draft-clause", wordings: [
    "Draft a {clause} clause for a {contract} between {company} and {company}.",
    "We need a fair {clause} provision in the {contract} with {company}; cap at {n} thousand."
  ] },
  { name: "summarise-contract", wordings: [
    "Summarise a {contract} in {n} lines: the parties are {company} and {company}, the tenant must {duty}.",
    "What are the main obligations? The {contract} says that {company} shall {duty} for {n} months."
  ] },
  { name: "breach", wordings: [
    "{company} failed to {duty} under its {contract}. Which remedies does the other side have?",
    "Is it a material breach if {company} did not {duty} for {n} days?"
  ] },
  { name: "privacy", wordings: [
    "May {company} keep customer data from {city} for {n} years under the GDPR? Name the articles.",
    "Write the retention part of a privacy notice for {company}: {n} months, then deletion."
  ] },
  { name: "compare-clauses", wordings: [
    "Compare the {clause} and {clause} clauses of a {contract}: which one favours {company}?",
    "Our {contract} has two versions of the {clause} clause. Explain the difference to {audience}."
  ] },
  { name: "notice", wordings: [
    "Write a formal notice to {company}: we end the {contract} in {n} days because they did not {duty}.",
    "Termination letter for the {contract} with {company}, effective in {n} days."
  ] }
]

const maths: ReadonlyArray<Kind> = [
  { name: "geometry", wordings: [
    "A {shape} has a height of {n} cm and a width of {n} cm. Compute its area and show each step.",
    "Find the volume or area of a {shape} with side {n} and explain the formula."
  ] },
  { name: "percent", wordings: [
    "A {product} costs {n}0 euros after a discount of {n} percent. What was the price before?",
    "The price of the {product} rises by {n} percent and then falls by {n} percent. Net change?"
  ] },
  { name: "probability", wordings: [
    "An urn holds {n} red and {n} blue balls. What is the probability of drawing two of one colour?",
    "{person} rolls {n} dice. How likely is at least one six? Give an exact fraction."
  ] },
  { name: "integral", wordings: [
    "Evaluate the integral of x^{n} times exp(-{n}x) from 0 to infinity.",
    "Differentiate f(x) = sin({n}x) / (x^2 + {n}) and simplify."
  ] },
  { name: "travel", wordings: [
    "A train leaves {city} at {n} km/h, another from {city} at {n} km/h, {n}0 km apart. When do they meet?",
    "{person} cycles to {city} in {n} hours and back in {n} hours. Average speed over {n}0 km?"
  ] },
  { name: "proof", wordings: [
    "Prove by induction that {n} divides {n}^k - 1 shifted by one for every natural k, or find the flaw.",
    "Show that the square root of {n} is irrational, for {audience}."
  ] },
  { name: "schedule", wordings: [
    "{n} workers need {n} days for a wall in {city}. How long do {n} workers need?",
    "Two pumps fill a tank in {n} and {n} hours. How long together?"
  ] }
]

const writing: ReadonlyArray<Kind> = [
  { name: "poem", wordings: [
    "Write a {mood} poem about {theme}, {n} lines, no rhymes.",
    "A {mood} sonnet on {theme}, please."
  ] },
  { name: "story", wordings: [
    "Short story of {n}0 words set in {city}: {theme}, told by {person}, {mood} in tone.",
    "Begin a novel: {person} arrives in {city} and meets {theme}. Make it {mood}."
  ] },
  { name: "slogan", wordings: [
    "Give me {n} {mood} slogans for a {product} by {company}.",
    "Tagline for {company}'s new {product}, aimed at {audience}?"
  ] },
  { name: "speech", wordings: [
    "Write a {mood} speech of {n} minutes for {person}'s farewell from {company}.",
    "Toast for {person}'s wedding in {city}, {mood}, about {n} sentences."
  ] },
  { name: "blog", wordings: [
    "Blog post for {audience}: how {company} chose its {product}, {n}00 words, {mood}.",
    "Outline an article on {theme} for {audience} with {n} headings."
  ] },
  { name: "press", wordings: [
    "Press release: {company} opens an office in {city} and hires {n} people.",
    "Announce the {product} of {company} to {audience} in a {mood} press release."
  ] }
]

export const proseKinds: ReadonlyArray<Kind> = [...legal, ...maths, ...writing]
