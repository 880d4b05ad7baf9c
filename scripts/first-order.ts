import { parseArgs } from 'node:util';
import { present } from '@oddlot/units';
import { readmeBlocks, runBlock } from '../tests/support/readme.ts';
import { Venue } from '../tests/support/venue-process.ts';

/**
 * Runs the first program of the README many times, one after the other, against a venue with simulated
 * traders, and says how often it succeeded: `npm run first-order -- --runs 200 [--url URL]`. Without a
 * URL it starts a venue of its own. Ends with 1 if any run failed.
 */

const { values } = parseArgs({
  options: { runs: { type: 'string', default: '1' }, url: { type: 'string' } },
});
const runs = Number(values.runs);
if (!Number.isSafeInteger(runs) || runs < 1) {
  console.error(`--runs must be a whole number from 1, and is ${values.runs}`);
  process.exit(2);
}

const { code } = present(
  readmeBlocks().find(({ name }) => name === 'first-order'),
  'the first program of the README',
);
const venue = values.url === undefined ? await Venue.start([]) : undefined;
const url = venue?.url ?? present(values.url, 'a URL');
let [succeeded, again] = [0, 0];
try {
  for (let run = 1; run <= runs; run++) {
    const { exitCode, stderr, stdout } = await runBlock(code, url);
    again += stdout.split('trying again').length - 1;
    if (exitCode === 0) succeeded += 1;
    else console.log(`run ${run} ended with ${exitCode}:\n${stdout}${stderr}`);
    if (run % 20 === 0) console.log(`${succeeded} of ${run} runs succeeded`);
  }
} finally {
  await venue?.remove();
}
console.log(`${succeeded} of ${runs} runs succeeded, with ${again} orders sent again`);
process.exitCode = succeeded === runs ? 0 : 1;
