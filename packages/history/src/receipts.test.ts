import { beforeEach, describe, expect, test } from 'vitest';
import type { SignedCommand } from '@oddlot/engine';
import { traceId } from '@oddlot/protocol';
import { hash, instrumentId, type Hash } from '@oddlot/units';
import { testKey } from '@oddlot/testing/venue/http/client';
import { TestReplica } from '@oddlot/testing/venue/http/test-replica';
import { Faucet } from '@oddlot/api/http/faucet';
import { HistoryBehindError } from './history.ts';
import {
  decodeReceiptBody,
  type ReceiptBlock,
  type ReceiptQuery,
  type ReceiptRow,
} from './receipt.ts';
import { instrumentLookup } from '@oddlot/translate/action-to-command';
import { Receipts, type ReceiptArchive, type ReceiptsOptions } from './receipts.ts';

const alice = testKey(1);
const hashOf = (n: number): Hash => hash(`0x${n.toString(16).padStart(4, '0').padEnd(64, '0')}`);

/** An archive that contains receipts up to a height set by the test. */
class MemoryArchive implements ReceiptArchive {
  height = 0;
  isFarBehind = false;
  neededHeight = 0;
  readonly rows: ReceiptRow[] = [];

  /** Creates receipts of the same blocks independently, as the indexer thread does. */
  followOn(): void {
    const store = new Receipts({
      instruments: instrumentLookup(() => replica.state),
      onReceipts: ({ receipts }: ReceiptBlock) => {
        this.rows.push(...(JSON.parse(JSON.stringify(receipts)) as ReceiptRow[]));
      },
    });
    replica.onBlock((block) => store.onBlock(block));
  }

  find(query: ReceiptQuery): Promise<ReceiptRow | undefined> {
    const isAsked = ({ nonce, signer, txHash }: ReceiptRow): boolean => {
      if (query.by === 'txHash') return txHash === query.txHash;
      if (query.by === 'traceId') return traceId(txHash) === query.traceId;
      return signer === query.signer && nonce === query.nonce;
    };
    return Promise.resolve(this.rows.find(isAsked));
  }

  expectWhole(height: number): void {
    const needed = Math.max(height, this.neededHeight);
    if (this.height < needed)
      throw new HistoryBehindError({ height: this.height, timeMs: 0 }, needed);
  }
}

let replica: TestReplica;
beforeEach(() => {
  replica = new TestReplica();
  replica.credit(alice.address);
});

function attach(options: Partial<ReceiptsOptions> = {}): Receipts {
  const receipts = new Receipts({ instruments: instrumentLookup(() => replica.state), ...options });
  replica.onBlock((block) => receipts.onBlock(block));
  return receipts;
}

function order(
  n: number,
  change: { price?: number; signer?: typeof alice.address } = {},
): SignedCommand {
  const { price = 1000, signer = alice.address } = change;
  return {
    type: 'placeOrders',
    authority: { signer, nonce: replica.nowMs + n, txHash: hashOf(n) },
    orders: [
      {
        instrumentId: instrumentId(1),
        isBuy: true,
        price,
        size: 50_000,
        reduceOnly: false,
        timeInForce: 'gtc',
      },
    ],
  };
}

