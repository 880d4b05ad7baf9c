import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { clockEnvironment } from '../fixtures/venue-clock.ts';
import { temporaryData } from './venue-process.ts';

const HOUR_MS = 3_600_000;

/**
 * Half past the last hour: half an hour may pass before funding is paid or a candle or day ends, at
 * any time of the run. It is before the machine's time, which is used for nonces: a venue accepts
 * none from before its start.
 */
export function amidHourMs(): number {
  return Math.floor(Date.now() / HOUR_MS) * HOUR_MS - HOUR_MS / 2;
}

/** A file that holds the time of a venue, which is constant until a later time is written. */
export async function heldClock(startMs = amidHourMs()): Promise<string> {
  const file = join(await temporaryData(), 'time');
  await writeFile(file, String(startMs));
  return file;
}

/** The environment that makes a venue read such a file; without a file it uses the system clock. */
export function clockOf(file: string | undefined): Readonly<Record<string, string>> {
  return file === undefined ? {} : clockEnvironment(`held:${file}`);
}
