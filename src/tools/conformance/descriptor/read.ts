import { type ReadXml, readXml } from "./xml.ts";

export interface DescriptorFile {
  source: string;
  read: ReadXml;
}

export function descriptorFile(source: string, text: string): DescriptorFile {
  return { source, read: readXml(text) };
}
