import { serveCrew } from "../crew.ts";
import { runAllPayments } from "./range.ts";

serveCrew(runAllPayments);
