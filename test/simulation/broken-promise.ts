/** The server has broken a promise. The simulation looks for such failures. */
export class BrokenPromise extends Error {}
