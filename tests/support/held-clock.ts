import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { clockEnvironment } from '../fixtures/venue-clock.ts';
import { temporaryData } from './venue-process.ts';

/** A file that holds the time of a venue, which stands until somebody writes a later one. */
export async function heldClock(startMs = Date.now()): Promise<string> {
  const file = join(await temporaryData(), 'time');
  await writeFile(file, String(startMs));
  return file;
}

/** What a venue needs in its environment to go by such a file; without one it has the true clock. */
export function clockOf(file: string | undefined): Readonly<Record<string, string>> {
  return file === undefined ? {} : clockEnvironment(`held:${file}`);
}
