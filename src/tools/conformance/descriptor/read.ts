import { type ReadXml, readXml } from "./xml.ts";

/** A descriptor and where it came from. */
export interface DescriptorFile {
  source: string;
  read: ReadXml;
}

export function descriptorFile(source: string, text: string): DescriptorFile {
  return { source, read: readXml(text) };
}
