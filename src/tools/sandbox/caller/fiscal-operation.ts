/** Operations of the fiscal contract, as they stand in its paths. */
export type FiscalOperation =
  | "openshift"
  | "retaildemand"
  | "retaisalesreturn"
  | "retaildrawercashin"
  | "retaildrawercashout"
  | "closeshift";
