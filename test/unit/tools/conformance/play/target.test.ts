import { describe, expect, it } from "vitest";
import { descriptorFile } from "../../../../../src/tools/conformance/descriptor/read.ts";
import { basesOf } from "../../../../../src/tools/conformance/play/target.ts";
import { WHOLE_DESCRIPTOR } from "../../../../support/broken-descriptor.ts";

const descriptor = descriptorFile("descriptor.xml", WHOLE_DESCRIPTOR.replace("/fiscal<", "/deep/fiscal/<"));

describe("where the contracts of a server are", () => {
  it("is below its address when there is no descriptor", () => {
    expect(basesOf("http://127.0.0.1:8080/app", undefined)).toEqual({
      vendor: { origin: "http://127.0.0.1:8080", path: "/app/vendor" },
      fiscal: { origin: "http://127.0.0.1:8080", path: "/app/fiscal" },
      qr: { origin: "http://127.0.0.1:8080", path: "/app/qr" },
      loyalty: { origin: "http://127.0.0.1:8080", path: "/app/loyalty" },
    });
  });

  it("is what the descriptor says, without a slash at the end", () => {
    expect(basesOf(undefined, descriptor)).toEqual({
      vendor: { origin: "https://till.shop-tools.example", path: "/vendor" },
      fiscal: { origin: "https://till.shop-tools.example", path: "/deep/fiscal" },
      qr: { origin: "https://till.shop-tools.example", path: "/qr" },
    });
  });

  it("is the descriptor's paths at the address when there are both", () => {
    expect(basesOf("http://127.0.0.1:8080", descriptor).fiscal).toEqual({ origin: "http://127.0.0.1:8080", path: "/deep/fiscal" });
  });

  it("is the usual place for QR payment where a descriptor does not declare it yet", () => {
    const { qr } = basesOf("http://127.0.0.1:8080/app", descriptorFile("x", "<a><vendorApi/></a>"));
    expect(qr).toEqual({ origin: "http://127.0.0.1:8080", path: "/app/qr" });
    expect(basesOf("http://127.0.0.1:8080/app", descriptor).qr).toEqual({ origin: "http://127.0.0.1:8080", path: "/app/qr" });
  });

  it("is unknown where the descriptor does not say, or cannot be read", () => {
    const at = "http://127.0.0.1:8080";
    expect(basesOf(at, descriptorFile("x", "<a><vendorApi/></a>"))).toMatchObject({ vendor: undefined, fiscal: undefined });
    expect(basesOf(undefined, descriptorFile("x", "<a>"))).toEqual({ vendor: undefined, fiscal: undefined });
  });
});
