import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  directAction,
  multiSigned,
  orderAction,
  signed,
  testKey,
} from '@oddlot/testing/venue/http/client';
import { startEdge, type TestEdge } from '@oddlot/testing/venue/http/test-edge';
import { openHistoryStore, type HistoryStore } from '@oddlot/history/store/history-store';
import type { ReceiptRow } from '@oddlot/history/receipt';
import { type ReceiptArchive, Receipts } from '@oddlot/history/receipts';
import { HistoryProjector } from '@oddlot/history/rows/history-projector';
import { MarketData } from '@oddlot/translate/read-models/market-data';
import { instrumentLookup } from '@oddlot/translate/action-to-command';

const [ann, ben] = [testKey(21), testKey(22)];
const team = testKey(5);
let folder: string;
let store: HistoryStore;
let stored: TestEdge;
let nonce = 0;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'oddlot-resend-'));
  store = await openHistoryStore({ file: join(folder, 'history.sqlite') });
  const archive: ReceiptArchive = {
    height: 0,
    isFarBehind: false,
    expectWhole: () => undefined,
    find: async (query) => (await store.ask('receipt', query)) ?? undefined,
  };
  stored = await startEdge({ receipts: { archive } });
  const { replica } = stored;
  // The rows of each block are stored as another thread would store them, and no receipt is kept in
  // memory.
  const writer = new Receipts({
    instruments: instrumentLookup(() => replica.state),
    onReceipts: ({ receipts }) => (latest = receipts),
  });
  let latest: readonly ReceiptRow[] = [];
  replica.onBlock((block) => writer.onBlock(block));
  const markets = new MarketData(() => replica.state);
  replica.onBlock((block) => markets.onBlock(block));
  const projector = new HistoryProjector({
    state: () => replica.state,
    markets,
    receiptsOf: () => latest,
    onRows: (rows) => void (writing = writing.then(() => store.write([rows]))),
  });
  replica.onBlock((block) => projector.onBlock(block));
  stored.replica.credit(team.address);
  nonce = stored.replica.nowMs;
});
afterEach(async () => {
  await stored.close();
  await writing;
  await store.close();
  await rm(folder, { recursive: true });
});

let writing = Promise.resolve();

const twice = async (body: string, meanwhile?: () => unknown) => {
  const first = await stored.send('/exchange', body);
  expect(first.json.code).toBe(0);
  meanwhile?.();
  await writing;
  stored.receipts.archived(stored.replica.head.height);
  expect(stored.receipts.backlog).toBe(0);
  const { proposed } = stored.replica;
  expect((await stored.send('/exchange', body)).text).toBe(first.text);
  expect(stored.replica.proposed).toBe(proposed);
};
const conversion = (threshold: number, ...users: string[]) => {
  const set = users.length === 0 ? null : { authorizedUsers: users, threshold };
  return directAction('convertToMultiSigUser', ++nonce, { signers: JSON.stringify(set) });
};
const wrap = (action: Record<string, unknown>, ...inner: (typeof ann)[]) =>
  multiSigned(action, { user: team.address, outer: inner[0] ?? ann, inner, nonce });

test('the result of an executed action is still found after its signer has lost the right to send it', async () => {
  const both = [ann.address, ben.address];
  // After the conversion, the account's own key is no longer sufficient.
  await twice(signed(conversion(1, ...both), { key: team, nonce }));
  // First one signature becomes insufficient, then the sender leaves the set, and then the set is
  // removed.
  await twice(wrap(conversion(2, ...both), ann));
  await twice(wrap(conversion(1, ben.address), ann, ben));
  await twice(wrap(conversion(0), ben));
  // Access to the channel has been closed in the meantime.
  const close = { type: 'setGate', channel: 0, mode: 'closed' } as const;
  const order = signed(orderAction(), { key: team, nonce: ++nonce });
  await twice(order, () => stored.replica.apply(close));
  stored.replica.apply({ ...close, mode: 'open' });
  // In the meantime, the vault has been given a different leader.
  const vault = { type: 'registerVault', vault: testKey(6).address, name: '' } as const;
  stored.replica.apply({ ...vault, leader: team.address });
  stored.replica.credit(vault.vault);
  const led = { key: team, nonce: ++nonce, vaultAddress: vault.vault };
  await twice(signed(orderAction(), led), () =>
    stored.replica.apply({ ...vault, leader: ann.address }),
  );
});
