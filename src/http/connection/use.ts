/** The use of a connection. `Connections` closes the least useful first. */
export type Use = "closing" | "idle-unproved" | "unproved" | "idle-proved" | "proved";
