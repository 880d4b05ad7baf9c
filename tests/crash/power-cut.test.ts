import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Hex } from 'viem';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  type BridgeRequest,
  readRequest,
  writeRequest,
} from '../../packages/custody/src/bridge/bridge-request.ts';
import { runBridge } from '../../packages/custody/src/bridge/run-bridge.ts';
import { ChainFile } from '../../packages/devchain/src/core/chain-lines.ts';
import { RecordFile } from '../../packages/host/src/durable/record-file.ts';
import { writeWholeFile } from '../../packages/host/src/durable/whole-file.ts';
import { exhibitionSecret } from '../../packages/venue/src/exhibition/exhibition.ts';
import { SnapshotStore } from '../../packages/replica/src/log/checked-stores.ts';
import { localSeed } from '../../packages/relay/src/relay-keys.ts';
import { RelayBook } from '../../packages/relay/src/book/relay-book.ts';
import { buildTree } from '../../packages/history/src/reserves/build-tree.ts';
import { treeFile, treeSecret } from '../../packages/history/src/reserves/tree-file.ts';
import { localKeys } from '../../packages/custody/src/key-files/local-keys.ts';
import {
  type PayoutRecord,
  PayoutRecords,
} from '../../packages/settlement/src/payout/payout-record.ts';
import { SendJournal, type SendRecord } from '../../packages/custody/src/send/send-journal.ts';
import { startOf, WatchFile } from '../../packages/settlement/src/watch-file.ts';
import { diskHere } from '../../packages/replica/src/log/disk-thread.ts';
import { block, openJournal, readAll } from '../support/venue/journal.ts';
import { PowerCut } from '../support/host/power-cut.ts';
import { Trees, venueOf } from '../support/venue/trees.ts';
import { RefusalMemory } from '../../packages/custody/src/validator/signing-refusal.ts';
import { SignedBook } from '../../packages/custody/src/validator/signed-book.ts';

/**
 * Goal: data that a component relies on survives a power loss that keeps only synced data. Content
 * needs its file synced, a name needs its folder synced, and a new folder needs its parent synced.
 * Each component writes to a new folder and then reads the data that survived.
 */

let root: string;
let disk: PowerCut;

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'oddlot-power-'));
  disk = new PowerCut(root);
  await disk.watch();
});

afterEach(() => {
  disk.end();
  rmSync(root, { recursive: true, force: true });
  for (const folder of others.splice(0)) rmSync(folder, { recursive: true, force: true });
});

const others: string[] = [];

/** Returns a copy of the folder as a power loss would leave it. */
function left(): string {
  const folder = mkdtempSync(join(tmpdir(), 'oddlot-left-'));
  others.push(folder);
  disk.cut(folder);
  return folder;
}

const testAddress: Hex = `0x${'1'.repeat(40)}`;

const send: SendRecord = {
  key: 'payout 1',
  to: testAddress,
  data: '0x',
  gas: '21000',
  nonce: 4,
  askedMs: 1,
  attempts: [],
  mined: undefined,
};

const payout: PayoutRecord = {
  withdrawalId: 3,
  user: testAddress,
  destination: testAddress,
  usd: '5',
  requestedMs: 1,
  chainId: 7,
  bridge: testAddress,
  status: 'held',
  updatedMs: 2,
};

const request: BridgeRequest = {
  chainId: 7,
  bridge: testAddress,
  signatures: [`0x${'ab'.repeat(65)}`],
  primaryType: 'Unpause',
  message: { nonce: '2' },
};

const QUIET = { env: {}, print: () => undefined, complain: () => undefined };
const cursor = { chain: 'far', live: 7, late: 5 };
const bridge = { chainId: 7, bridge: testAddress };

const storeOf = (folder: string): SnapshotStore =>
  new SnapshotStore({ directory: join(folder, 'a/snapshots') });

/** These files are created on first use and reused from then on. */
const keysOf = (folder: string): unknown => localKeys(join(folder, 'a/chain'));
const seedOf = (folder: string): unknown => localSeed(join(folder, 'a/relay')).address('float');
const saltsOf = (folder: string): unknown => treeSecret(join(folder, 'a/reserves'));
const exhibitedOf = (folder: string): unknown => exhibitionSecret(join(folder, 'a/data'));

/**
 * Each entry writes a component's file and reads it back. The content must be the same before and
 * after a power loss.
 */
