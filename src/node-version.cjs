// Old CommonJS syntax, so that any old Node can run this file and print the needed version.
var needed = 24;
var major = Number(process.versions.node.split(".")[0]);
if (major < needed) {
  console.error(
    "Node " + needed + " or newer is needed, this is " + process.version + ": run `npm ci`, which brings it, and start with `npm start`.",
  );
  process.exit(1);
}
