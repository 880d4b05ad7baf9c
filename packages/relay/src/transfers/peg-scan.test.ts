import type { Hex } from 'viem';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { RelayRig, USERS } from '@oddlot/testing/relay/relay-rig';
import { PegScan } from './pegs.ts';
import { venueBy } from '@oddlot/testing/relay/venue-by';

const [alice, bob, carol] = USERS as [Hex, Hex, Hex];
const EVERY_MS = 1_000;
const LOOKS_OF_A_STEP = 10;

let rig: RelayRig;
let scan: PegScan;
let looked: string[];

beforeEach(() => {
  rig = new RelayRig();
  looked = [];
  const api = venueBy(async (path, body) => {
    looked.push((JSON.parse(body) as { user: string }).user);
    return rig.venue.post(path, body);
  });
  scan = new PegScan({ book: rig.book, api, now: () => rig.nowMs, everyMs: EVERY_MS });
});
afterEach(() => rig.close());

async function pegsOf(dstAddr: Hex, count: number): Promise<readonly string[]> {
  const pegs: string[] = [];
  for (let each = 0; each < count; each++) {
    const request = { srcChain: 'oddlot', dstChain: 'base', asset: 'USDC', dstAddr };
    const answer = await rig.service.pegAddress(request);
    if (!answer.ok) throw new Error(answer.error.message);
    pegs.push(answer.data.pegAddress);
  }
  return pegs;
}

async function step(): Promise<readonly string[]> {
  looked = [];
  rig.nowMs += EVERY_MS;
  await scan.step();
  return looked;
}

/**
 * Advances to a time long after the pegs were assigned, when each of them has been scanned once.
 */
async function grown(): Promise<void> {
  rig.nowMs += 3_600_000;
  for (let steps = 0; steps < 20; steps++) await step();
}

test('a user who repeatedly queries many pegs does not delay the scans of other pegs', async () => {
  const theirs = await pegsOf(alice, 5);
  await pegsOf(bob, 60);
  await grown();
  const seen = new Set<string>();
  for (let steps = 0; steps < 15; steps++) {
    for (let questions = 0; questions < 3; questions++) scan.hurry(bob);
    for (const peg of await step()) seen.add(peg);
  }
  expect(theirs.filter((peg) => !seen.has(peg))).toEqual([]);
});

test('a user who repeatedly queries many pegs does not delay scans requested by other users', async () => {
  const [own] = await pegsOf(alice, 1);
  await pegsOf(bob, 60);
  await grown();
  scan.hurry(bob);
  await step();
  const seen: string[] = [];
  for (let steps = 0; steps < 12; steps++) {
    scan.hurry(bob);
    scan.hurry(alice);
    seen.push(...(await step()));
  }
  expect(seen.filter((peg) => peg === own).length).toBeGreaterThanOrEqual(1);
});

test('a queried peg is scanned in the next step, even if other pegs are overdue', async () => {
  await pegsOf(bob, 100);
  const [own] = await pegsOf(carol, 1);
  await grown();
  rig.nowMs += 3_600_000;
  scan.hurry(carol);
  const first = await step();
  expect(first).toContain(own);
  expect(first).toHaveLength(LOOKS_OF_A_STEP);
});

test('a query does not cause a scan before the minimum interval', async () => {
  const [own] = await pegsOf(carol, 1);
  await grown();
  scan.hurry(carol);
  expect(await step()).toEqual([own]);
  looked = [];
  scan.hurry(carol);
  rig.nowMs += EVERY_MS - 1;
  await scan.step();
  expect(looked).toEqual([]);
  rig.nowMs += 1;
  await scan.step();
  expect(looked).toEqual([own]);
});

test('a peg that cannot be read is not the first to be scanned next time', async () => {
  const pegs = await pegsOf(carol, 2);
  let isDown = true;
  const asked: string[] = [];
  const api = venueBy(async (path, body) => {
    asked.push((JSON.parse(body) as { user: string }).user);
    if (isDown) throw new Error('connection refused');
    return rig.venue.post(path, body);
  });
  scan = new PegScan({ book: rig.book, api, now: () => rig.nowMs, everyMs: EVERY_MS });
  await expect(step()).rejects.toThrow('no response');
  isDown = false;
  await step();
  expect(asked).toHaveLength(3);
  expect(asked.slice(0, 2).toSorted()).toEqual(pegs.toSorted());
});
