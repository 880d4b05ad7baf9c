#!/usr/bin/env node
// Runs on any Node, to say which one is needed.
const NODE_MAJOR_MIN = 24;
const version = process.versions.node;
if (Number.parseInt(version, 10) < NODE_MAJOR_MIN) {
  process.stderr.write(
    `oddlot requires Node ${NODE_MAJOR_MIN} or newer, but this is ${version}. Install it from https://nodejs.org\n`,
  );
  process.exit(1);
}
await import('../dist/cli.js');
