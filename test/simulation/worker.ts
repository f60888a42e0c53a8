import { serveCrew } from "./crew.ts";
import { runAll } from "./range.ts";

serveCrew(runAll);
