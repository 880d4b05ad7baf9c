import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generatePrivateKey } from 'viem/accounts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { relayOf } from '../support/relay.ts';
import { FIXED_PRICE_FLAGS, Venue } from '../support/venue-process.ts';

/**
 * Tests existing folders whose key files are missing, damaged or from another folder. Such files
 * are never replaced by new ones.
 */

let venue: Venue;
beforeAll(async () => {
  venue = await Venue.start([...FIXED_PRICE_FLAGS, '--chain', 'local', '--relay']);
  await relayOf(venue.url);
  await venue.stop();
});
afterAll(async () => {
  await venue.remove();
});

/** Changes a file, runs a function, and restores the file. */
async function withFile<Result>(
  name: string,
  text: string | undefined,
  run: (file: string) => Promise<Result>,
): Promise<Result> {
  const file = join(venue.data, name);
  const before = readFileSync(file);
  if (text === undefined) rmSync(file);
  else writeFileSync(file, text);
  try {
    return await run(file);
  } finally {
    await venue.kill();
    const left = existsSync(file) ? readFileSync(file, 'utf8') : undefined;
    writeFileSync(file, before);
    expect(left).toBe(text);
  }
}

/** Returns the last message of a start that must fail. */
async function refusal(): Promise<string> {
  const message = await venue.startAgain().then(
    () => 'it serves',
    (error: unknown) => (error as Error).message,
  );
  expect(message).toContain('ended with {"code":1,');
  expect(message).not.toContain('    at ');
  return message;
}

const keysOf = (): Record<string, unknown> =>
  JSON.parse(readFileSync(join(venue.data, 'settlement', 'keys.json'), 'utf8'));

test.each<[string, string, () => string | undefined]>([
  ['missing', 'is missing, but', () => undefined],
  ['damaged', 'does not contain the keys of a local chain', () => '{"relayer":'],
  [
    'with a foreign relayer',
    'does not belong to the chain next to it: the relayer (0x',
    () => JSON.stringify({ ...keysOf(), relayer: generatePrivateKey() }),
  ],
  [
    'with a foreign minter',
    'does not belong to the chain next to it: the minter (0x',
    () => JSON.stringify({ ...keysOf(), minter: generatePrivateKey() }),
  ],
])('a start with settlement/keys.json %s fails and names the file', async (_, what, text) => {
  await withFile(join('settlement', 'keys.json'), text(), async (file) => {
    expect(await refusal()).toContain(`${file} ${what}`);
  });
});

test.each([
  ['cursor-key', 'no key'],
  [join('reserves', 'salt-secret'), 'ab'],
])('a start with a damaged %s fails and names the file', async (name, text) => {
  await withFile(name, text, async (file) => {
    expect(await refusal()).toContain(`${file} does not contain 32 bytes in hex. Restore it`);
  });
});

const OTHER = 'legal winner thank year wave sausage worth useful legal winner thank yellow\n';
test.each<[string, string, string | undefined]>([
  ['missing', 'is missing, but', undefined],
  ['damaged', 'does not contain a mnemonic', 'my secret'],
  ['of another relay', 'does not belong to the chain next to it', OTHER],
])(
  'a start with relay/seed %s ends only the relay, which names the file',
  async (_, what, text) => {
    await withFile(join('relay', 'seed'), text, async (file) => {
      const from = venue.stderr.length;
      await venue.startAgain();
      const message = (): string => venue.stderr.slice(from);
      await expect.poll(message, { timeout: 60_000 }).toContain('will not be restarted');
      expect(message()).toContain(`${file} ${what}`);
      expect(message()).not.toContain('relay exited; restarting it');
    });
  },
);

test('the same venue and relay can serve again once all key files are restored', async () => {
  await venue.startAgain();
  await relayOf(venue.url);
  expect(await venue.stop()).toEqual({ code: 0, signal: null });
});
