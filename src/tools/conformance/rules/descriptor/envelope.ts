import { childrenOf, everyElement } from "../../descriptor/find.ts";
import type { Element } from "../../descriptor/xml.ts";
import { CannotRun } from "../../exchanges/check-result.ts";
import type { Group } from "../rule.ts";
import { checkResultOf, overRoot } from "./rules-of.ts";

/** The blocks of the root (platform-contracts 2.2). */
const BLOCKS = [
  "vendorApi",
  "access",
  "loyaltyApi",
  "fiscalApi",
  "qrPayApi",
  "iframes",
  "iframe",
  "widgets",
  "popups",
  "buttons",
  "scenario",
];
const ADDRESS_ELEMENTS = ["endpointBase", "sourceUrl", "resource"];
const ADDRESS_ATTRIBUTES = ["sourceUrl"];

export const envelopeGroup: Group = {
  id: "descriptor/envelope",
  rules: [
    {
      id: "descriptor/envelope/well-formed",
      title: "the descriptor is well-formed XML",
      source: "seed",
      clause: "seed, Descriptor elements; platform-contracts 2.1",
      expected: "one XML document with one root element, every tag closed, every attribute quoted and given once",
      mend: "Open the file in an XML editor and repair the line that is named. An & in an address is written &amp;.",
      check: async (scene) => {
        const { descriptor } = scene.target;
        if (descriptor === undefined) throw new CannotRun("there is no descriptor to read: give --descriptor FILE or --descriptor URL");
        return checkResultOf(scene, descriptor.read.kind === "broken" ? [descriptor.read.problem] : []);
      },
    },
    overRoot(
      {
        id: "descriptor/envelope/root",
        title: "the root is ServerApplication in the namespace of version 2",
        source: "seed",
        clause: "seed, Versioning 2; platform-contracts 2.1",
        expected:
          'a root element ServerApplication with xmlns="{descriptor_ns}"; descriptors of version 1 have been refused since April 2024',
        mend: "Write the namespace of the chosen profile exactly so, without a slash at its end (--profile production for the real platform).",
      },
      (root, { target }) => {
        const declared = root.attributes.get(root.prefix === "" ? "xmlns" : `xmlns:${root.prefix}`) ?? "none";
        const namespace = target.profile.descriptorNamespace;
        return [
          ...(root.name === "ServerApplication" ? [] : [`the root is ${root.name}`]),
          ...(declared === namespace ? [] : [`its namespace is ${declared}, not ${namespace}`]),
        ];
      },
    ),
    overRoot(
      {
        id: "descriptor/envelope/schema-location",
        title: "the usual XSI attributes point at the schema",
        source: "public",
        clause: "platform-contracts 2.1",
        expected: 'xsi:schemaLocation="{descriptor_ns} {descriptor_ns}/application-v2.xsd" on the root',
        mend: 'Add xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" and the pair of namespace and schema address to the root.',
      },
      (root, { target }) => {
        const { descriptorNamespace, descriptorSchemaUrl } = target.profile;
        const [, location] = [...root.attributes].find(([name]) => /(^|:)schemaLocation$/.test(name)) ?? [];
        if (location === undefined) return ["the root has no schemaLocation"];
        const [namespace, url] = location.trim().split(/\s+/);
        return namespace === descriptorNamespace && url === descriptorSchemaUrl ? [] : [`schemaLocation is "${location}"`];
      },
    ),
    overRoot(
      {
        id: "descriptor/envelope/blocks",
        title: "the root holds only blocks that the platform knows, each once",
        source: "public",
        clause: "platform-contracts 2.2",
        expected: `blocks in any order, each at most once, out of ${BLOCKS.join(", ")}`,
        mend: "Remove the block that is not known, or correct its spelling; join blocks that stand twice.",
      },
      (root) => {
        const names = root.children.map(({ name }) => name);
        const unknown = names.filter((name) => !BLOCKS.includes(name)).map((name) => `${name} is not a block`);
        return [...unknown, ...BLOCKS.filter((name) => childrenOf(root, name).length > 1).map((name) => `${name} stands twice`)];
      },
    ),
    overRoot(
      {
        id: "descriptor/envelope/https",
        title: "every address is https",
        source: "public",
        clause: "platform-contracts 2.1",
        expected: "every endpointBase, sourceUrl and resource begins with https:// and has a host",
        mend: "Publish the server behind TLS and write its https address; plain http is refused when the descriptor is uploaded.",
      },
      (root) => [...addressesIn(root)].filter(([, url]) => !isHttps(url)).map(([where, url]) => `${where} is "${url}"`),
    ),
    overRoot(
      {
        id: "descriptor/envelope/no-trailing-slash",
        title: "no endpointBase ends with a slash",
        source: "decided",
        clause: "platform-contracts 2.5",
        expected: "how the platform joins a base and a path is not documented: a base without a slash at its end is right either way",
        mend: "Take the slash off the end of the endpointBase, and let the server count a doubled slash in a path as one.",
      },
      (root) =>
        [...addressesIn(root)]
          .filter(([where, url]) => where.endsWith("endpointBase") && url.endsWith("/"))
          .map(([where, url]) => `${where} is "${url}"`),
    ),
  ],
};

function* addressesIn(root: Element): Generator<[where: string, url: string]> {
  for (const element of everyElement(root)) {
    for (const child of element.children) {
      if (ADDRESS_ELEMENTS.includes(child.name)) yield [`${element.name}/${child.name}`, child.text];
    }
    for (const name of ADDRESS_ATTRIBUTES) {
      const url = element.attributes.get(name);
      if (url !== undefined) yield [`${element.name}/@${name}`, url];
    }
  }
}

function isHttps(url: string): boolean {
  return URL.canParse(url) && new URL(url).protocol === "https:" && /^https:\/\/[^/\s]+/.test(url);
}
