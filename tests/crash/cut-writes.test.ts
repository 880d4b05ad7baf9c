import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Hex } from 'viem';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readRequest, writeRequest } from '../../packages/custody/src/bridge/bridge-request.ts';
import type { ChainClient } from '../../packages/custody/src/chain/chain-client.ts';
import { localKeys } from '../../packages/custody/src/key-files/local-keys.ts';
import { SendJournal } from '../../packages/custody/src/send/send-journal.ts';
import { RefusalMemory } from '../../packages/custody/src/validator/signing-refusal.ts';
import { SignedBook } from '../../packages/custody/src/validator/signed-book.ts';
import { ChainFile } from '../../packages/devchain/src/core/chain-lines.ts';
import { RelayBook } from '../../packages/relay/src/book/relay-book.ts';
import { localSeed } from '../../packages/relay/src/relay-keys.ts';
import { exhibitionSecret } from '../../packages/venue/src/exhibition/exhibition.ts';
import { drawServiceName, readServiceNames } from '../../packages/replica/src/log/data-folder.ts';
import { SnapshotStore } from '../../packages/replica/src/log/checked-stores.ts';
import { treeSecret } from '../../packages/history/src/reserves/tree-file.ts';
import { PayoutRecords } from '../../packages/settlement/src/payout/payout-record.ts';
import { PaidWatch } from '../../packages/settlement/src/reserves/paid-watch.ts';
import { startOf, WatchFile } from '../../packages/settlement/src/watch-file.ts';
import { sampledCases } from '../support/sampled-cases.ts';
import { freshSeed } from '../support/fresh-seed.ts';
import { seededRandom } from '../support/seeded.ts';

/**
 * Goal: after a crash has cut off the last write at any byte, each component opens its file with
 * all completed writes and continues. A run tests a random quarter of the positions, and always the
 * first and the last one. A file that is appended to either ends at the cut, or has its full length
 * with zeros after the cut. A file that is replaced as a whole has a partial temporary file next to
 * it.
 */

/**
 * The files are in memory, because thousands of syncs would take minutes on a disk. Other tests
 * cover the syncs.
 */
const MEMORY = '/dev/shm';
const roots = existsSync(MEMORY) ? MEMORY : tmpdir();

const SEED = freshSeed('CRASH_SEED');
const random = seededRandom(SEED);

/** Returns the positions of the cuts, which always include `from` and `last`. */
function cuts(from: number, last: number): readonly number[] {
  const between = Array.from({ length: Math.max(0, last - from - 1) }, (_, at) => from + 1 + at);
  return [from, ...sampledCases(between, Math.ceil(between.length / 4), random), last];
}

let root: string;
beforeEach(() => (root = mkdtempSync(join(roots, 'oddlot-cut-'))));
afterEach(() => rmSync(root, { recursive: true, force: true }));

type Writer = {
  readonly what: string;
  readonly file: string;
  /** Performs the first or the second write. */
  readonly write: (folder: string, time: 1 | 2) => unknown;
  readonly read: (folder: string) => unknown;
};

const testAddress: Hex = `0x${'1'.repeat(40)}`;
const place = { chainId: 7, bridge: testAddress };

function used<Opened extends { close: () => void }, Result>(
  opened: Opened,
  use: (opened: Opened) => Result,
): Result {
  try {
    return use(opened);
  } finally {
    opened.close();
  }
}

const sends = (folder: string): SendJournal => new SendJournal(join(folder, 'sends.jsonl'));
const payouts = (folder: string): PayoutRecords => new PayoutRecords(join(folder, 'payouts.jsonl'));
const relayed = (folder: string): RelayBook => new RelayBook(join(folder, 'book.jsonl'));
const signed = (folder: string): SignedBook => new SignedBook(join(folder, 'signed.jsonl'));
const watched = (folder: string): WatchFile => new WatchFile(join(folder, 'watched.json'), refuse);

function refuse(why: string): never {
  throw new Error(why);
}

