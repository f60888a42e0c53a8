import type { VirtualDevice } from "../../src/registers/virtual/device.ts";

/**
 * Makes the device lose the first position of every receipt and correction. The total becomes smaller by the sum of the position, and the
 * payments stay.
 */
export function loseFirstLine(device: VirtualDevice): void {
  const make = device.make.bind(device);
  device.make = (document, sent) => {
    if (document.kind !== "receipt" && document.kind !== "correction") return make(document, sent);
    const [lost, ...lines] = document.lines;
    if (lost === undefined || lines.length === 0) throw new Error("one position cannot be lost");
    const vatTotals = document.vatTotals.map((total) =>
      total.vat === lost.vat ? { ...total, sumKopecks: total.sumKopecks - lost.vatKopecks } : total,
    );
    const totalKopecks = document.totalKopecks - lost.sumKopecks;
    return make({ ...document, lines, vatTotals, totalKopecks }, sent && { ...sent, lines: sent.lines.slice(1) });
  };
}
