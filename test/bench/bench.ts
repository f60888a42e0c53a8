import { runProgram } from "../support/program.ts";
import { benchCommand } from "./command.ts";

await runProgram(benchCommand);
