import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { type Command, dump, restore, RULES_VERSION, type StateDump } from '@oddlot/engine';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createEngine } from '../../packages/venue/src/create-engine.ts';
import { EarlierReleaseError } from '../../packages/replica/src/log/log.ts';
import { loadEngine, type RulesStep } from '../../packages/replica/src/earlier-engine.ts';
import { LaterReleaseError } from '../../packages/replica/src/replica.ts';
import { removeTemporaryData, REPOSITORY, temporaryData } from '../support/venue-process.ts';
import { copyOf, eraFiles, PREVIOUS } from './era-folders.ts';
import { ControlledReplica, testAddress } from './controlled-replica.ts';

/**
 * Goal: the next rules change can be tested before it is made (R-era). Method: this tree's engine
 * is bundled as for a release, and a synthetic release with the next rules version opens a folder
 * that this tree wrote. The new rules have one visible difference: the first account pays one
 * micro-USDC to the treasury.
 */

const NEXT = RULES_VERSION + 1;
const nowMs = PREVIOUS.meta.timeMs;

let step: RulesStep;
/**
 * This release's folder after a kill. Its log has rules versions 3 and 4, and it has no snapshot of
 * version 4.
 */
let folder: string;
let before: { readonly height: number; readonly hash: string; readonly state: StateDump };

beforeAll(async () => {
  const file = join(await temporaryData(), 'rules.mjs');
  const script = join(REPOSITORY, 'scripts', 'bundle-era.ts');
  await promisify(execFile)(process.execPath, [script, REPOSITORY, String(RULES_VERSION), file]);
  step = {
    rules: NEXT,
    loadEarlier: () => loadEngine(pathToFileURL(file)),
    migrate: (state) => dump(restore(withMovedMoney(state as StateDump))),
  };
  folder = await PREVIOUS.unpacked();
  const hand = await ControlledReplica.open({ folder, nowMs });
  for (let number = 1; number <= 5; number += 1) {
    await hand.all([credit(number)]);
    await hand.pass(1_000);
  }
  const { hash, height } = hand.replica.head;
  before = { hash, height, state: dump(hand.state) };
  await hand.close();
});
afterAll(removeTemporaryData);

const credit = (number: number): Command => ({
  type: 'creditFaucet',
  account: testAddress(number),
  subAccount: 'perp',
  amountMicroUsdc: 1_000_000,
});

/**
 * Moves one micro-USDC from the newest account to the treasury, so that the total does not change.
 */
function withMovedMoney(state: StateDump): StateDump {
  const accounts = state.accounts.map((account, index, all) =>
    index === all.length - 1
      ? { ...account, perpBalance: String(BigInt(account.perpBalance) - 1n) }
      : account,
  );
  return { ...state, accounts, treasury: String(BigInt(state.treasury) + 1n) };
}

const open = (data: string): Promise<ControlledReplica> =>
  ControlledReplica.open({ folder: data, nowMs: nowMs + 5_000, step });

test("R-era: a release with the next rules opens this release's folder and continues from it", async () => {
  const data = await copyOf(folder);
  const hand = await open(data);
  expect(hand.replica.head.height).toBe(before.height + 1);
  const { digest, ...state } = dump(hand.state);
  const migrated = dump(restore(withMovedMoney(before.state)));
  expect(state).toEqual({ ...migrated, digest: undefined, height: before.height + 1 });
  expect(digest).not.toEqual(migrated.digest);
  hand.checkInvariants();
  await hand.all([credit(6)]);
  const { head } = hand.replica;
  const last = dump(hand.state);
  await hand.close();
  const [opening] = await PREVIOUS.entriesFrom(data, before.height + 1);
  expect(opening?.commands).toMatchObject([
    { command: { type: 'openEra', rules: NEXT, previousHash: before.hash } },
  ]);
  const again = await open(data);
  expect(again.replica.head.hash).toBe(head.hash);
  expect(dump(again.state)).toEqual(last);
  await again.close();
});

test('R-era: the bundled engine computes the same blocks and rows as this tree', async () => {
  const hand = await ControlledReplica.open({ nowMs });
  for (let number = 1; number <= 3; number += 1) await hand.all([credit(number)]);
  const { hash } = hand.replica.head;
  await hand.close();
  const entries = await PREVIOUS.entriesFrom(hand.folder, 1);
  const replicas = [await step.loadEarlier(), await createEngine()].map((each) =>
    each.open(undefined),
  );
  const [bundled, own] = await Promise.all(replicas);
  for (const entry of entries) expect(bundled!.apply(entry)).toEqual(own!.apply(entry));
  expect(bundled!.dump()).toEqual(own!.dump());
  expect(own!.dump().head.hash).toBe(hash);
});

test('R-era: a missing start state for the next rules is recomputed', async () => {
  const data = await copyOf(folder);
  const first = await open(data);
  const { head } = first.replica;
  await first.close();
  const [, latest] = await eraFiles(data);
  await rm(join(data, 'eras', latest ?? ''));
  const again = await open(data);
  expect(again.replica.head.hash).toBe(head.hash);
  await again.close();
  expect(await eraFiles(data)).toContain(latest);
});

test('R-era: this release then rejects the folder, and the next release rejects rules older than the previous version', async () => {
  const data = await copyOf(folder);
  await (await open(data)).close();
  await expect(ControlledReplica.open({ folder: data, nowMs })).rejects.toThrow(LaterReleaseError);
  await rm(join(data, 'eras'), { recursive: true });
  await rm(join(data, 'snapshots'), { recursive: true });
  await expect(open(data)).rejects.toThrow(EarlierReleaseError);
});
