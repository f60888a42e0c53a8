/** The processes that share the database, primary key id. PostgreSQL only. */
export interface ClusterProcessesTable {
  id: string;
  /** The address of the process for other processes. */
  url: string;
  version: string;
  lease_ms: number;
  /** Equal in all processes with the same SECRET_KEY. */
  key_check: string;
  /** `pg_backend_pid` of the connection with the schema's lock. While this connection exists, the process lives, or was just cut off. */
  session_pid: number;
  /** Raised by the process each time it renews its lease. */
  counter: number;
  /** serving, leaving, or lost. Lost: another process saw an unchanged counter for a lease's time, or the database was replaced. */
  state: string;
  /** 1: a person moves the registers of the process to other processes. */
  draining: number;
  /** By the database's clock, for people only. */
  since_ms: number;
  seen_ms: number;
}

/** The database's identity for the processes: one row, id 1. PostgreSQL only. */
export interface ClusterStateTable {
  id: number;
  /**
   * The system identifier and the timeline of the PostgreSQL server. They differ after a switch to a standby, and at another server with
   * a restored dump.
   */
  system_id: string;
  timeline: number;
  /** Grows whenever the processes find a changed database. New tokens are then above the tokens of all earlier generations. */
  generation: number;
  /** 0: the generation is new, and nobody may take a lease before a lease time has passed. */
  settled: number;
}