const LINES: readonly Writer[] = [
  {
    what: 'transactions that were signed',
    file: 'sends.jsonl',
    write: (folder, nonce) => {
      const asked = { to: testAddress, data: '0x', gas: '21000', nonce, askedMs: 1 } as const;
      used(sends(folder), (journal) =>
        journal.put({ ...asked, key: `payout ${nonce}`, attempts: [], mined: undefined }),
      );
    },
    read: (folder) => used(sends(folder), (journal) => journal.keys()),
  },
  {
    what: 'how far payouts are, two at once',
    file: 'payouts.jsonl',
    write: (folder, time) => {
      const account = { user: testAddress, destination: testAddress, usd: '5', requestedMs: 1 };
      const held = { ...account, ...place, status: 'held', updatedMs: time } as const;
      used(payouts(folder), (records) => {
        for (const withdrawalId of [3, 4]) records.put({ ...held, withdrawalId });
        records.flush();
      });
    },
    read: (folder) =>
      used(payouts(folder), (records) => {
        expect(records.damaged).toBe(0);
        return records.all();
      }),
  },
  {
    what: 'the book of the relay',
    file: 'book.jsonl',
    write: (folder, time) =>
      used(relayed(folder), (book) => book.setCursor({ chain: 'far', live: time, late: 0 })),
    read: (folder) => used(relayed(folder), (book) => book.cursor('far')),
  },
  {
    what: 'how far the chain was read',
    file: 'watched.json',
    write: (folder, time) =>
      used(watched(folder), (notes) => notes.write(startOf(place, 10 * time))),
    read: (folder) => used(watched(folder), (notes) => notes.last(startOf(place, 2)).block),
  },
  {
    what: 'the local chain',
    file: 'chain.log',
    write: async (folder, time) => {
      const file = await ChainFile.open(folder, () => undefined);
      await file.append([{ step: 'drop', hash: `zwölf ${time}` }]);
      await file.close();
    },
    read: async (folder) => {
      const lines: unknown[] = [];
      await (await ChainFile.open(folder, (line) => lines.push(line))).close();
      return lines;
    },
  },
];

const SIGNED: Writer = {
  what: 'signatures of a validator',
  file: 'signed.jsonl',
  write: (folder, time) =>
    used(signed(folder), (book) => {
      const what = { ...place, timeMs: time, withdrawalId: String(time), user: testAddress };
      book.add({ ...what, type: 'cancellation', reason: 'refused' });
    }),
  read: (folder) => used(signed(folder), (book) => [...book.latest]),
};

const store = (folder: string): SnapshotStore => new SnapshotStore({ directory: folder });

const WHOLE: readonly Writer[] = [
  {
    what: 'refusals that a validator saw',
    file: 'refused.json',
    write: (folder, time) => new RefusalMemory(join(folder, 'refused.json'), 10).refused('3', time),
    read: (folder) => {
      // The second check writes the first check's result to the file.
      new RefusalMemory(join(folder, 'refused.json'), 10).refused('4', 3);
      return readFileSync(join(folder, 'refused.json'), 'utf8');
    },
  },
  {
    what: 'payments that the chain has',
    file: 'paid.json',
    write: async (folder, time) => {
      const head = async () => ({ confirmed: 200 * time });
      await paidWatch(folder, { head, logs: async () => [] }).step(0);
    },
    read: async (folder) => {
      let from = 0;
      const logs = async ({ fromBlock }: { readonly fromBlock: number }) => {
        from = fromBlock;
        return [];
      };
      await paidWatch(folder, { head: async () => ({ confirmed: 450 }), logs }).step(0);
      return from;
    },
  },
  {
    what: 'a request of the bridge',
    file: 'request.json',
    write: (folder, time) => {
      const message = { primaryType: 'Unpause', message: { nonce: String(time) } } as const;
      writeRequest(join(folder, 'request.json'), { ...place, signatures: [], ...message });
    },
    read: (folder) => readRequest(join(folder, 'request.json')),
  },
  {
    what: 'the network name',
    file: 'service-network',
    write: (folder, time) => drawServiceName(folder, `word${time}`),
    read: (folder) => readServiceNames(folder),
  },
  {
    what: 'a snapshot',
    file: 'snapshot-0000000000000002.bin',
    write: (folder, height) =>
      store(folder).write({ height, pieces: [Buffer.from(`state ${height}`)] }),
    read: async (folder) => String((await store(folder).newestValid())?.payload),
  },
];

function paidWatch(folder: string, client: object): PaidWatch {
  const chain = { chainId: 7, ...client } as unknown as ChainClient;
  const file = join(folder, 'paid.json');
  return new PaidWatch({
    client: chain,
    bridge: testAddress,
    fromBlock: 1,
    file,
    isOpen: () => true,
  });
}

/** These files are created once, on first use. */
const SECRETS: readonly Omit<Writer, 'write'>[] = [
  { what: 'keys of the local chain', file: 'keys.json', read: (folder) => localKeys(folder) },
  { what: 'the secret of salts', file: 'salt-secret', read: (folder) => treeSecret(folder) },
  {
    what: 'the secret of demo markets',
    file: 'exhibition-secret',
    read: (folder) => exhibitionSecret(folder),
  },
  {
    what: 'the seed of a local relay',
    file: 'seed',
    read: (folder) => localSeed(folder).address('float'),
  },
];

