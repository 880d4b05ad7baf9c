import { runCli } from './run-cli.ts';

/**
 * Runs the command `oddlot`. A program that keeps running, such as a venue, sets its own exit code.
 */
const code = await runCli(process.argv.slice(2), process.env);
if (code !== 0) process.exitCode = code;
