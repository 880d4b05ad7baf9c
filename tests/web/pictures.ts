import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { removeTemporaryData, type Venue } from '../support/venue-process.ts';
import type { Picture } from './support/picture.ts';
import { DESKTOP, PHONE, TABLET, type Visit } from './support/visit.ts';
import { OPERATED } from './support/operators.ts';
import { WebBrowser } from './support/web-browser.ts';
import { startWebVenue } from './support/web-venue.ts';

/**
 * Takes pictures of every screen for review: `npm run pictures -- [folder] [parts of names,
 * separated by commas]`. The files in `pictures/` define the pictures, one file per feature.
 */

const LOOKS = [
  { name: 'dark', theme: 'dark', viewport: DESKTOP },
  { name: 'light', theme: 'light', viewport: DESKTOP },
  { name: 'phone', theme: 'dark', viewport: PHONE },
  { name: 'tablet', theme: 'light', viewport: TABLET },
] as const;
/** Prices and lines need time to appear. */
const SETTLE_MS = 1_500;
/** Bots need more time to fill the books of a new venue. */
const WARM_UP_MS = 20_000;
/** Messages about failed pictures, one line each. */
const missed: string[] = [];

const [folder = join('data', 'pictures'), wanted = ''] = process.argv.slice(2);
await mkdir(folder, { recursive: true });
const browser = await WebBrowser.start();
const venue = await startWebVenue([
  '--oracle',
  'simulated',
  '--no-limits',
  '--web',
  '--chain',
  'local',
  ...OPERATED,
  '--relay',
]);
try {
  await new Promise((resolve) => setTimeout(resolve, WARM_UP_MS));
  for (const picture of await allPictures()) {
    if (wanted.split(',').some((part) => picture.name.includes(part)))
      await takeAll(picture, venue);
  }
  if (missed.length > 0) process.exitCode = 1;
  for (const line of missed) process.stderr.write(`not taken: ${line}\n`);
} finally {
  await browser.close();
  await venue.remove();
  await removeTemporaryData();
}

async function allPictures(): Promise<Picture[]> {
  const lists = join(import.meta.dirname, 'pictures');
  const names = (await readdir(lists)).filter((name) => name.endsWith('.ts')).sort();
  const modules = await Promise.all(
    names.map(
      (name) =>
        import(pathToFileURL(join(lists, name)).href) as Promise<{
          readonly pictures: readonly Picture[];
        }>,
    ),
  );
  return modules.flatMap(({ pictures }) => pictures);
}

/**
 * Takes a picture in both themes and at both sizes. A failure is reported at the end and does not
 * affect the other pictures.
 */
async function takeAll(picture: Picture, from: Venue): Promise<void> {
  for (const look of LOOKS) {
    const visit = await browser.visit(from.url, { ...look, expectedErrors: /./ });
    const file = join(folder, `${picture.name}-${look.name}.png`);
    try {
      if (picture.hasAccount === true) await openAccount(visit);
      await visit.open(picture.path);
      await picture.prepare?.(visit.page, from);
      await visit.page.waitForTimeout(SETTLE_MS);
      await visit.page.screenshot({ path: file });
      process.stdout.write(`${file}\n`);
    } catch (error) {
      missed.push(`${file}: ${error instanceof Error ? error.message.split('\n')[0] : error}`);
    }
    await visit.leave();
  }
}

async function openAccount(visit: Visit): Promise<void> {
  await visit.open('/');
  await visit.page.getByRole('button', { name: 'Trade with a test account' }).click();
  await visit.page.getByText('Your test account is ready').waitFor();
}
