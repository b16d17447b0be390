/** Texts that ask for large works or only name them, and texts that begin as a small request does. */
import { assert, describe, it } from "@effect/vitest"
import { classify } from "../../../src/engine/classifier/Classifier.ts"

/** As the text surely shows it; null for all between. */
const read = (task: string) => {
  const { difficulty, isDifficultySure } = classify(task)
  return isDifficultySure ? difficulty : null
}

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
    "Give a proof of the intermediate value theorem", "Prove that 0.999... = 1"
  ])("%s", (task) => assert.notInclude(["hard", "expert"], read(task)))
})

describe("a text that asks for what only experts do is for experts, whatever else it asks for", () => {
  it.each([
    "Design a Byzantine fault-tolerant consensus protocol", "Find all functions f: R -> R such that f(x+y)=f(x)f(y)",
    "Find a counterexample to Euler's sum of powers conjecture", "Prove that every even number above two is a sum of two primes",
    "Prove a generalisation of Cauchy-Schwarz for operator-valued measures",
    "Solve Putnam 2019 A3", "Break RSA-2048", "Rewrite the entire legacy application in Rust",
    "Implement a lock-free queue in C++ and argue why it is linearizable"
  ])("%s", (task) => assert.strictEqual(read(task), "expert"))
})

describe("a text that asks for a specialist's work is hard: strong models do it more often than not", () => {
  it.each([
    "Design a distributed transaction coordinator with exactly-once semantics and write a test suite",
    "Build a distributed message queue with exactly-once delivery", "Implement a lock-free linked list in C++",
    "Démontrez le théorème de Fermat pour n=4", "Prove that e is transcendental",
    "Beweise, dass jede stetige Funktion auf einem Kompaktum gleichmäßig stetig ist",
    "Review this employment contract and tell me every risky clause", "Prüfe diesen Mietvertrag auf Haftungsrisiken",
    "Find the deadlock in this Java code", "Write a compiler for a small language", "Audit this smart contract for reentrancy",
    "Optimize this SQL query that takes 40 seconds on 200 million rows", "Migrate our Django app from Python 2 to 3"
  ])("%s", (task) => assert.strictEqual(read(task), "hard"))
})

describe("a text that only names such work is not hard", () => {
  it.each([
    "Write a friendly message that explains this compiler error", "What is a deadlock?", "Explain what an interpreter is",
    "Extract the names of the parties from this contract: between Ann and Bob", "Is this contract signed?",
    "Write a short post about our threat model workshop", "Summarize this review of the contract in one line: it was fine"
  ])("%s", (task) => assert.notInclude(["hard", "expert"], read(task)))
})

describe("a text that asks for a little of what everybody can do is easy", () => {
  it.each([
    "polite reply: where is my parcel", "Write a short email to my landlord about a broken heater", "Why do cats purr?",
    "Write a haiku about autumn", "Suggest ten names for a grey cat", "Give me a simple recipe for tomato soup",
    "Rédige une réponse courte et polie à un client", "Schreibe eine kurze Einladung zu meinem Geburtstag"
  ])("%s", (task) => assert.strictEqual(read(task), "easy"))
})

describe("a short text is not easy where it is a reply, takes special knowledge, or is about something that it lacks", () => {
  it.each([
    "yes", "sure, do it", "looks good to me, go on with the plan", "继续", "What are the symptoms of iron deficiency?",
    "Write unit tests for this function", "Summarize the chat so far", "Draft a privacy policy", "Prove the Cauchy-Schwarz inequality",
    "Write a short summary of our tax position", "Give feedback on my essay", "Which of the files is wrong?"
  ])("%s", (task) => assert.notStrictEqual(read(task), "easy"))
})

describe("a short question is not trivial where its answer is no everyday fact, or what it is about is missing", () => {
  it.each([
    "What is the next prime after 10^18?", "How many integers below 1000 are coprime to 210?", "What is 7^222 mod 11?",
    "Where is the bug in my scheduler?", "What is the maximum flow in this network?", "Which line leaks memory?",
    "Rename the class User to Account across the repository", "Which database fits 10 TB of time series?",
    "Is this mole cancerous?", "Welche Medikamente darf ich mit Warfarin nehmen?", "How much magnesium can a toddler take?",
    "What is the capital gains rule for US expats?", "Who won the election yesterday?", "Does she like me?",
    "What is our churn last quarter?", "Write a regex that validates RFC 5322 email addresses including comments"
  ])("%s", (task) => assert.notStrictEqual(read(task), "trivial"))
})