/** Returns copies of the folder before and after the last write. */
async function writtenTwice({ write }: Writer): Promise<{ before: string; after: string }> {
  const [before, after] = [join(root, 'before'), join(root, 'after')];
  mkdirSync(before);
  await write(before, 1);
  cpSync(before, after, { recursive: true });
  await write(after, 2);
  return { before, after };
}

/** Reads a copy of a folder in which one file has been replaced by these bytes. */
async function readWith(
  folder: string,
  file: string,
  bytes: Buffer,
  { read }: Pick<Writer, 'read'>,
) {
  const left = copyOf(folder);
  writeFileSync(join(left, file), bytes);
  return { left, found: await read(left) };
}

/** Reads a copy of the folder, because reading may also write. */
async function contentOf(folder: string, { read }: Pick<Writer, 'read'>): Promise<unknown> {
  return await read(copyOf(folder));
}

function copyOf(folder: string): string {
  const copy = join(root, 'left');
  rmSync(copy, { recursive: true, force: true });
  cpSync(folder, copy, { recursive: true });
  return copy;
}

test.each(LINES)(
  `$what: all completed writes survive if the last append is cut off at any byte, CRASH_SEED=${SEED}`,
  async (writer) => {
    const { after, before } = await writtenTwice(writer);
    const [old, whole] = [before, after].map((folder) => readFileSync(join(folder, writer.file)));
    const [first, both] = [await contentOf(before, writer), await contentOf(after, writer)];
    expect(first).not.toEqual(both);
    expect(whole!.subarray(0, old!.length)).toEqual(old);
    for (const length of cuts(old!.length, whole!.length - 1)) {
      const hole = Buffer.from(whole!).fill(0, old!.length, length + 1);
      for (const bytes of [whole!.subarray(0, length), hole]) {
        const { found, left } = await readWith(before, writer.file, bytes, writer);
        expect(found, `byte ${length}`).toEqual(first);
        expect(readFileSync(join(left, writer.file))).toEqual(old);
      }
    }
    const { left } = await readWith(before, writer.file, whole!.subarray(0, -1), writer);
    await writer.write(left, 2);
    expect(readFileSync(join(left, writer.file))).toEqual(whole);
  },
);

test(`${SIGNED.what}: an interrupted append is valid only if nothing but its newline is missing, CRASH_SEED=${SEED}`, async () => {
  const { after, before } = await writtenTwice(SIGNED);
  const [old, whole] = [before, after].map((folder) => readFileSync(join(folder, SIGNED.file)));
  const [first, both] = [await contentOf(before, SIGNED), await contentOf(after, SIGNED)];
  for (const length of cuts(old!.length, whole!.length - 1)) {
    const isWhole = length === whole!.length - 1;
    const { found, left } = await readWith(before, SIGNED.file, whole!.subarray(0, length), SIGNED);
    expect(found, `byte ${length}`).toEqual(isWhole ? both : first);
    expect(readFileSync(join(left, SIGNED.file))).toEqual(isWhole ? whole : old);
  }
});

test.each(WHOLE)(
  `$what: the old content survives if its replacement is cut off at any byte, CRASH_SEED=${SEED}`,
  async (writer) => {
    const { after, before } = await writtenTwice(writer);
    const [first, second] = [await contentOf(before, writer), await contentOf(after, writer)];
    expect(first).not.toEqual(second);
    const whole = readFileSync(join(after, writer.file));
    for (const [index, length] of cuts(0, whole.length).entries()) {
      const beside = `${writer.file}.new`;
      const { found, left } = await readWith(before, beside, whole.subarray(0, length), writer);
      expect(found, `byte ${length}`).toEqual(first);
      if (index % 16 > 0) continue;
      await writer.write(left, 2);
      expect(existsSync(join(left, beside))).toBe(false);
    }
  },
);

test.each(SECRETS)(
  `$what: the file is created again if it is cut off at any byte, CRASH_SEED=${SEED}`,
  async (writer) => {
    const made = join(root, 'made');
    const empty = join(root, 'empty');
    mkdirSync(empty);
    const first = await writer.read(made);
    const whole = readFileSync(join(made, writer.file));
    expect(await contentOf(made, writer)).toEqual(first);
    for (const [index, length] of cuts(0, whole.length).entries()) {
      const cut = whole.subarray(0, length);
      const { found, left } = await readWith(empty, `${writer.file}.new`, cut, writer);
      expect(found).not.toEqual(first);
      expect(existsSync(join(left, `${writer.file}.new`))).toBe(false);
      if (index % 16 === 0) expect(await writer.read(left)).toEqual(found);
    }
  },
);
