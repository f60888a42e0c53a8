import { describe, expect, it } from "vitest";
import type { RegisterState } from "../../../../../src/registers/register.ts";
import type { KnownDevice } from "../../../../../src/registers/shtrih-m/identity/identity.ts";
import type { Connection } from "../../../../../src/registers/shtrih-m/session/connection.ts";
import { DeviceMemory } from "../../../../../src/registers/shtrih-m/state/device-memory.ts";
import type { View } from "../../../../../src/registers/shtrih-m/state/view.ts";

const known = { openings: 1 } as KnownDevice;
const view = { openings: 1, opening: { shiftNumber: 7 } } as View;

function link(isOpen: boolean, openings: number): Connection {
  return { isOpen, openings } as Connection;
}

function state(parts: Partial<RegisterState>): RegisterState {
  return parts as RegisterState;
}

describe("what the driver remembers of the device", () => {
  it("holds for one opening of the link", () => {
    const memory = new DeviceMemory();
    memory.keepDevice(known);
    expect(memory.knownOver(link(true, 1))).toBe(known);
    expect(memory.knownOver(link(false, 1))).toBeUndefined();
    expect(memory.knownOver(link(true, 2))).toBeUndefined();
  });

  it("has no view where a document stands open, and the opening of the shift all the same", () => {
    const memory = new DeviceMemory();
    memory.keepView(view, state({ documentOpen: true }));
    expect([memory.view, memory.opening]).toEqual([undefined, view.opening]);
    memory.keepView(view, state({ documentOpen: false }));
    expect(memory.view).toBe(view);
  });

  it("loses its view with a document that does not tell how the device stands, and nothing else", () => {
    const memory = new DeviceMemory();
    memory.keepDevice(known);
    memory.keepView(view, state({ documentOpen: false }));
    memory.keepPerformed({ outcome: { kind: "in-doubt", doubt: { code: "no-answer", reason: "" } } });
    expect([memory.view, memory.opening, memory.known]).toEqual([undefined, view.opening, known]);
  });

  it("gives the reported drawer once, and none after a device that was not reached", () => {
    const memory = new DeviceMemory();
    memory.keepReported(state({ drawerKopecks: 5, driveNumber: "1" }));
    expect([memory.takeReportedDrawer(), memory.takeReportedDrawer()]).toEqual([5, undefined]);
    memory.keepReported(state({ drawerKopecks: 5, driveNumber: "1" }));
    memory.keepReported(undefined);
    expect(memory.takeReportedDrawer()).toBeUndefined();
  });

  it("knows another drive than the reported one, as long as one was reported", () => {
    const memory = new DeviceMemory();
    expect(memory.reportedOtherDrive("1")).toBe(false);
    memory.keepReported(state({ driveNumber: "1" }));
    memory.keepReported(undefined);
    expect([memory.reportedOtherDrive("1"), memory.reportedOtherDrive("2")]).toEqual([false, true]);
  });
});
