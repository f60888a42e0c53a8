/** The processes that share the database, primary key id. PostgreSQL only. */
export interface ClusterProcessesTable {
  /** New at each start of a process. */
  id: string;
  /** The address at which the other processes reach this one. */
  url: string;
  version: string;
  lease_ms: number;
  /** Equal in all processes that have the same SECRET_KEY. */
  key_check: string;
  /** The number of the connection that holds the lock of the schema. While it is there, the process certainly lives. */
  session_pid: number;
  /** Raised by the process again and again. */
  counter: number;
  /** serving, leaving, or lost: another process saw that the counter stands still, and took the leases. */
  state: string;
  /** 1: a person wants the registers of the process elsewhere. */
  draining: number;
  /** By the clock of the database, for people only. */
  since_ms: number;
  seen_ms: number;
}

/** The database as the processes know it: one row, id 1. PostgreSQL only. */
export interface ClusterStateTable {
  id: number;
  /**
   * The system identifier and the timeline of the PostgreSQL server. After a switch to a standby, or when a dump was restored at another
   * server, the processes read other values.
   */
  system_id: string;
  timeline: number;
  /** The upper part of all tokens. It grows whenever the database is another one. */
  generation: number;
  /** 0: the generation is new, and nobody may take a lease before a lease time has passed. */
  settled: number;
}