describe('receipts of executed actions', () => {
  test('memory and archive return the same receipts', async () => {
    const archive = new MemoryArchive();
    archive.followOn();
    const receipts = attach({ archive });
    replica.apply(order(1));
    const { height } = replica.head;
    for (let n = 2; n <= 3; n++) replica.apply(order(n));
    expect(receipts.backlog).toBe(3);
    receipts.archived(height);
    expect(receipts.backlog).toBe(2);
    expect(receipts.recent({ by: 'txHash', txHash: hashOf(1) })).toBeUndefined();
    const first = await receipts.find({ by: 'txHash', txHash: hashOf(1) });
    const third = receipts.recent({ by: 'traceId', traceId: traceId(hashOf(3)) });
    expect(first).toMatchObject({ user: alice.address, outcome: { error: null, refused: false } });
    expect(first?.outcome.result.orders).toMatchObject([{ oid: 1, state: 'open' }]);
    expect(third?.outcome.result.orders).toMatchObject([{ oid: 3, state: 'open' }]);
    const { txHash, nonce } = order(3).authority;
    const fromArchive = await new Receipts({ instruments: () => undefined, archive }).find({
      by: 'nonce',
      signer: alice.address,
      nonce,
    });
    expect(fromArchive).toEqual(receipts.recent({ by: 'txHash', txHash }));
  });

  test('a rejection that includes amounts is restored unchanged from JSON', async () => {
    const archive = new MemoryArchive();
    archive.followOn();
    const receipts = attach({ archive });
    const poor = testKey(5).address;
    replica.credit(poor, 1);
    replica.apply(order(1, { signer: poor }));
    const found = await receipts.find({ by: 'txHash', txHash: hashOf(1) });
    expect(found?.outcome).toMatchObject({
      refused: false,
      error: { code: 10010, message: 'Insufficient margin', details: { available: '1' } },
      result: { orders: [{ state: 'rejected', error: 'Insufficient margin' }] },
    });
    expect(archive.rows).toMatchObject([{ failed: true, actionType: 'order' }]);
  });

  test("error details quote the texts of the client's own request", () => {
    const receipts = attach();
    const request = JSON.stringify({
      action: { type: 'order', orders: [{ a: 1, p: '100.30', s: '0.5', t: { limit: {} } }] },
    });
    replica.apply(order(1, { price: 1003 }), request);
    const { outcome } = receipts.recent({ by: 'txHash', txHash: hashOf(1) }) ?? {};
    expect(outcome?.error?.details).toMatchObject({ got: '100.30', nearest: ['100', '100.5'] });
  });

  test('a receipt has no account if the signer has no role, and a resent request keeps its first receipt', () => {
    const receipts = attach();
    const nobody = testKey(6).address;
    replica.apply(order(1, { signer: nobody }));
    expect(receipts.recent({ by: 'txHash', txHash: hashOf(1) })).toMatchObject({
      user: null,
      outcome: { refused: true, error: { code: 10006 } },
    });
    replica.apply(order(2));
    replica.apply(order(2));
    const key = { by: 'nonce', signer: alice.address, nonce: replica.nowMs + 2 } as const;
    expect(receipts.recent(key)?.outcome.error).toBeNull();
  });

  test('a request resent after archiving keeps its first receipt', async () => {
    const archive = new MemoryArchive();
    archive.followOn();
    const receipts = attach({ archive });
    replica.apply(order(1));
    const { height } = replica.head;
    receipts.archived(height);
    replica.apply(order(1));
    const { nonce, signer, txHash } = order(1).authority;
    for (const key of [
      { by: 'txHash', txHash },
      { by: 'traceId', traceId: traceId(txHash) },
      { by: 'nonce', signer, nonce },
    ] as const) {
      expect(await receipts.find(key)).toMatchObject({
        block: { height },
        outcome: { error: null },
      });
    }
    expect(receipts.recent({ by: 'txHash', txHash })).toBeUndefined();
  });

  test('a receipt whose text is built on demand equals one built immediately', async () => {
    const archive = new MemoryArchive();
    archive.followOn();
    const receipts = attach();
    const bob = testKey(2).address;
    replica.credit(bob);
    const [first] = (order(1) as { orders: readonly object[] }).orders;
    const sale = {
      ...order(2, { signer: bob }),
      orders: [{ ...first, isBuy: false, size: 20_000 }],
    };
    replica.apply(order(1));
    replica.apply(sale as SignedCommand);
    replica.apply(order(3, { price: 1 }));
    for (let n = 4; n <= 8; n++) replica.apply(order(n));
    for (let n = 1; n <= 8; n++) {
      const key = { by: 'txHash', txHash: hashOf(n) } as const;
      const row = (await archive.find(key)) as ReceiptRow;
      expect(receipts.recent(key)?.outcome).toEqual(decodeReceiptBody(row.body).outcome);
    }
    expect(receipts.recent({ by: 'txHash', txHash: hashOf(2) })?.outcome.result).toMatchObject({
      orders: [{ state: 'filled', avgPx: expect.any(String) as string }],
    });
  });

  test('memory for receipts is also limited by the size of their texts', () => {
    const receipts = attach({ recentCharsMax: 500 });
    for (let n = 1; n <= 20; n++) replica.apply(order(n));
    expect(receipts.recent({ by: 'txHash', txHash: hashOf(20) })).toBeDefined();
    expect(receipts.recent({ by: 'txHash', txHash: hashOf(10) })).toBeUndefined();
  });

  test('receipts missing from an up-to-date archive are kept, and reported if there are too many', () => {
    const archive = new MemoryArchive();
    const receipts = attach({ archive, recentMax: 3 });
    for (let n = 1; n <= 3; n++) replica.apply(order(n));
    expect(receipts.isBehind).toBe(false);
    replica.apply(order(4));
    expect(receipts.isBehind).toBe(true);
    expect(receipts.recent({ by: 'txHash', txHash: hashOf(1) })).toBeDefined();
    receipts.archived(replica.head.height);
    expect(receipts).toMatchObject({ isBehind: false, backlog: 0 });
  });

  test('only the newest receipts are kept for an archive that is far behind', () => {
    const archive = new MemoryArchive();
    archive.isFarBehind = true;
    const receipts = attach({ archive, recentMax: 3 });
    for (let n = 1; n <= 5; n++) replica.apply(order(n));
    expect(receipts).toMatchObject({ isBehind: false, backlog: 3 });
    expect(receipts.recent({ by: 'txHash', txHash: hashOf(2) })).toBeUndefined();
    expect(receipts.recent({ by: 'txHash', txHash: hashOf(3) })).toBeDefined();
  });

  test('receipts of replayed blocks are skipped if the archive already has them', () => {
    const archive = new MemoryArchive();
    archive.height = replica.head.height + 1;
    const receipts = attach({ archive });
    replica.apply(order(1));
    expect(receipts.backlog).toBe(0);
    replica.apply(order(2));
    expect(receipts.backlog).toBe(1);
  });

  test('a request is pending until its promise settles', async () => {
    const receipts = attach();
    const release = replica.hold();
    const command = order(1);
    const executed = replica.propose(command);
    const { authority } = command;
    const who = { txHash: authority.txHash, signer: alice.address, user: alice.address };
    receipts.track({ ...who, nonce: authority.nonce, actionType: 'order', command, executed });
    expect(receipts.pendingCount).toBe(1);
    expect(receipts.pending({ by: 'traceId', traceId: traceId(hashOf(1)) })).toBeDefined();
    release();
    await executed;
    await Promise.resolve();
    expect(receipts.pendingCount).toBe(0);
  });
});

test('the faucet restores its grants from blocks and snapshots', () => {
  const now = () => replica.nowMs;
  const faucet = new Faucet({ replica, now });
  replica.onBlock((block) => faucet.grants.onBlock(block));
  replica.credit(testKey(7).address);
  const granted = [[testKey(7).address, replica.nowMs]];
  expect(faucet.grants.dump()).toEqual(granted);
  const restarted = new Faucet({ replica, now });
  restarted.grants.restore(JSON.parse(JSON.stringify(faucet.grants.dump())));
  expect(restarted.grants.dump()).toEqual(granted);
  replica.onBlock((block) => restarted.grants.onBlock(block));
  replica.nowMs += 3_600_000;
  replica.credit(testKey(8).address);
  expect(restarted.grants.dump()).toEqual([[testKey(8).address, replica.nowMs]]);
});
