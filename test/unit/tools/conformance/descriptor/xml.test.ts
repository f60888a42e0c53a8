import { describe, expect, it } from "vitest";
import { readXml } from "../../../../../src/tools/conformance/descriptor/xml.ts";

const rootOf = (text: string) => {
  const read = readXml(text);
  if (read.kind === "broken") throw new Error(read.problem);
  return read.root;
};

describe("the reader of descriptors", () => {
  it("reads elements, attributes in either quotes, text and CDATA", () => {
    const root = rootOf(`\ufeff<?xml version="1.0"?><!-- a > b --><x:a one="1" two='"2"'> <b/>text <![CDATA[<c> & ]]></x:a>\n`);
    expect(root).toMatchObject({ name: "a", prefix: "x", text: "text <c> &", children: [{ name: "b", children: [], text: "" }] });
    expect([...root.attributes]).toEqual([
      ["one", "1"],
      ["two", '"2"'],
    ]);
  });

  it("decodes the five entities and characters by number, in text and attributes", () => {
    const root = rootOf('<a b="&lt;&#1050;&#x41a;&quot;">&amp;&gt;&apos;</a>');
    expect([root.text, root.attributes.get("b")]).toEqual(["&>'", '<КК"']);
  });

  it("reads elements inside of elements up to a depth, and breaks off below it", () => {
    const nested = (depth: number) => `${"<a>".repeat(depth)}${"</a>".repeat(depth)}`;
    expect(readXml(nested(64)).kind).toBe("root");
    expect(readXml(nested(65))).toMatchObject({ kind: "broken", problem: expect.stringContaining("deeper than 64") });
    expect(readXml("<a>".repeat(500_000)).kind).toBe("broken");
  });

  it.each([
    ["nothing", "  "],
    ["a tag that is never closed", "<a><b></b>"],
    ["tags in the wrong order", "<a><b></a></b>"],
    ["two roots", "<a/><b/>"],
    ["text outside of the root", "<a/>b"],
    ["an end without a beginning", "</a>"],
    ["an attribute without quotes", "<a b=c/>"],
    ["an attribute that is given twice", '<a b="1" b="2"/>'],
    ["a lone ampersand", "<a>b & c</a>"],
    ["an unknown entity", "<a>&nbsp;</a>"],
    ["an entity that every object has", "<a>&constructor;</a>"],
    ["a document type", "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>"],
    ["a comment that never ends", "<a><!-- b</a>"],
  ])("refuses %s", (_, text) => {
    expect(readXml(text)).toEqual({ kind: "broken", problem: expect.any(String) });
  });

  it("names the line that is broken", () => {
    expect(readXml("<a>\n<b>\n</c></a>")).toEqual({ kind: "broken", problem: expect.stringMatching(/^line 3: .*tag/) });
  });
});
