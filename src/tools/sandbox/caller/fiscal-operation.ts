/** The operations of the fiscal contract, with the names that its paths have. */
export type FiscalOperation =
  | "openshift"
  | "retaildemand"
  | "retaisalesreturn"
  | "retaildrawercashin"
  | "retaildrawercashout"
  | "closeshift";
