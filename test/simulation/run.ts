import { runProgram } from "../support/program.ts";
import { simulateCommand } from "./command.ts";

await runProgram(simulateCommand);
