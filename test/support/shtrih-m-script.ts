import type { Clock } from "../../src/kernel/clock.ts";
import { deadlineIn } from "../../src/kernel/deadline.ts";
import type { Link } from "../../src/registers/links/link.ts";
import { ShtrihRegister } from "../../src/registers/shtrih-m/register.ts";
import { Connection } from "../../src/registers/shtrih-m/session/connection.ts";
import { MemoryPort } from "./memory-link.ts";

const ENQ = 0x05;
const ACK = 0x06;
const NAK = 0x15;
const STX = 0x02;

/**
 * Answers by the beginning of a request's data, both in hexadecimal, the answer as DATA. Of several answers
 * each is given once and the last for ever.
 */
export type Script = Record<string, string | string[]>;

/** A driver at a device that knows nothing but its script, and what was sent to that. */
export interface Scripted {
  register: ShtrihRegister;
  /** DATA of every request, in hexadecimal. */
  asked: string[];
  /** What the driver has noted for people. */
  notes: string[];
  /** Changes the script from now on. */
  say(more: Script): void;
}

/** Everything that a driver asks a device that is new to it; a shift is open, the last document is 342. */
export const AT_REST: Script = {
  FC: "FC000000010EFC00D8D2D0C8D52DCBC0C9D22D3032D4",
  // 14.3, captured from a desktop device
  F7: "F7005AA04007206C00000C18010C100000000000001E0000000006FF00404 0B603 1213",
  // tables: 17 is the regional one, 18 the drive's
  "1F1E000000110100 11": "1F0004",
  "1F1E000000110100 07": "1F0000",
  "1F1E000000010100 0E": "1F0000",
  "1F1E0000001201": "1F00",
  "1F1E000000120100 01": `1F00${asciiHex("00000000000000017")}`,
  "1F1E000000120100 02": `1F00${asciiHex("5752203694       ")}`,
  // 14.1
  "1F1E000000120100 03": "1F00303030303030303030303034303631330000000000",
  "1F1E000000120100 04": `1F00${asciiHex("9999078900001234")}00`,
  "1F1E000000120100 05": "1F0001",
  "2D1E00000006": `2D00${"00".repeat(40)}060002`,
  "2D1E00000011": `2D00${"00".repeat(40)}01001F`,
  "2E": "2E33",
  // an old program: the short form of an unknown command (4.2)
  FF0E: "FF37",
  FF03: "FF03001B061E1C01",
  // likewise
  FF63: "FF37",
  // 14.3: shift open, 01.03.2017 13:47:21
  "11": "11001E43314A860D0111013700B2020200004E4100000101100103110D2F15008F1000000900000000 0000AEA9DB560100",
  "10": "10001E9202020000A0DD01C0001D0800",
  FF01: "FF010003000001001A030E0A0539393939303738393030303031323334560100 00",
  FF40: "FF40000139000C00",
  FF39: "FF390003000200540100001A030E0A01",
  FF3F: "FF3F000200",
  "1A1E000000F1": "1A001E40E201000000",
  // the report that opened shift 57 lies twelve receipts back
  FF0A: "FF0A0002001A030E08004A01000034 12CDAB3900",
};

function asciiHex(text: string): string {
  return Buffer.from(text, "latin1").toString("hex");
}

export function scripted(clock: Clock, script: Script): Scripted {
  const asked: string[] = [];
  const notes: string[] = [];
  const lines = new Map<string, string[]>();
  const say = (more: Script) => {
    for (const [begin, answers] of Object.entries(more)) lines.set(plain(begin), [answers].flat().map(plain));
  };
  say(script);
  const answerTo = (data: string): string => {
    const begin = [...lines.keys()].filter((known) => data.startsWith(known)).sort((a, b) => b.length - a.length)[0];
    const answers = lines.get(begin ?? "") ?? [];
    const [next = ""] = answers.length > 1 ? answers.splice(0, 1) : answers;
    if (begin === undefined) throw new Error(`the script has no answer to ${data}`);
    return next;
  };
  const port = new MemoryPort({ clock }, (far) => void serve(far, clock, asked, answerTo));
  const register = new ShtrihRegister(
    new Connection({
      link: port.link(),
      clock,
      passwords: { operator: 1, system: 30 },
      acknowledgeMs: 3_000,
      note: (level, text) => notes.push(`${level}: ${text}`),
    }),
    "paper",
  );
  return { register, asked, notes, say };
}

/** Protocol 1.0 from the device's side, written without ours: whole frames come in one piece here. */
async function serve(far: Link, clock: Clock, asked: string[], answerTo: (data: string) => string): Promise<void> {
  for (;;) {
    const received = await far.read(deadlineIn(clock, 3_600_000));
    if (received.kind === "lost") return;
    if (received.kind === "silence") continue;
    const { bytes } = received;
    if (bytes[0] === ENQ) await far.write(Uint8Array.of(NAK), deadlineIn(clock, 1_000));
    if (bytes[0] !== STX) continue;
    const data = bytes.subarray(2, -1).toString("hex").toUpperCase();
    asked.push(data);
    await far.write(Uint8Array.of(ACK), deadlineIn(clock, 1_000));
    const answer = Buffer.from(answerTo(data), "hex");
    // Nothing is said where the script has nothing: the answer is lost.
    if (answer.length > 0) await far.write(framed(answer), deadlineIn(clock, 1_000));
  }
}

function framed(data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.of(data.length), data]);
  return Buffer.concat([Buffer.of(STX), body, Buffer.of(body.reduce((check, byte) => check ^ byte, 0))]);
}

function plain(hex: string): string {
  return hex.replaceAll(" ", "").toUpperCase();
}
