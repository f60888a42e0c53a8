import type { Deadline } from "../../../kernel/deadline.ts";
import type { Examined } from "../../examination-schema.ts";
import { linkTo } from "../../links/address.ts";
import { locked } from "../../links/locked.ts";
import type { ExaminationServices } from "../../protocol.ts";
import type { ShtrihAddress } from "../session/address.ts";
import { Connection } from "../session/connection.ts";
import { examine } from "./examination.ts";
import { watched } from "./line.ts";

/** Opens the link, examines the device and closes the link. */
export async function visit(address: ShtrihAddress, services: ExaminationServices, deadline: Deadline): Promise<Examined> {
  const { canonical, link: place, passwords, protocol, acknowledgeMs, print } = address;
  const { clock, note, tracing = false } = services;
  let holder: string | undefined;
  const taken = (words: string) => {
    holder = words;
  };
  const link = linkTo(place, clock);
  // Only one program can open a serial port, so a serial port needs no lock. No holder is named for it, because the system does not tell
  // which program has the port open.
  const own = place.kind === "tcp" ? locked(link, { clock, name: canonical, note, taken }) : link;
  const line = watched(own, note);
  const connection = new Connection({ link: line.link, clock, passwords, protocol, acknowledgeMs, note: line.note, tracing });
  try {
    const examined = await examine({ address: canonical, connection, traffic: line.traffic, print }, services, deadline);
    return examined.kind === "unreachable" && holder !== undefined ? { kind: "held", holder } : examined;
  } finally {
    await connection.close();
  }
}
