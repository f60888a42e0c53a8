import type { AnswerOf, CommandName, RequestOf } from "../../commands/commands.ts";
import type { Machine } from "../machine/machine.ts";

/** Carries out one command. Throws a Failure only when a storage fails or the virtual device is silent. */
export type Handler<N extends CommandName> = (
  machine: Machine,
  values: RequestOf<N>,
  /** Row of table 2 with the command's password; 0 for a command without a password. */
  operator: number,
) => Carried<N> | Promise<Carried<N>>;

type Carried<N extends CommandName> = AnswerOf<N> | number;

/** A command without a handler is answered with 37h. */
export type Handlers = { [N in CommandName]?: Handler<N> };
