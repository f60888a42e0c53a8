/** A broken promise of the server's: what the simulation looks for. */
export class BrokenPromise extends Error {}
