import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { rebuildHistory } from '../../packages/venue/src/rebuild-history.ts';
import { dumpHistory } from '../../packages/venue/src/testing/dump-history.ts';
import { startPostgres } from '../../packages/venue/src/testing/postgres-server.ts';
import { Client, eventually } from '../support/client.ts';
import {
  NODE,
  removeTemporaryData,
  REPOSITORY,
  temporaryData,
  Venue,
} from '../support/venue-process.ts';

/**
 * Goal: the history is derived from the log, so that one command computes it again, byte for byte, into
 * either database. Method: simulated traders live on a real venue for a while; it is killed, and what its
 * store holds is compared with what the command makes of the log.
 */

afterAll(removeTemporaryData);

const FLAGS = ['--oracle', 'simulated', '--oracle-every-ms', '200', '--log-keep', 'all'];

async function rebuild(...args: readonly string[]): Promise<{ code: number | null; said: string }> {
  const child = spawn(NODE, [join('scripts', 'rebuild-history.ts'), ...args], { cwd: REPOSITORY });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, said };
}

test('rows and receipts computed again are what they were', { timeout: 120_000 }, async () => {
  const data = await temporaryData();
  const venue = await Venue.start(FLAGS, data);
  const client = new Client(venue.url);
  await eventually(async () => {
    const { height } = (await client.data({ type: 'stateHash' })) as { height: number };
    expect(height).toBeGreaterThan(60);
  });
  const file = join(data, 'history.sqlite');
  await expect(rebuildHistory({ data, place: { file } })).rejects.toThrow('is in use by');
  expect(await venue.stop()).toEqual({ code: 0, signal: null });
  const before = await dumpHistory({ file });
  const tables = new Set(before.map((line) => line.split(' ', 1)[0]));
  for (const name of ['blocks', 'fills', 'orders', 'ledger', 'tx_blocks', 'receipt_blocks']) {
    expect(tables).toContain(name);
  }
  const done = await rebuild('--data', data);
  expect(done, done.said).toMatchObject({ code: 0 });
  expect(done.said).toMatch(/^100% block (\d+) of \1$/m);
  expect(await dumpHistory({ file })).toEqual(before);
  const server = await startPostgres();
  try {
    const url = await server.database();
    await rebuildHistory({ data, place: { url } });
    expect(await dumpHistory({ url })).toEqual(before);
  } finally {
    await server.stop();
  }
});
