/** Returns words for the register that a command will use. `whose`: words for the point of sale. */
export function placeWords(register: string | undefined, whose: string): string {
  return register === undefined
    ? `at no register: ${whose} has neither a binding nor a DEFAULT_REGISTER in this environment`
    : `at ${register}, the register that ${whose} has now`;
}

/**
 * Returns a warning when the command would use another register than before. A command has the environment variables of a shell, not those
 * of the server's service, so DEFAULT_REGISTER may differ. `what`: words for what was done at the register `before`.
 */
export function otherPlaceWarnings(register: string | undefined, before: string | undefined, what: string): string[] {
  if (before === undefined || before === register) return [];
  return [
    `WARNING: ${what} at ${before}, another register. If the point of sale was not bound anew, this shell lacks the server's`,
    "  environment (DEFAULT_REGISTER, DATA_DIR, DATABASE_URL): set it as the server has it before you say --yes.",
  ];
}

/** Returns a warning when the drive differs: at the same address the drive or the whole register may have been replaced. */
export function otherDriveWarnings(drive: string | undefined, before: string | undefined): string[] {
  if (drive === undefined || before === undefined || drive === before) return [];
  return [`WARNING: the register has drive ${drive} now; what is corrected was sent to drive ${before}.`];
}
