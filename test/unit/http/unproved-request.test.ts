import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { BodyBudget } from "../../../src/http/body-budget.ts";
import { ParseOrder } from "../../../src/http/parse-order.ts";
import { ProvedNetworks } from "../../../src/http/proved-networks.ts";
import { MAX_BODY_BYTES } from "../../../src/http/raw-body.ts";
import { UnprovedRequest } from "../../../src/http/unproved-request.ts";
import { Unzip } from "../../../src/http/unzip.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";

const BALLOON = gzipSync(Buffer.alloc(MAX_BODY_BYTES));
const CALLERS = 8;

it("requests whose large bodies wait for each other to be unpacked hold up nobody else", async () => {
  const clock = new VirtualClock(0);
  const parseOrder = new ParseOrder(clock);
  const parts = {
    parseOrder,
    bodies: new BodyBudget(),
    unzip: new Unzip(),
    provedNetworks: new ProvedNetworks(),
    sender: { network: "198.51.100.1", networkProved: false, known: false },
  };
  const unzipping = Array.from({ length: CALLERS }, () => {
    const response = new ServerResponse(new IncomingMessage(new Socket()));
    return new UnprovedRequest({ ...parts, response }).unzip(BALLOON, MAX_BODY_BYTES);
  });
  let passed = false;
  parseOrder.ask({
    standing: "new",
    pass: () => {
      passed = true;
    },
  });
  expect(passed).toBe(true);
  const lengths = (await Promise.all(unzipping)).map((unzipped) => (unzipped.kind === "bytes" ? unzipped.bytes.length : unzipped.kind));
  expect(lengths).toEqual(Array.from({ length: CALLERS }, () => MAX_BODY_BYTES));
});
