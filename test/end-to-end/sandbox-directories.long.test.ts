import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { rawRequest } from "../support/raw-request.ts";
import { temporaryFolder } from "../support/registers.ts";
import { type SandboxProcess, startSandbox } from "../support/sandbox-process.ts";

interface Made {
  id: string;
  meta: { href: string };
}

async function start(...args: string[]): Promise<SandboxProcess> {
  const sandbox = await startSandbox(...args);
  onTestFinished(() => void sandbox.process.kill("SIGKILL"));
  return sandbox;
}

async function call<T>({ base, token }: SandboxProcess, method: string, path: string, body?: object): Promise<T> {
  const headers = { authorization: `Bearer ${token}`, "accept-encoding": "gzip", "content-type": "application/json" };
  const answer = await rawRequest(method, `${base}/api/remap/1.2/${path}`, headers, body === undefined ? undefined : JSON.stringify(body));
  expect(answer.status).toBe(200);
  return answer.body as T;
}

describe("the sandbox, killed with -9 right after its answers", () => {
  it("still has a custom directory, its element, the field of it, a value by name and a photo", async () => {
    const data = join(await temporaryFolder(), "account");
    const first = await start("--data", data);
    const directory = await call<Made>(first, "POST", "entity/customentity", { name: "Сорта" });
    const element = await call<Made>(first, "POST", `entity/customentity/${directory.id}`, { name: "Высший" });
    const customEntityMeta = {
      href: `${first.base}/api/remap/1.2/context/companysettings/metadata/customEntities/${directory.id}`,
      type: "customentitymetadata",
    };
    const field = await call<Made>(first, "POST", "entity/product/metadata/attributes", {
      name: "Сорт",
      type: "customentity",
      customEntityMeta,
    });
    const attributes = [{ meta: { ...field.meta, type: "attributemetadata" }, value: { name: "Высший" } }];
    const product = await call<Made>(first, "POST", "entity/product", { name: "Чай", attributes });
    const image = { filename: "анна.png", content: Buffer.from("фото").toString("base64") };
    const employee = await call<Made>(first, "POST", "entity/employee", { lastName: "Орлова", image });
    await first.end("SIGKILL");

    const second = await start("--data", data);
    const read = await call<{ attributes: { value: { meta: { href: string }; name: string } }[] }>(
      second,
      "GET",
      `entity/product/${product.id}`,
    );
    expect(read.attributes[0]?.value).toMatchObject({
      name: "Высший",
      meta: { href: expect.stringContaining(`${directory.id}/${element.id}`) },
    });
    const photo = await call<{ image: { filename: string } }>(second, "GET", `entity/employee/${employee.id}`);
    expect(photo.image.filename).toBe("анна.png");
  });
});
