import { fieldTable, type Shapes } from "../field.ts";

const REGISTERED = `
  fnNumber         string(255)
  kktRegNumber     string(255)
  fiscalDocSign    string(255)
  fiscalDocNumber  string(255)
  time             datetime
`;

const SHIFT_START = fieldTable(`${REGISTERED}shiftNumber string(255)`);

const SHIFT_END = fieldTable(`${REGISTERED}
  shiftNumber      string(255)
  chequesTotal     int
  fiscalDocsTotal  int
`);

const SHIFT_CHEQUE = fieldTable(
  `
  start  object:start
  end    object:end
`,
  { start: SHIFT_START, end: SHIFT_END },
);

/** The register's data about the opening and closing of a shift (json-api 12.1), and about a sale (json-api 12.2). */
export const CHEQUE_SHAPES: Shapes = { shiftCheque: SHIFT_CHEQUE, saleCheque: fieldTable(REGISTERED) };
