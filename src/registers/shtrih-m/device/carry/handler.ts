import type { AnswerOf, CommandName, RequestOf } from "../../commands/commands.ts";
import type { Machine } from "../machine/machine.ts";

/** Carries one command out. Throws a Failure only when a storage fails. */
export type Handler<N extends CommandName> = (
  machine: Machine,
  values: RequestOf<N>,
  /** Row of table 2 whose password came along; 0 for a command without one. */
  operator: number,
) => Carried<N> | Promise<Carried<N>>;

/** What the answer holds, or its error. */
type Carried<N extends CommandName> = AnswerOf<N> | number;

/** A command that is missing is answered 37h. */
export type Handlers = { [N in CommandName]?: Handler<N> };
