import { parseArgs } from 'node:util';
import { present } from '@oddlot/units';
import { readmeBlocks, runBlock } from './support/readme.ts';
import { Venue } from './support/venue-process.ts';

/**
 * Runs a first program from the documentation many times in a row, against a venue with bots, and
 * counts the successful runs: `npm run first-order -- --runs 200 [--url URL] [--program
 * without-the-sdk]`. If no URL is given, it starts its own venue. The exit code is 1 if any run
 * failed.
 */

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '1' },
    url: { type: 'string' },
    program: { type: 'string', default: 'first-order' },
  },
});
const runs = Number(values.runs);
if (!Number.isSafeInteger(runs) || runs < 1) {
  console.error(`Invalid --runs '${values.runs}'. Use an integer of at least 1.`);
  process.exit(2);
}

const { code } = present(
  readmeBlocks().find(({ name }) => name === values.program),
  `the program ${values.program}`,
);
const venue = values.url === undefined ? await Venue.start([]) : undefined;
const url = venue?.url ?? present(values.url, 'a URL');
let [succeeded, again] = [0, 0];
try {
  for (let run = 1; run <= runs; run++) {
    const { exitCode, stderr, stdout } = await runBlock(code, url);
    again += stdout.split('trying again').length - 1;
    if (exitCode === 0 && /filled/.test(stdout)) succeeded += 1;
    else console.log(`run ${run} ended with ${exitCode}:\n${stdout}${stderr}`);
    if (run % 20 === 0) console.log(`${succeeded} of ${run} runs succeeded`);
  }
} finally {
  await venue?.remove();
}
console.log(`${succeeded} of ${runs} runs succeeded, with ${again} orders sent again`);
process.exitCode = succeeded === runs ? 0 : 1;
