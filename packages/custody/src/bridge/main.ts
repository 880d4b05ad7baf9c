import { runBridge } from './run-bridge.ts';

/** Runs the operator's commands for the bridge (`oddlot bridge --help`). */
process.exitCode = await runBridge(process.argv.slice(2), {
  env: process.env,
  print: (line) => process.stdout.write(`${line}\n`),
  complain: (line) => process.stderr.write(`${line}\n`),
});
