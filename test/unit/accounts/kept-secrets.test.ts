import { describe, expect, it } from "vitest";
import { withKeptSecrets } from "../../../src/accounts/kept-secrets.ts";

const STORED = "shtrih-m+tcp://10.0.0.7:7778?operatorPassword=12&systemPassword=34";

describe("a setting that a person was shown without its secrets", () => {
  it("gets the stored secret back under each name, beside what was changed", () => {
    expect(withKeptSecrets("shtrih-m+tcp://10.0.0.8:7778?systemPassword=***&print=none", STORED)).toBe(
      "shtrih-m+tcp://10.0.0.8:7778?systemPassword=34&print=none",
    );
    expect(withKeptSecrets("tbank?terminalKey=new&password=***", "tbank?terminalKey=old&password=a=b+%26c")).toBe(
      "tbank?terminalKey=new&password=a=b+%26c",
    );
  });

  it("gets none of another kind of register or another acquirer, and none that was never stored", () => {
    expect(withKeptSecrets("shtrih-m+serial:/dev/ttyUSB0?systemPassword=***", STORED)).toBe("shtrih-m+serial:/dev/ttyUSB0");
    expect(withKeptSecrets("yookassa?shopId=1&secretKey=***", "tbank?terminalKey=1&secretKey=2")).toBe("yookassa?shopId=1");
    expect(withKeptSecrets("tbank?terminalKey=1&password=***", undefined)).toBe("tbank?terminalKey=1");
  });

  it("stays as it is typed where nothing is hidden in it", () => {
    for (const text of ["emulator:till-1", "tbank?terminalKey=1&password=*", "", "none"]) expect(withKeptSecrets(text, STORED)).toBe(text);
  });
});
