import { serveCrew } from "../crew.ts";
import { runAllLoyalty } from "./range.ts";

serveCrew(runAllLoyalty);
