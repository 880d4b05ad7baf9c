import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { RETURN_ID_MIN } from '@oddlot/custody/bridge-contract';
import { hash } from '@oddlot/units';
import type { Hex } from 'viem';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { payFromBridge } from '@oddlot/testing/venue/pay-from-bridge';
import { TestSettlement } from '@oddlot/testing/venue/test-settlement';
import type { DepositWatcher } from './deposit-watcher.ts';

/**
 * Tests R-conservation on a real chain with a bridge that has paid withdrawals missing from the
 * log.
 */

let settlement: TestSettlement;

beforeEach(async () => {
  settlement = await TestSettlement.open();
  await deposit(0, 50_000_000n);
});

afterEach(() => settlement.close());

async function deposit(user: number, amount: bigint): Promise<void> {
  const raw = await settlement.bridged.transfer(user, amount);
  await settlement.bridged.chain.rpc('eth_sendRawTransaction', [raw]);
}

/** Makes the bridge pay an arbitrary request, signed with the keys of its validators. */
async function payOut(withdrawalId: bigint): Promise<void> {
  const user = settlement.bridged.users[0] as Hex;
  await payFromBridge(settlement.bridged, {
    withdrawalId,
    user,
    destination: user,
    usd: 1_000_000n,
  });
}

/** Requests a withdrawal, which uses the engine's next number. */
function withdraw(): void {
  const { replica } = settlement;
  const { users } = settlement.bridged;
  const [signer] = users;
  const nonce = replica.state.timeMs + replica.state.nextWithdrawalId;
  const authority = { signer: signer!, nonce, txHash: hash(`0x${'1'.repeat(64)}`) };
  const { outcome } = replica.apply({
    type: 'withdraw',
    authority,
    destination: signer!,
    amountMicroUsdc: 5_000_000,
  });
  expect(outcome.reject).toBeUndefined();
}

const open = (): DepositWatcher => settlement.watcher(settlement.bridged.client(1));

async function readAll(watcher: DepositWatcher): Promise<void> {
  while (await watcher.step()) continue;
}

const FOREIGN = /knows withdrawal 1.*, which this venue never issued/;

test('an empty log on a bridge that has made payouts credits nothing and reports the reason', async () => {
  await payOut(1n);
  const watcher = open();
  expect(await watcher.verify()).toBe(false);
  await expect(watcher.step()).rejects.toThrow(FOREIGN);
  expect(watcher.status).toMatchObject({ state: 'failed', foreign: { withdrawalId: '1' } });
  expect(watcher.status.error).toMatch(FOREIGN);
  expect(settlement.credited).toBe(0n);
});

test('a foreign payout in a block stops crediting permanently, starting with that block', async () => {
  const watcher = open();
  expect(await watcher.verify()).toBe(true);
  await readAll(watcher);
  expect(settlement.credited).toBe(50_000_000n);
  // The engine's next number is 1, so only the bridge's logs reveal this payout.
  await payOut(2n);
  await deposit(1, 9_000_000n);
  expect(await watcher.verify()).toBe(true);
  await expect(readAll(watcher)).rejects.toThrow('withdrawal 2 in 0x');
  expect(settlement.credited).toBe(50_000_000n);
  // Neither a restart nor withdrawals with later numbers resolve the situation.
  withdraw();
  withdraw();
  const again = open();
  expect(again.status.foreign).toMatchObject({ withdrawalId: '2' });
  expect(await again.verify()).toBe(false);
  await expect(readAll(again)).rejects.toThrow('withdrawal 2');
  expect(settlement.credited).toBe(50_000_000n);
});

test('payouts issued by the engine, and returned deposits, are accepted', async () => {
  const watcher = open();
  await readAll(watcher);
  withdraw();
  await payOut(1n);
  await payOut(RETURN_ID_MIN + 7n);
  await deposit(1, 9_000_000n);
  expect(await watcher.verify()).toBe(true);
  await readAll(watcher);
  expect(watcher.status).toMatchObject({ state: 'ok', isCurrent: true, foreign: undefined });
  expect(settlement.credited).toBe(59_000_000n);
  rmSync(join(settlement.bridged.directory, 'watched.json'));
  const again = open();
  expect(await again.verify()).toBe(true);
  await readAll(again);
  expect(again.status).toMatchObject({ state: 'ok', isCurrent: true });
});
