/**
 * The use of a connection, from the least to the most useful; `Connections` closes the least useful connections first. `closing`: further
 * bytes are dropped. `idle-proved`: no request is unanswered, and the last was proved. `idle-unproved`: no request is unanswered, and
 * the last request was not proved or there was none. `unproved`: neither the last answered request nor an unanswered request is proved.
 * `returning`: the last answered request was proved, and the next request is arriving or not proved yet. `proved`: an unanswered request is
 * proved.
 */
export type Use = "closing" | "idle-unproved" | "unproved" | "idle-proved" | "returning" | "proved";
