/** Operations of the fiscal contract, as its paths spell them. */
export type FiscalOperation =
  | "openshift"
  | "retaildemand"
  | "retaisalesreturn"
  | "retaildrawercashin"
  | "retaildrawercashout"
  | "closeshift";
