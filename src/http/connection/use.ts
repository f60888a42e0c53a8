/**
 * The use of a connection. `Connections` closes the least useful connections first. `returning`: its last request was proved, and the next
 * request is arriving or not proved yet.
 */
export type Use = "closing" | "idle-unproved" | "unproved" | "idle-proved" | "returning" | "proved";
