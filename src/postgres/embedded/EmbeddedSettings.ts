/* Settings of the embedded PostgreSQL's life cycle, and the parameters that it runs with. */

export const embeddedSettings = {
  /** Longest that a server may take to become ready, ms: recovery after a power cut included. Chosen. */
  readyMs: 60_000,
  /** Longest that a start waits for another process's start or stop on the same directory, ms. Chosen. */
  turnMs: 120_000,
  /** Pause between two checks of a server that starts or stops, ms. */
  pollMs: 10,
  /** Interval between two checks of a running server, ms: an outage is noticed within it. Chosen. */
  watchMs: 250,
  /**
   * Longest that server processes without a postmaster may take to end before they are killed, ms. Chosen.
   */
  orphanMs: 2_000,
  /** Pauses before a server is started again, ms: the first after one that ended early, and the longest. */
  restartMs: 200,
  restartMsMax: 30_000,
  /** A server that ran longer than this is started again at once, ms. Chosen. */
  steadyMs: 60_000,
  /** How often the log repeats that the server cannot be started, ms. Chosen. */
  reminderMs: 60_000,
  /** How long a stop waits in order, then at once, then after a kill, ms. `npm start` stops within 10 s. */
  stopMs: 7_000,
  stopAtOnceMs: 2_000,
  killMs: 1_000,
  /**
   * Tries at the lock of users for a killed process, count, and about the pause between them, ms: processes
   * that are killed together find each other's tries. Chosen.
   */
  leaveTries: 5,
  leaveMs: 100,
  /** The server's log is cut beyond this size, bytes; the part before is kept once as `postgresql.log.1`. */
  logBytesMax: 4 * 2 ** 20,
  /** How often its size is looked at, ms. Chosen. */
  logEveryMs: 60_000
} as const

/**
 * Parameters by name, as `postgres -c` takes them. None is stored in the cluster: all come with the version.
 */
export const serverSettings: Readonly<Record<string, string>> = {
  // Reached through the socket in its own folder, and in no other way.
  listen_addresses: "",
  unix_socket_directories: ".",
  unix_socket_permissions: "0700",
  port: "5432",
  // Sixteen processes on one port hold 80, and commands some.
  max_connections: "120",
  // What makes an acknowledged commit durable.
  fsync: "on",
  synchronous_commit: "on",
  full_page_writes: "on",
  // Memory for one small machine.
  shared_buffers: "32MB",
  work_mem: "4MB",
  maintenance_work_mem: "32MB",
  max_wal_size: "256MB",
  min_wal_size: "32MB",
  wal_buffers: "1MB",
  // Few processes: no I/O workers, no parallel workers, one vacuum worker, no senders.
  io_method: "sync",
  max_parallel_workers_per_gather: "0",
  max_parallel_maintenance_workers: "0",
  autovacuum_max_workers: "1",
  max_logical_replication_workers: "0",
  max_worker_processes: "2",
  max_wal_senders: "0",
  jit: "off",
  // /dev/shm may be missing or small in a container, and what a killed server left there would stay.
  dynamic_shared_memory_type: "mmap",
  // Statements and their values stay out of the log, which reports events of the server itself.
  log_min_messages: "log",
  log_min_error_statement: "panic",
  log_error_verbosity: "terse",
  log_checkpoints: "off",
  log_connections: "",
  log_timezone: "UTC",
  timezone: "UTC",
  log_line_prefix: "%m [%p] "
}
