import { join } from 'node:path';
import { EraStore } from '../log/era-store.ts';

/** Of a data folder that the first release began; undefined where it was a later one. */
export async function lastBlockOfRules1(data: string): Promise<number | undefined> {
  const eras = await new EraStore({ directory: join(data, 'eras') }).list();
  return eras.find(({ rules }) => rules === 2)?.height;
}
