import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { clockEnvironment } from '../fixtures/venue-clock.ts';
import { temporaryData } from './venue-process.ts';

const HOUR_MS = 3_600_000;

/**
 * Half past the last hour: half an hour may pass before funding is paid, a candle or a day ends, whenever the tests run. It is before
 * the time of the machine, from which those who sign take their nonces: a venue knows none from before its start.
 */
export function amidHourMs(): number {
  return Math.floor(Date.now() / HOUR_MS) * HOUR_MS - HOUR_MS / 2;
}

/** A file that holds the time of a venue, which stands until somebody writes a later one. */
export async function heldClock(startMs = amidHourMs()): Promise<string> {
  const file = join(await temporaryData(), 'time');
  await writeFile(file, String(startMs));
  return file;
}

/** What a venue needs in its environment to go by such a file; without one it has the true clock. */
export function clockOf(file: string | undefined): Readonly<Record<string, string>> {
  return file === undefined ? {} : clockEnvironment(`held:${file}`);
}
