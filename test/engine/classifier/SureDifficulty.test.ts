/** Texts that name expert work, or begin as a question of one fact does, and are neither. */
import { assert, describe, it } from "@effect/vitest"
import { squeeze } from "../../../src/engine/classifier/Normalise.ts"
import { sureDifficulty } from "../../../src/engine/classifier/SureDifficulty.ts"

const read = (task: string) => sureDifficulty(task, squeeze(task))

describe("a text that only names what experts do is not for experts", () => {
  it.each([
    "Write a blog post about distributed systems", "Create a new vaccine appointment reminder email",
    "Write an email asking for a proof of payment for the invoice", "Write proof of employment letter",
    "Write a product description for our database engine", "Write a unit test for the garbage collector flag parser",
    "Build the docker image of the distributed database", "Build a consensus among stakeholders about the new logo",
    "Write a job posting for a distributed systems engineer", "Make a checklist for upgrading the entire platform",
    "Find all functions in this file that lack docstrings", "Find all prime numbers up to 100 in Python",
    "Split the whole project budget between 3 teams", "Refactor this whole program: print(1+1)",
    "Prove it! Write a slogan for a bakery", "Break down RSA for a five year old",
    "Solve the homework: Putnam county has 3 schools", "imo you should solve this by being nice",
    "Prove the Cauchy-Schwarz inequality", "Prove De Morgan's laws", "Prove that the harmonic series diverges",
    "Give a proof of the intermediate value theorem"
  ])("%s", (task) => assert.isNull(read(task)))
})

describe("a text that asks for such work is for experts, whatever else it asks for", () => {
  it.each([
    "Design a distributed transaction coordinator with exactly-once semantics and write a test suite",
    "Build a distributed message queue with exactly-once delivery", "Design a Byzantine fault-tolerant consensus protocol",
    "Implement a lock-free linked list in C++", "Find all functions f: R -> R such that f(x+y)=f(x)f(y)",
    "Find a counterexample to Euler's sum of powers conjecture", "Démontrez le théorème de Fermat pour n=4",
    "Prove a generalisation of Cauchy-Schwarz for operator-valued measures", "Prove that e is transcendental",
    "Solve Putnam 2019 A3", "Break RSA-2048", "Rewrite the entire legacy application in Rust"
  ])("%s", (task) => assert.strictEqual(read(task), "expert"))
})

describe("a short question is not trivial where its answer is no everyday fact, or what it is about is missing", () => {
  it.each([
    "What is the next prime after 10^18?", "How many integers below 1000 are coprime to 210?", "What is 7^222 mod 11?",
    "Where is the bug in my scheduler?", "What is the maximum flow in this network?", "Which line leaks memory?",
    "Rename the class User to Account across the repository", "Which database fits 10 TB of time series?",
    "Is this mole cancerous?", "Welche Medikamente darf ich mit Warfarin nehmen?", "How much magnesium can a toddler take?",
    "What is the capital gains rule for US expats?", "Who won the election yesterday?", "Does she like me?",
    "What is our churn last quarter?"
  ])("%s", (task) => assert.isNull(read(task)))
})
