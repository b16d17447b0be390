/* Settings of the embedded PostgreSQL's life cycle, and the parameters of its server. */

export const embeddedSettings = {
  /** Maximum time until a started server is ready, ms, including its recovery after a power cut. Chosen. */
  readyMs: 60_000,
  /** Maximum wait while another process starts or stops the server of the data directory, ms. Chosen. */
  turnMs: 120_000,
  /** Pause between two checks of a server that starts or stops, ms. */
  pollMs: 10,
  /** Pause between two checks of a running server, ms. Chosen. */
  watchMs: 250,
  /** Maximum time that server processes may outlive their main process before they are killed, ms. Chosen. */
  orphanMs: 2_000,
  /** Pauses between repeated starts of a server, ms: first twice `restartMs`, at most `restartMsMax`. */
  restartMs: 200,
  restartMsMax: 30_000,
  /** A server that ran longer than this time, ms, is started again without a pause. Chosen. */
  steadyMs: 60_000,
  /** Minimum pause before the log repeats that the server cannot be started, ms. Chosen. */
  reminderMs: 60_000,
  /** Time that the server gets for an orderly stop, an immediate stop and a kill, ms: 10 s in all. */
  stopMs: 7_000,
  stopAtOnceMs: 2_000,
  killMs: 1_000,
  /** Tries of the stop program to find its data directory unused, and the mean pause between tries, ms. */
  leaveTries: 5,
  leaveMs: 100,
  /** Size from which the log is copied to `postgresql.log.1` and emptied, bytes. */
  logBytesMax: 4 * 2 ** 20,
  /** Minimum time between two checks of the size of `postgresql.log`, ms. Chosen. */
  logEveryMs: 60_000
} as const

/** Parameters for `postgres -c`, which override the configuration files of the cluster. */
export const serverSettings: Readonly<Record<string, string>> = {
  // Connections come only through the socket in the cluster's folder.
  listen_addresses: "",
  unix_socket_directories: ".",
  unix_socket_permissions: "0700",
  port: "5432",
  // Sixteen processes on one port use 80 connections for requests and reports; commands use further ones.
  max_connections: "120",
  // The settings `fsync`, `full_page_writes` and `synchronous_commit` make an acknowledged commit durable.
  fsync: "on",
  synchronous_commit: "on",
  full_page_writes: "on",
  shared_buffers: "32MB",
  work_mem: "4MB",
  maintenance_work_mem: "32MB",
  max_wal_size: "256MB",
  min_wal_size: "32MB",
  wal_buffers: "1MB",
  io_method: "sync",
  max_parallel_workers_per_gather: "0",
  max_parallel_maintenance_workers: "0",
  autovacuum_max_workers: "1",
  max_logical_replication_workers: "0",
  max_worker_processes: "2",
  max_wal_senders: "0",
  jit: "off",
  // The server's shared memory is not in /dev/shm, which may be missing or small in a container.
  dynamic_shared_memory_type: "mmap",
  // The log contains only events of the server, and no statements or values.
  log_min_messages: "log",
  log_min_error_statement: "panic",
  log_error_verbosity: "terse",
  log_checkpoints: "off",
  log_connections: "",
  log_timezone: "UTC",
  timezone: "UTC",
  log_line_prefix: "%m [%p] "
}
