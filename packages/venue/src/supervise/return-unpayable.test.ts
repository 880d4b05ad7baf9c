import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { accountView, openWithdrawals } from '@oddlot/engine';
import { createLogger } from '@oddlot/host/log';
import { address, hash } from '@oddlot/units';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readConfig } from '../config.ts';
import type { Lease } from '@oddlot/replica/lease';
import { TestReplica } from '@oddlot/testing/venue/http/test-replica';
import { TestTerm } from '@oddlot/testing/venue/test-term';
import { type OpenedVenue, openVenue } from '../venue.ts';
import { returnUnpayable } from '../settlement-chain.ts';

/**
 * Tests of R-withdraw on startup: a withdrawal that can never be paid is returned to its account.
 */

const account = address(`0x${'11'.repeat(20)}`);

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'oddlot-return-'));
});
afterEach(() => rm(folder, { recursive: true }));

function open(chain: 'local' | 'none'): Promise<OpenedVenue> {
  // The interval is so long that the local chain is polled only once and nothing is paid.
  const flags = ['--chain', chain, '--chain-every-ms', '3600000', '--chain-port', '0'];
  const lean = ['--port', '0', '--ops-port', '0', '--no-web', '--no-relay', '--no-bots'];
  const config = readConfig(['--data', folder, '--oracle', 'still', ...lean, ...flags], {});
  return openVenue(config, {
    log: createLogger({ level: 'silent' }),
    onFatal: (error) => expect.unreachable(String(error)),
  });
}

/**
 * Proposes a withdrawal directly to the log, because without a chain the endpoint does not accept
 * one, as it did in earlier releases.
 */
async function withdrawIn({ clock, replica }: OpenedVenue, usdc: number): Promise<void> {
  const amountMicroUsdc = usdc * 1_000_000;
  await replica.propose({ type: 'creditFaucet', account, subAccount: 'perp', amountMicroUsdc });
  const authority = { signer: account, nonce: clock.nowMs(), txHash: hash(`0x${'22'.repeat(32)}`) };
  const { outcome } = await replica.propose({
    type: 'withdraw',
    authority,
    destination: account,
    amountMicroUsdc,
  });
  expect(outcome.reject).toBeUndefined();
}

const freeIn = ({ replica }: OpenedVenue): bigint | undefined =>
  accountView(replica.state, account)?.perpBalance;
const heldIn = ({ replica }: OpenedVenue): number =>
  openWithdrawals(replica.state).withdrawals.length;

test('withdrawals held by a venue that never had a chain are returned when it starts', async () => {
  const before = await open('none');
  await withdrawIn(before, 50);
  expect([heldIn(before), freeIn(before)]).toEqual([1, 0n]);
  await before.stop();
  const after = await open('none');
  expect([heldIn(after), freeIn(after)]).toEqual([0, 50_000_000n]);
  expect(after.replica.state.terms.get('settlement')).toEqual({ number: 1, holder: 'local' });
  await after.stop();
});

test('R-terms: a return that arrives after another process has opened a bridge is rejected', async () => {
  const replica = Object.assign(new TestReplica(), { tick: () => Promise.resolve() });
  replica.credit(account, 50);
  const authority = { signer: account, nonce: replica.nowMs, txHash: hash(`0x${'22'.repeat(32)}`) };
  const amountMicroUsdc = 50_000_000;
  replica.apply({ type: 'withdraw', authority, destination: account, amountMicroUsdc });
  const term = new TestTerm('suspended');
  const lease: Lease = {
    hold: async (_name, start) => {
      await start(term);
      return { release: () => Promise.resolve() };
    },
  };
  const resume = replica.hold();
  const log = createLogger({ level: 'silent' });
  const returning = returnUnpayable(lease, replica, log);
  await expect.poll(() => replica.proposed).toBe(1);
  replica.apply({
    type: 'openBridge',
    chainId: 1,
    bridge: account,
    token: address(`0x${'33'.repeat(20)}`),
    term: { lease: 'settlement', number: 1, holder: 'another' },
  });
  resume();
  await returning;
  expect(openWithdrawals(replica.state).withdrawals).toHaveLength(1);
  expect(term.isOver()).toBe(true);
});

test('a withdrawal that may already be in payment by a bridge stays held while its chain is not configured', async () => {
  const before = await open('local');
  await withdrawIn(before, 50);
  await before.stop();
  const after = await open('none');
  expect([heldIn(after), freeIn(after)]).toEqual([1, 0n]);
  await after.stop();
});
