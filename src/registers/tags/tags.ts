/**
 * How a requisite is stored and how long its value may be (fiscal-receipts 1.1–1.7). `text` is not padded; `fixed` is padded with spaces to
 * its length. Sums are whole kopecks, times are wall times. A `list` contains requisites.
 */
export type TagShape =
  | { type: "text"; maxBytes: number }
  | { type: "fixed"; bytes: number }
  | { type: "byte" | "uint16" | "uint32" | "time" }
  | { type: "sum"; maxBytes: number }
  | { type: "quantity"; maxBytes: number }
  | { type: "bytes"; maxBytes: number }
  | { type: "list"; maxBytes: number };

const text = (maxBytes: number) => ({ type: "text", maxBytes }) as const;
const fixed = (bytes: number) => ({ type: "fixed", bytes }) as const;
const sum = (maxBytes: number) => ({ type: "sum", maxBytes }) as const;
const list = (maxBytes: number) => ({ type: "list", maxBytes }) as const;
const byte = { type: "byte" } as const;
const uint16 = { type: "uint16" } as const;
const uint32 = { type: "uint32" } as const;
const time = { type: "time" } as const;

/** The maximum of a two-byte length field. */
const ANY = 65_535;

export const TAGS = {
  // whole documents, by their code
  1: list(6_144),
  2: list(4_096),
  3: list(32_768),
  5: list(4_096),
  21: list(4_096),
  31: list(32_768),
  // register, drive, seller
  1009: text(256),
  1013: text(20),
  1018: fixed(12),
  1037: fixed(20),
  1041: text(16),
  1048: text(256),
  1060: text(256),
  1062: byte,
  1117: text(64),
  1187: text(256),
  1188: text(8),
  1189: byte,
  1209: byte,
  // the document
  1012: time,
  1021: text(64),
  1038: uint32,
  1040: uint32,
  1042: uint32,
  1077: { type: "bytes", maxBytes: 6 },
  1192: text(16),
  1084: list(320),
  1085: text(64),
  1086: text(256),
  // the receipt
  1008: text(64),
  1020: sum(6),
  1031: sum(6),
  1054: byte,
  1055: byte,
  1081: sum(6),
  1102: sum(6),
  1103: sum(6),
  1104: sum(6),
  1105: sum(6),
  1106: sum(6),
  1107: sum(6),
  1115: list(ANY),
  1119: list(ANY),
  1120: sum(6),
  1215: sum(6),
  1216: sum(6),
  1217: sum(6),
  // the correction
  1173: byte,
  1174: list(292),
  1177: text(256),
  1178: time,
  1179: text(32),
  // the position
  1059: list(1_024),
  1023: { type: "quantity", maxBytes: 8 },
  1030: text(128),
  1043: sum(6),
  1079: sum(6),
  1162: { type: "bytes", maxBytes: 32 },
  1163: list(256),
  1197: text(16),
  1199: byte,
  1200: sum(6),
  1212: byte,
  1214: byte,
  1260: list(317),
  1262: text(3),
  1263: text(10),
  1264: text(32),
  1265: text(256),
  1300: text(32),
  1301: text(8),
  1302: text(13),
  1303: text(14),
  1305: text(38),
  1306: text(38),
  1307: text(20),
  2102: byte,
  2106: byte,
  2108: byte,
  // shift reports
  1050: byte,
  1051: byte,
  1052: byte,
  1053: byte,
  1206: byte,
  1097: uint32,
  1098: time,
  1111: uint32,
  1116: uint32,
  1118: uint32,
  1213: uint16,
  1157: list(ANY),
  1194: list(ANY),
  1129: list(ANY),
  1130: list(ANY),
  1131: list(ANY),
  1132: list(ANY),
  1133: list(ANY),
  1134: uint32,
  1135: uint32,
  1136: sum(8),
  1138: sum(8),
  1139: sum(8),
  1140: sum(8),
  1141: sum(8),
  1142: sum(8),
  1143: sum(8),
  1144: uint32,
  1145: sum(8),
  1146: sum(8),
  1232: sum(8),
  1233: sum(8),
  1183: sum(8),
  1201: sum(8),
  1218: sum(8),
  1219: sum(8),
  1220: sum(8),
} as const satisfies Record<number, TagShape>;

export type Tag = keyof typeof TAGS;

type ValueOfType = {
  text: string;
  fixed: string;
  byte: number;
  uint16: number;
  uint32: number;
  time: string;
  sum: number;
  quantity: number;
  bytes: Buffer;
  list: readonly Buffer[];
};

/**
 * A requisite's value in this program: kopecks, millionths, another number, wall time, text, bytes, or the encoded requisites of a list.
 */
export type ValueOf<T extends Tag> = ValueOfType[(typeof TAGS)[T]["type"]];

export type Requisite = { [T in Tag]: RequisiteOf<T> }[Tag];

export interface RequisiteOf<T extends Tag> {
  tag: T;
  value: RequisiteValue<T>;
}

/** As `ValueOf`, but the value of a list is its requisites, not yet encoded. */
export type RequisiteValue<T extends Tag> = (typeof TAGS)[T]["type"] extends "list" ? readonly Requisite[] : ValueOf<T>;
