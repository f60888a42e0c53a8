interface Command {
  process: string;
  token: number;
  /** Whether the command ends a document. */
  registers: boolean;
}

/** The commands that every register was sent. Notices when a process sends a command among the commands of another holder. */
export class Devices {
  readonly #last = new Map<string, Command>();
  readonly #holders = new Map<string, string>();
  readonly #usedInCalm = new Set<string>();
  #calm = false;
  #counts = { documents: 0, commands: 0, changes: 0 };
  /** The first promise that was broken. */
  broken: string | undefined;

  get counts(): { documents: number; commands: number; changes: number } {
    return this.#counts;
  }

  beginCalm(): void {
    this.#calm = true;
  }

  worksInCalm(register: string): boolean {
    return this.#usedInCalm.has(register);
  }

  send(register: string, command: Command): void {
    const last = this.#last.get(register);
    const { process, token, registers } = command;
    const { documents, commands, changes } = this.#counts;
    const isChange = last !== undefined && last.process !== process;
    this.#counts = { documents: documents + (registers ? 1 : 0), commands: commands + 1, changes: changes + (isChange ? 1 : 0) };
    if (last !== undefined && token < last.token) {
      this.broken ??= `${register}: ${process} sends under token ${token} after ${last.process} has sent under ${last.token}`;
    }
    const name = `${register} ${token}`;
    const holder = this.#holders.get(name) ?? process;
    if (holder !== process) this.broken ??= `${register}: ${process} and ${holder} both have token ${token}`;
    this.#holders.set(name, process);
    this.#last.set(register, command);
    if (this.#calm && registers) this.#usedInCalm.add(register);
  }
}
