import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { address, hash } from '@oddlot/units';
import { expect, test } from 'vitest';
import { packed, ReceiptStore } from './receipt-store.ts';
import type { ReceiptBlock, ReceiptRow } from './receipt-store.ts';
import { backlogRestriction } from '../supervise/backlog.ts';

async function withFile(run: (file: string) => Promise<void>): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'oddlot-receipts-'));
  try {
    await run(join(directory, 'receipts.sqlite'));
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

const hashOf = (n: number): ReceiptRow['txHash'] =>
  hash(`0x${n.toString(16).padStart(12, '0')}${'f'.repeat(52)}`);
const signerOf = (n: number): ReceiptRow['signer'] =>
  address(`0x${n.toString(16).padStart(40, '0')}`);

function receipt(n: number, height: number, changes: Partial<ReceiptRow> = {}): ReceiptRow {
  return {
    txHash: hashOf(n),
    signer: signerOf(n % 10),
    user: signerOf(77),
    nonce: 1_700_000_000_000 + n,
    actionType: 'order',
    height,
    timeMs: height * 1_000,
    blockHash: hashOf(height),
    index: 0,
    failed: false,
    body: `{"n":${n},"text":"\u2603"}`,
    ...changes,
  };
}

function blockOf(height: number, receipts: ReceiptRow[]): ReceiptBlock {
  return { height, timeMs: height * 1_000, blockHash: hashOf(height), receipts };
}

test('a receipt is found by hash, by trace id, and by signer and nonce', () =>
  withFile(async (file) => {
    const store = await ReceiptStore.open({ file });
    const txHash = hash('0x00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff');
    const neighbour = hash('0x001122334455ff778899aabbccddeeff00112233445566778899aabbccddeeff');
    const row = receipt(1, 1, { txHash, failed: true });
    store.append(blockOf(1, [receipt(2, 1, { txHash: neighbour, index: 1 }), row]));
    // Asked before the rows are durable: a look-up sees everything appended before it.
    expect(await store.byTxHash(txHash)).toEqual(row);
    expect(await store.byTraceId('00112233-4455-4677-8899-aabbccddeeff')).toEqual(row);
    expect(await store.byTraceId('00112233-4455-4677-9899-aabbccddeeff')).toBeUndefined();
    expect(await store.byTraceId('not a trace id')).toBeUndefined();
    expect(await store.bySigner(row.signer, row.nonce)).toEqual(row);
    expect(await store.bySigner(row.signer, row.nonce + 1)).toBeUndefined();
    expect(await store.byTxHash(hashOf(99))).toBeUndefined();
    await store.close();
  }));

test('of two receipts with one nonce the first is the one that used it', () =>
  withFile(async (file) => {
    const store = await ReceiptStore.open({ file });
    const used = receipt(9, 1, { nonce: 5, index: 3 });
    store.append(blockOf(1, [used]));
    store.append(blockOf(2, [receipt(1, 2, { nonce: 5, failed: true, signer: used.signer })]));
    expect(await store.bySigner(used.signer, 5)).toEqual(used);
    await store.close();
  }));

test('replay is harmless: what was projected stays, and the height is known after a restart', () =>
  withFile(async (file) => {
    const store = await ReceiptStore.open({ file });
    expect(store.projectedHeight).toBe(0);
    for (let height = 1; height <= 50; height += 1) {
      store.append(blockOf(height, [receipt(height, height)]));
    }
    store.append(blockOf(51, []));
    expect(store.backlog).toBe(50);
    await store.flushed(51);
    expect(store.backlog).toBe(0);
    await store.close();

    const again = await ReceiptStore.open({ file });
    expect(again.projectedHeight).toBe(51);
    for (let height = 1; height <= 52; height += 1) {
      const body = '"another body"';
      again.append(blockOf(height, [receipt(height, height, { body })]));
    }
    await again.flushed(52);
    expect(await again.byTxHash(hashOf(50))).toEqual(receipt(50, 50));
    expect((await again.byTxHash(hashOf(52)))?.body).toBe('"another body"');
    // A hash that comes again in a later block changes nothing either.
    again.append(blockOf(53, [receipt(50, 53)]));
    await again.flushed(53);
    expect((await again.byTxHash(hashOf(50)))?.height).toBe(50);
    await again.close();
  }));

test('a backlog of many rows is worked off in order', () =>
  withFile(async (file) => {
    const store = await ReceiptStore.open({ file });
    for (let height = 1; height <= 300; height += 1) {
      const rows = Array.from({ length: 50 }, (_, n) => receipt(height * 100 + n, height));
      store.append(blockOf(height, rows));
    }
    expect(store.backlog).toBe(15_000);
    await store.flushed(300);
    expect(store.projectedHeight).toBe(300);
    expect(await store.byTxHash(hashOf(300 * 100 + 49))).toMatchObject({ height: 300 });
    await store.close();
  }));

test('a backlog that the disk does not keep up with stops new risk until it is worked off (R-requests)', () =>
  withFile(async (file) => {
    const store = await ReceiptStore.open({ file });
    for (let height = 1; height <= 11; height += 1) {
      expect(backlogRestriction(store)).toBeUndefined();
      const rows = Array.from({ length: 5_000 }, (_, n) => receipt(height * 5_000 + n, height));
      store.append(blockOf(height, rows));
    }
    expect(backlogRestriction(store)).toMatchObject({ stops: 'risk', error: { code: 10503 } });
    await store.flushed(11);
    expect(backlogRestriction(store)).toBeUndefined();
    await store.close();
  }));

test('old receipts are pruned', () =>
  withFile(async (file) => {
    const store = await ReceiptStore.open({ file });
    for (let height = 1; height <= 10; height += 1) {
      const rows = Array.from({ length: 1_500 }, (_, n) => receipt(height * 10_000 + n, height));
      store.append(blockOf(height, rows));
    }
    expect(await store.prune(6_000)).toBe(5);
    expect(await store.byTxHash(hashOf(50_000))).toBeUndefined();
    expect(await store.byTxHash(hashOf(60_000))).toMatchObject({ height: 6 });
    expect(store.projectedHeight).toBe(10);
    await store.close();
  }));

test('a worker that fails is fatal, and tells everyone who waits', () =>
  withFile(async (file) => {
    const fatal: Error[] = [];
    const store = await ReceiptStore.open({ file, onFatal: (error) => fatal.push(error) });
    store.append(blockOf(1, [receipt(1, 1)]));
    await store.flushed(1);
    const faulty = { ...blockOf(2, [receipt(2, 2), receipt(3, 2)]), blockHash: null as never };
    store.append(faulty);
    await expect(store.flushed(2)).rejects.toThrow(/NOT NULL constraint/);
    await expect(store.byTxHash(hashOf(1))).rejects.toThrow(/no longer recorded/);
    expect(fatal).toHaveLength(1);
    await store.close();

    const again = await ReceiptStore.open({ file });
    expect(again.projectedHeight).toBe(1);
    expect(await again.byTxHash(hashOf(2))).toBeUndefined();
    await again.close();
  }));

test('a file that is no database is set aside, and a new one begun', () =>
  withFile(async (file) => {
    await writeFile(file, 'this is text, and long enough to be read as a page '.repeat(50));
    const damages: string[] = [];
    const onDamaged = ({ movedTo }: { movedTo: string }) => damages.push(movedTo);
    const store = await ReceiptStore.open({ file, onDamaged });
    expect(damages).toHaveLength(1);
    expect(await readFile(damages[0]!, 'utf8')).toMatch(/^this is text/);
    expect(store.isEmpty).toBe(true);
    await store.close();
  }));

test('what is missing is filled in behind what goes on, also over a restart', () =>
  withFile(async (file) => {
    const first = await ReceiptStore.open({ file });
    first.startAt(600);
    first.append(blockOf(601, [receipt(601, 601)]));
    await first.flushed(601);
    expect(first.missing).toEqual({ done: 0, until: 600 });
    const lost = (height: number) => packed(blockOf(height, [receipt(height, height)]));
    await first.fillIn(Array.from({ length: 400 }, (_, at) => lost(at + 1)));
    // What does not follow on what is there was computed for another file.
    await first.fillIn([lost(500)]);
    expect(first.missing).toEqual({ done: 400, until: 600 });
    await first.close();

    const again = await ReceiptStore.open({ file });
    expect(again.missing).toEqual({ done: 400, until: 600 });
    expect(again.projectedHeight).toBe(601);
    await again.fillIn(Array.from({ length: 200 }, (_, at) => lost(at + 401)));
    expect(again.missing).toBeUndefined();
    for (const height of [1, 400, 500, 600, 601]) {
      expect(await again.byTxHash(hashOf(height))).toMatchObject({ height });
    }
    await again.close();
  }));

test('a flipped byte anywhere in a receipt is noticed, and never told', () =>
  withFile(async (file) => {
    const store = await ReceiptStore.open({ file });
    const body = JSON.stringify({ text: 'x'.repeat(500) });
    for (let height = 1; height <= 200; height += 1) {
      store.append(blockOf(height, [{ ...receipt(height, height), body }]));
    }
    await store.flushed(200);
    await store.close();
    const bytes = await readFile(file);
    const at = bytes.indexOf('x'.repeat(500), Math.floor(bytes.length / 2)) + 250;
    bytes[at] = bytes[at]! ^ 1;
    await writeFile(file, bytes);

    const damages: string[] = [];
    const again = await ReceiptStore.open({ file, onDamaged: ({ why }) => damages.push(why) });
    await expect.poll(() => damages).toHaveLength(1);
    expect(damages[0]).toMatch(/^the receipts of block \d+ are not what was written$/);
    expect(again.missing).toEqual({ done: 0, until: 200 });
    again.append(blockOf(201, [receipt(201, 201)]));
    expect(await again.byTxHash(hashOf(201))).toMatchObject({ height: 201 });
    await again.close();
  }));

test('after a SIGKILL the rows and the projected height agree', () =>
  withFile(async (file) => {
    const storeUrl = new URL('./receipt-store.ts', import.meta.url).href;
    const program = `
      import { ReceiptStore } from ${JSON.stringify(storeUrl)};
      const store = await ReceiptStore.open({ file: ${JSON.stringify(file)} });
      const hashOf = (n) => '0x' + n.toString(16).padStart(12, '0') + 'f'.repeat(52);
      const signer = '0x' + '00'.repeat(20);
      for (let height = 1; ; height += 1) {
        const blockHash = hashOf(height);
        const row = { txHash: blockHash, signer, user: signer, nonce: height, actionType: 'order',
          height, timeMs: height, blockHash, index: 0, failed: false, body: '{}' };
        store.append({ height, timeMs: height, blockHash, receipts: [row] });
        if (height % 20 === 0) await new Promise((resolve) => setImmediate(resolve));
        if (height % 500 === 0) store.flushed(height).then(() => console.log(height));
      }`;
    // A file, since a worker inherits the flags of its process and refuses those of -e.
    await writeFile(`${file}.program.mjs`, program);
    const child = spawn(process.execPath, [`${file}.program.mjs`], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let flushed = 0;
    for await (const line of createInterface({ input: child.stdout })) {
      flushed = Number(line);
      if (flushed >= 2_000) child.kill('SIGKILL');
    }
    const store = await ReceiptStore.open({ file });
    const { projectedHeight } = store;
    expect(flushed).toBeGreaterThanOrEqual(2_000);
    expect(projectedHeight).toBeGreaterThanOrEqual(flushed);
    expect(await store.byTxHash(hashOf(1))).toMatchObject({ height: 1 });
    expect(await store.byTxHash(hashOf(projectedHeight))).toMatchObject({ nonce: projectedHeight });
    expect(await store.byTxHash(hashOf(projectedHeight + 1))).toBeUndefined();
    await store.close();
  }));