const WRITERS: readonly {
  readonly what: string;
  readonly write: (folder: string) => unknown;
  readonly read: (folder: string) => unknown;
}[] = [
  {
    what: 'transactions that were signed',
    write: (folder) => new SendJournal(join(folder, 'a/b/relayer.jsonl')).put(send),
    read: (folder) => new SendJournal(join(folder, 'a/b/relayer.jsonl')).get('payout 1'),
  },
  {
    what: 'how far payouts are',
    write: (folder) => {
      const records = new PayoutRecords(join(folder, 'a/payouts.jsonl'));
      records.put(payout);
      records.flush();
    },
    read: (folder) => new PayoutRecords(join(folder, 'a/payouts.jsonl')).get(3),
  },
  {
    what: 'the book of the relay',
    write: (folder) => new RelayBook(join(folder, 'a/book.jsonl')).setCursor(cursor),
    read: (folder) => new RelayBook(join(folder, 'a/book.jsonl')).cursor('far'),
  },
  {
    what: 'signatures of a validator',
    write: (folder) => {
      new SignedBook(join(folder, 'a/b/signed.jsonl')).add({
        type: 'cancellation',
        reason: 'refused',
        timeMs: 1,
        chainId: 7,
        bridge: testAddress,
        withdrawalId: '3',
        user: testAddress,
      });
    },
    read: (folder) => new SignedBook(join(folder, 'a/b/signed.jsonl')).latest,
  },
  {
    what: 'refusals that a validator saw',
    write: (folder) => new RefusalMemory(join(folder, 'a/refused.json'), 10).refused('3', 1),
    read: (folder) => new RefusalMemory(join(folder, 'a/refused.json'), 10).refused('3', 20),
  },
  {
    what: 'how far the chain was read',
    write: (folder) => new WatchFile(join(folder, 'a/watched.json')).write(startOf(bridge, 12)),
    read: (folder) => new WatchFile(join(folder, 'a/watched.json')).last(startOf(bridge, 2)).block,
  },
  {
    what: 'a request of the bridge',
    write: (folder) => writeRequest(join(folder, 'a/request.json'), request),
    read: (folder) => readRequest(join(folder, 'a/request.json')),
  },
  {
    what: 'a key of the bridge',
    write: (folder) => runBridge(['key', join(folder, 'key')], QUIET),
    read: (folder) => readFileSync(join(folder, 'key'), 'utf8'),
  },
  { what: 'keys of the local chain', write: keysOf, read: keysOf },
  { what: 'the seed of a local relay', write: seedOf, read: seedOf },
  { what: 'the secret of salts', write: saltsOf, read: saltsOf },
  { what: 'the secret of demo markets', write: exhibitedOf, read: exhibitedOf },
  {
    what: 'the log',
    // The snapshots are written on this thread, because another thread's syncs cannot be observed.
    write: async (folder) => {
      const options = { disk: () => diskHere() };
      await (await openJournal(join(folder, 'a/journal'), options)).append(block(1));
    },
    read: async (folder) => readAll(await openJournal(join(folder, 'a/journal'))),
  },
  {
    what: 'a snapshot',
    write: (folder) => storeOf(folder).write({ height: 5, pieces: [Buffer.from('state')] }),
    read: async (folder) => (await storeOf(folder).newestValid())?.payload.toString(),
  },
  {
    what: 'the local chain',
    write: async (folder) =>
      (await ChainFile.open(join(folder, 'a/chain'), () => 0)).append({ n: 1 }),
    read: async (folder) => {
      const lines: unknown[] = [];
      await ChainFile.open(join(folder, 'a/chain'), (line) => lines.push(line));
      return lines;
    },
  },
];

test.each(WRITERS)('a completed write survives a power loss: $what', async ({ read, write }) => {
  await write(root);
  const after = left();
  expect(await read(after)).toEqual(await read(root));
});

test('a liabilities tree survives a power loss completely', async () => {
  const trees = await Trees.create();
  const folder = join(root, 'reserves');
  const { hasher, secret } = trees;
  const pause = async (): Promise<void> => undefined;
  await buildTree({ state: venueOf([5, 7]), height: 2, secret, folder, hasher, pause });
  expect(readFileSync(treeFile(join(left(), 'reserves'), 2))).toEqual(
    readFileSync(treeFile(folder, 2)),
  );
});

test('records survive a power loss, including the first one and those after the file is rewritten', () => {
  const at = (folder: string): string => join(folder, 'a/b/records.jsonl');
  const records = new RecordFile(at(root));
  // Opening syncs the parents of the two new folders, and the new file's folder.
  expect(disk.syncs).toEqual({ files: 0, folders: 3 });
  records.read();
  expect(syncsOf(() => records.append([{ n: 1 }, { n: 2 }]))).toEqual({ files: 1, folders: 0 });
  expect(recordsOf(at(left()))).toEqual([{ n: 1 }, { n: 2 }]);
  expect(syncsOf(() => records.replace([{ n: 2 }]))).toEqual({ files: 1, folders: 1 });
  expect(recordsOf(at(left()))).toEqual([{ n: 2 }]);
  expect(syncsOf(() => records.append([{ n: 3 }]))).toEqual({ files: 1, folders: 0 });
  expect(recordsOf(at(left()))).toEqual([{ n: 2 }, { n: 3 }]);
});

test('a validator that finds an entry when it starts syncs it before the entry counts as signed', () => {
  const at = (folder: string): string => join(folder, 'signed.jsonl');
  const place = {
    timeMs: 1,
    chainId: 7,
    bridge: testAddress,
    withdrawalId: '3',
    user: testAddress,
  };
  const elsewhere = mkdtempSync(join(tmpdir(), 'oddlot-left-'));
  others.push(elsewhere);
  new SignedBook(at(elsewhere)).add({ ...place, type: 'cancellation', reason: 'refused' });
  // The file is as it would be if a process had died between the write and the sync.
  writeFileSync(at(root), readFileSync(at(elsewhere)));
  const book = new SignedBook(at(root));
  expect(book.count).toBe(1);
  expect(new SignedBook(at(left())).latest).toEqual(book.latest);
});

test('a replaced file is synced before it is renamed, and its folder after', () => {
  const file = join(root, 'whole');
  for (const text of ['one', 'two']) {
    expect(syncsOf(() => writeWholeFile(file, text))).toEqual({ files: 1, folders: 1 });
    expect(readFileSync(join(left(), 'whole'), 'utf8')).toBe(text);
  }
});

function syncsOf(work: () => void): PowerCut['syncs'] {
  const { files, folders } = disk.syncs;
  work();
  return { files: disk.syncs.files - files, folders: disk.syncs.folders - folders };
}

function recordsOf(file: string): readonly unknown[] {
  const { damaged, records } = new RecordFile(file).read();
  expect(damaged).toEqual([]);
  return records;
}
