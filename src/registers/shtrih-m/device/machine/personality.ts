/** The model that the device imitates (shtrih-protocol 15). */
export type PersonalityName = "desktop" | "cashcore" | "nano";

export interface Personality {
  name: PersonalityName;
  /** Number and name of the model in FCh. */
  model: number;
  modelName: string;
  protocol: { version: number; subversion: number };
  firmware: { version: string; build: number; date: string };
  /** DATA of F7h after the error byte, in hexadecimal. */
  parameters: string;
  /** Flags of 10h and 11h without a fault. */
  idleFlags: number;
  /** Voltages in 10h, each with its own scale (shtrih-protocol 5.1). An Android device reports none (shtrih-protocol 14.3). */
  battery: number;
  power: number;
  /**
   * The last bytes of 10h (shtrih-protocol 5.1). `desktop`: temperature, last mode and last print. `cashcore`: FF FF FF, then a byte for
   * the last print. Bit 34 of F7h announces this last byte.
   */
  status: "desktop" | "cashcore";
  /** Number of bytes of 11h after the INN. */
  longStatusExtension: 0 | 2;
  /** Whether FF4D and FF67 follow or precede the FF46 of their position (shtrih-protocol 5.7). */
  itemTags: "after" | "before";
  /** Whether reading a CHAR field returns its whole width or only the text (shtrih-protocol 5.5). */
  charFields: "padded" | "text";
  /** After FF3A the device stays in mode 1 until FF3B has read to the end (shtrih-protocol 5.8). */
  staysInOutput: boolean;
  /** Whether the first document opens a shift automatically. A field of the table `embedded` can change this default. */
  automaticShift: boolean;
  /** Whether the answers of 50h and 51h have the operator and the document number, or 0 for both (shtrih-protocol 14.3). */
  numbersSlips: boolean;
  /** Whether an unknown FF command is answered with `FF 37` instead of `FF XX 37` (shtrih-protocol 4.2). */
  shortErrors: boolean;
  /** Table numbers that differ between models (shtrih-protocol 6). */
  tables: { drive: number; operator: number; embedded: number; format: number; formatField: number };
}

/** The answer of a real desktop device without protocol 2.0 (shtrih-protocol 14.3). Its tables have the usual numbers. */
const DESKTOP_PARAMETERS =
  "5AA0400720" + "6C0000" + "0C18010C10" + "0000" + "00000000" + "1E000000" + "0006" + "FF00" + "40" + "40B603" + "1213";
/** The answer of a cashcore device in shtrih-protocol 14.4. */
const CASHCORE_PARAMETERS =
  "0800C0F73F" + "080000" + "000001" + "0C0A" + "0000" + "00000000" + "1E000000" + "0006" + "FF00" + "28" + "000000" + "0D0E100A1D";

const USUAL_TABLES = { drive: 18, operator: 19, embedded: 24, format: 17, formatField: 17 };

const desktop: Personality = {
  name: "desktop",
  model: 252,
  modelName: "ШТРИХ-ЛАЙТ-02Ф",
  protocol: { version: 1, subversion: 14 },
  firmware: { version: "C1", build: 34_378, date: "2017-01-13" },
  parameters: DESKTOP_PARAMETERS,
  idleFlags: 0x0290,
  battery: 0x9f,
  power: 0xd8,
  status: "desktop",
  longStatusExtension: 0,
  itemTags: "after",
  charFields: "padded",
  staysInOutput: true,
  automaticShift: false,
  numbersSlips: true,
  shortErrors: false,
  tables: USUAL_TABLES,
};

export const PERSONALITIES: Readonly<Record<PersonalityName, Personality>> = {
  desktop,
  cashcore: {
    ...desktop,
    name: "cashcore",
    model: 45,
    modelName: "ШТРИХ-СМАРТПОС-Ф",
    protocol: { version: 2, subversion: 0 },
    parameters: CASHCORE_PARAMETERS,
    idleFlags: 0x0090,
    battery: 0,
    power: 0,
    status: "cashcore",
    longStatusExtension: 2,
    itemTags: "before",
    charFields: "text",
    staysInOutput: false,
    automaticShift: true,
    tables: { drive: 13, operator: 14, embedded: 16, format: 10, formatField: 29 },
  },
  nano: { ...desktop, name: "nano", model: 152, modelName: "ШТРИХ-НАНО-Ф", numbersSlips: false, shortErrors: true },
};
