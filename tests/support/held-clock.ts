import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { clockEnvironment } from '../fixtures/venue-clock.ts';
import { temporaryData } from './venue-process.ts';

const HOUR_MS = 3_600_000;

/**
 * Returns half past the previous hour, which leaves half an hour before funding is paid or a candle
 * or day ends. The time is in the past because test nonces come from the system clock, and a venue
 * rejects nonces from before its start.
 */
export function amidHourMs(): number {
  return Math.floor(Date.now() / HOUR_MS) * HOUR_MS - HOUR_MS / 2;
}

/**
 * Creates the file that holds a venue's time. The time stays the same until a test writes a later
 * one.
 */
export async function heldClock(startMs = amidHourMs()): Promise<string> {
  const file = join(await temporaryData(), 'time');
  await writeFile(file, String(startMs));
  return file;
}

/**
 * Returns the environment that makes a venue read its time from the file. If no file is given, the
 * venue uses the system clock.
 */
export function clockOf(file: string | undefined): Readonly<Record<string, string>> {
  return file === undefined ? {} : clockEnvironment(`held:${file}`);
}
