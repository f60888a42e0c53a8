/**
 * The operations of the fiscal contract, spelled as in its paths. `retaisalesreturn` is the platform's own spelling
 * (platform-contracts 4.3).
 */
export type FiscalOperation =
  | "openshift"
  | "retaildemand"
  | "retaisalesreturn"
  | "retaildrawercashin"
  | "retaildrawercashout"
  | "closeshift";
