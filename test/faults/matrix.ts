/*
 * The faults that the service must survive, each with how it is injected, what the service must answer, and
 * where that is tested.
 */

/** A test elsewhere, by its file under `test` and its title. */
export interface Reference {
  readonly file: string
  readonly title: string
}

export interface Row {
  readonly row: string
  readonly fault: string
  readonly injected: string
  readonly expected: string
  /** `here`: a test of this folder whose title begins with the row's number. */
  readonly tested: "here" | ReadonlyArray<Reference>
  /** Tests elsewhere that cover more of a row that has one here. */
  readonly also?: ReadonlyArray<Reference>
  /** Why no test covers the row, or what of it none covers. */
  readonly open?: string
}

const at = (file: string, title: string): Reference => ({ file: `${file}.test.ts`, title })

const hostile = (title: string) => at("fuzz/HostileClients", title)
const fuzzed = at("fuzz/Fuzz", "is answered in time, as documented, without a 5xx or a logged failure")

export const rows: ReadonlyArray<Row> = [
  {
    row: "F01", fault: "memory refuses connections", injected: "proxy", tested: "here",
    expected: "200, priors, memory_unavailable; after five failures unasked; feedback kept, memory_write_failed"
  },
  {
    row: "F02", fault: "memory slow", injected: "proxy: latency under and over the budget, trickle", tested: "here",
    expected: "under: used; over: recall_timeout, then memory_unavailable, within budget + 50 ms"
  },
  {
    row: "F03", fault: "memory mute, half open, reset in an answer", injected: "proxy", tested: "here",
    expected: "as F01 or F02 by phase"
  },
  {
    row: "F04", fault: "garbage from memory", injected: "HTTP front; proxy: noise, corrupt byte", tested: "here",
    expected: "priors; bodies capped; entries not asked for never surface",
    also: [at("memory/remote/MemoryHttp", "without an end is not read past 4 MB")]
  },
  {
    row: "F05", fault: "memory down at the start", injected: "proxy refuses first", tested: "here",
    expected: "alive; 503 to keys never seen (design 7); served once the memory is there"
  },
  {
    row: "F06", fault: "memory 401, 403, 429, 500, 503", injected: "HTTP front", tested: "here",
    expected: "401 only for a key that the memory refuses; else memory_unavailable; Retry-After honoured",
    also: [at("memory/remote/MemoryHttp", "with five 503s in a row gets no requests for the open second of the circuit, not for the 30 s of its header")]
  },
  {
    row: "F07", fault: "memory flaps at 1 Hz", injected: "proxy script", tested: "here",
    expected: "at most 1.1 questions per request",
    also: [at("resilience/CircuitBreaker", "lets one probe through after its pause, and closes when the probe succeeds")]
  },
  {
    row: "F08", fault: "DNS fails, address changes", injected: "look-up replaced in the process", tested: "here",
    expected: "as F01; the new address within seconds"
  },
  {
    row: "F09", fault: "PostgreSQL killed under load, 20 times", injected: "SIGKILL to postmaster and children",
    expected: "recommend 200 throughout; feedback 200 or 503; no acknowledged one lost or counted twice",
    tested: [at("cluster/Kills", "when PostgreSQL and its replica are killed, and every request is answered meanwhile")]
  },
  {
    row: "F10", fault: "PostgreSQL down at the start, and later", injected: "proxy refuses", tested: "here",
    expected: "starts degraded; decisions of the outage are known after it; feedback 503",
    also: [at("process/DatabaseOutage", "starts, answers what it can, and works once PostgreSQL is up, without a restart")]
  },
  {
    row: "F11", fault: "PostgreSQL slow or damaged on the way; locked table", injected: "proxy; LOCK TABLE", tested: "here",
    expected: "recommend in time; feedback 200 or 503; nothing lost"
  },
  {
    row: "F12", fault: "no connection left", injected: "CONNECTION LIMIT 0", tested: "here",
    expected: "recommend in time; feedback 503; no hang"
  },
  {
    row: "F13", fault: "disk full", injected: "tmpfs filled to the last byte", tested: "here",
    expected: "recommend 200; feedback 503; recovers alone", open: "needs the right to mount; skipped elsewhere"
  },
  {
    row: "F14", fault: "deadlock, serialization failure", injected: "100 feedbacks at once", tested: "here",
    expected: "retried inside, invisible",
    also: [at("ledger/sql/LedgerSql", "a settlement whose work meets a deadlock runs again as a whole")]
  },
  {
    row: "F15", fault: "read-only database", injected: "default_transaction_read_only", tested: "here",
    expected: "recommend 200; feedback 503; recovers with the failover"
  },
  {
    row: "F16", fault: "reasoner hangs or trickles", injected: "proxy", tested: "here",
    expected: "within its budget, reasoner_failed, the deterministic pick",
    also: [at("process/Reasoner", "answers both questions within the reasoner's timeout, and stops while it waits")]
  },
  { row: "F17", fault: "reasoner answers nonsense", injected: "fake reasoner", tested: "here", expected: "reasoner_failed" },
  {
    row: "F18", fault: "reasoner 401, 429, 500, reset", injected: "fake reasoner; proxy", tested: "here",
    expected: "reasoner_failed; its key in no log"
  },
  {
    row: "F19", fault: "reasoner not configured", injected: "configuration", expected: "reasoner_disabled and escalation_suggested",
    tested: [at("process/Reasoner", "warns where a reasoner would be asked")]
  },
  {
    row: "F20", fault: "price sources down, of another shape, negative, empty, mute", injected: "fetch led to a front", tested: "here",
    expected: "last good prices; prices_stale, catalog_stale; nothing written",
    also: [at("catalog/remote/CatalogRefresh", "is refused at 7 of 10 models and accepted at 8")]
  },
  {
    row: "F21", fault: "embeddings endpoint down, slow or wrong", injected: "fake endpoint", expected: "the lexical lane",
    tested: [
      at("process/Embedder", "recalls by the endpoint, survives its outage, embeds an older lane, and never discloses its key"),
      at("embedder/remote/EmbedderHttp", "waits no longer than its setting allows, keeps a late answer, and opens its circuit after failures")
    ]
  },
  {
    row: "F22", fault: "service killed amid feedback", injected: "SIGKILL", expected: "the same answer to a repeat; counted once",
    tested: [at("cluster/Kills", "when the service, its embedded PostgreSQL, or both are killed, ten times each")]
  },
  {
    row: "F23", fault: "SIGTERM under load", injected: "signal", expected: "no answer cut short; exit 0 within 10 s",
    tested: [at("process/Drain", "completes every accepted request under load, and exits with 0")]
  },
  {
    row: "F24", fault: "the same feedback 100 times at once", injected: "client", tested: "here",
    expected: "one effect, one answer"
  },
  {
    row: "F25", fault: "another body under the same key", injected: "client", expected: "the first answer and idempotency_key_reused",
    tested: [at("engine/Learner", "another body under the same key gets the first answer and is told")]
  },
  {
    row: "F26", fault: "feedback before its decision is written", injected: "proxy: latency to PostgreSQL", tested: "here",
    expected: "accepted or 503, never unknown_recommendation"
  },
  {
    row: "F27", fault: "late feedback: 7 d, 399 d", injected: "libfaketime", tested: "here",
    expected: "late_feedback_no_attribution after seven days, not before",
    also: [at("engine/Learner", "after seven days still teaches and credits nobody")]
  },
  {
    row: "F28", fault: "replay by another account", injected: "client", expected: "as a random id",
    tested: [
      at("engine/Learner", "of another account resolves to nothing, and leaves that account's lane alone"),
      at("isolation/Isolation", "never see each other's data on the embedded database")
    ]
  },
  {
    row: "F29", fault: "clock jumps three hours either way", injected: "libfaketime", tested: "here",
    expected: "no negative latency; answers and learns as before"
  },
  {
    row: "F30", fault: "event loop blocked for 500 ms", injected: "a module inside", tested: "here",
    expected: "all that came is answered with 200"
  },
  {
    row: "F31", fault: "heap near its limit", injected: "420 bodies of 0.9 MB held open at a heap of 220 MB; 300 at once at 120", tested: "here",
    expected: "503 for those without room; small ones and those let in are answered; no death",
    also: [at("http/limits/Admission", "refuses reads first, then recommendations, feedback last")]
  },
  {
    row: "F32", fault: "no file descriptor left", injected: "ulimit -n 80, 200 connections", tested: "here",
    expected: "no crash; takes connections again"
  },
  {
    row: "F33", fault: "slow headers, bodies, readers", injected: "raw sockets", expected: "cut off; others unaffected",
    tested: [
      hostile("is cut off when it sends its headers byte by byte"),
      hostile("is cut off when it sends its body byte by byte"),
      hostile("does not fill the service's memory by never reading its answers")
    ]
  },
  {
    row: "F34", fault: "idle connections", injected: "9,500 sockets", expected: "memory bounded",
    tested: [hostile("keeps 9,500 idle connections open without slowing others or filling memory")]
  },
  {
    row: "F35", fault: "header abuse", injected: "raw sockets, fuzz", expected: "400 or 431",
    tested: [
      at("http/ClientErrors", "is a 431 problem when the headers are too large"),
      at("http/ClientErrors", "is a 400 problem when length and chunks contradict each other"),
      fuzzed
    ]
  },
  {
    row: "F36", fault: "large, endless, compressed bodies; Expect", injected: "raw sockets", expected: "413, 415, 417; memory bounded",
    tested: [
      hostile("is refused a body over the limit, declared or chunked, which is not stored"),
      hostile("is refused a compressed body, which is not decompressed"),
      at("http/ClientErrors", "is a 417 problem when something other than 100-continue is expected")
    ]
  },
  {
    row: "F37", fault: "deep JSON, many or equal keys", injected: "client, fuzz", expected: "400; the last of two equal keys counts",
    tested: [
      at("http/Problems", "nesting past 32 levels is 400 and names the limit, a million levels included"),
      at("http/Wire", "uses the last of two equal keys"),
      fuzzed
    ]
  },
  {
    row: "F38", fault: "hostile Unicode", injected: "fuzz", expected: "no 5xx; NUL and lone surrogates scrubbed",
    tested: [at("http/Wire", "scrubs NUL and lone surrogates from task text instead of refusing them"), fuzzed]
  },
  {
    row: "F39", fault: "names of prototypes", injected: "client, fuzz", expected: "names like any other",
    tested: [hostile("gains nothing by nesting, by colliding keys, or by names of prototypes"), fuzzed]
  },
  {
    row: "F40", fault: "numbers out of range", injected: "client, fuzz", expected: "400",
    tested: [at("http/Problems", "a number beyond the finite range is refused, naming its field"), fuzzed]
  },
  {
    row: "F41", fault: "long arrays", injected: "client, fuzz", expected: "400, or step_outcomes_capped",
    tested: [at("engine/Learner", "with 33 steps keeps 32 and says how many it dropped"), fuzzed]
  },
  {
    row: "F42", fault: "text that blows up the classifier", injected: "fuzz", expected: "answered in time",
    tested: [fuzzed],
    open: "20 ms per text is a timing, which scripts/bench/classifier.ts measures and no test asserts"
  },
  {
    row: "F43", fault: "keys that collide, floods of names", injected: "client", expected: "bounded memory",
    tested: [
      hostile("gains nothing by nesting, by colliding keys, or by names of prototypes"),
      at("memory/index/LaneCache", "above its limit in bytes the cache drops the least recently used lane")
    ]
  },
  {
    row: "F44", fault: "first uses of one key at once", injected: "concurrent calls", expected: "one look-up",
    tested: [at("accounts/KeyCache", "share one look-up among concurrent calls, which outlives its first caller")]
  },
  {
    row: "F45", fault: "key revoked while cached", injected: "TestClock; the keys command", expected: "401 within a minute",
    tested: [
      at("accounts/KeyCache", "are looked up again after a minute"),
      at("process/NewUser", "creates a working key, revokes it, and never lists a secret")
    ]
  },
  {
    row: "F46", fault: "two services on one database", injected: "a second process", tested: "here",
    expected: "each feedback once, the same answer from both"
  },
  {
    row: "F47", fault: "rolling upgrade", injected: "none", expected: "both versions serve", tested: [],
    open: "outside this matrix: there is no released build yet to run beside this one"
  },
  {
    row: "F48", fault: "migration killed half-way", injected: "SIGKILL under an event trigger that sleeps", tested: "here",
    expected: "the next start completes it; the lock is free"
  },
  {
    row: "F49", fault: "restoration from a dump", injected: "pg_dump, psql", tested: "here",
    expected: "checksums of all tables equal; serves; repeats are answered as before"
  },
  {
    row: "F50", fault: "row of a newer version, corrupt row", injected: "SQL", expected: "skipped and counted",
    tested: [at("ledger/sql/LedgerSql", "a row of a newer version's words, or of another shape, is skipped, and the others are read")]
  },
  {
    row: "F51", fault: "nobody reads the log", injected: "pipe left unread", tested: "here", expected: "requests unaffected"
  },
  {
    row: "F52", fault: "collector down or slow", injected: "proxy", tested: "here", expected: "requests unaffected; stops in time"
  },
  {
    row: "F53", fault: "documentation without internet", injected: "page inspected; browser", expected: "nothing from elsewhere",
    tested: [
      at("http/Wire", "has a docs page that loads nothing from other origins"),
      at("dashboard/Page", "leaves the API's documentation without errors too")
    ]
  },
  {
    row: "F54", fault: "proxy in front", injected: "raw sockets", tested: "here",
    expected: "HTTP/1.0 and absolute form served; forwarding headers believed by nobody"
  },
  {
    row: "F55", fault: "client: service down, DNS, TLS, slow, 5xx, 429", injected: "proxy, server", tested: "here",
    expected: "the default model within the deadline; never throws"
  },
  {
    row: "F56", fault: "client: queue full, exit", injected: "server that refuses", tested: "here",
    expected: "no queue: each promise settles; nothing stray after close"
  },
  {
    row: "F57", fault: "client: double await, thousands at once, close", injected: "mute server", tested: "here",
    expected: "no unhandled rejection",
    open: "there is no abort signal in the client; 3,000 at once, not 10,000, which take half a minute here"
  },
  {
    row: "F58", fault: "500 clients after a restart", injected: "SIGKILL, restart", tested: "here", expected: "all answered",
    open: "jitter is the caller's: the client never repeats a recommendation"
  },
  {
    row: "F59", fault: "windows of days", injected: "TestClock", expected: "exact: multiples of 24 h in UTC",
    tested: [
      at("reports/Reports", "the window ends now and reaches back the days asked for"),
      at("reports/Overview", "counts feedback on the UTC day of its decision, however late it came")
    ]
  },
  {
    row: "F60", fault: "one of two services cut off from memory", injected: "a proxy each", tested: "here",
    expected: "warnings on that side alone; both sides' feedback counts once"
  }
]
