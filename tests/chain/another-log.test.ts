import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createClient, privateKeyWallet } from '@oddlot/sdk';
import { parseUnits } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { expect, test } from 'vitest';
import { chainOf, post } from '../support/chain.ts';
import { FIXED_PRICE_FLAGS, Venue } from '../support/venue-process.ts';

/** R-conservation: a venue that lost its log must not use a bridge that paid for another log. */

const WAIT = { timeout: 60_000, interval: 100 };

test('a venue with an empty log reports a bridge that has already paid, and neither credits deposits nor pays withdrawals', async () => {
  const venue = await Venue.start([...FIXED_PRICE_FLAGS, '--chain', 'local']);
  try {
    const key = generatePrivateKey();
    const account = privateKeyToAccount(key);
    const user = account.address.toLowerCase();
    const wallet = privateKeyWallet(key);
    const client = () => createClient({ url: venue.url, wallet });
    const money = async (): Promise<string> =>
      (await post(venue.url, '/info', { type: 'clearinghouseState', user })).data.withdrawable;
    await post(venue.url, '/request-fund', { user, onChain: true });
    const chain = await chainOf(venue.url);
    await chain.wallet(account).transfer(chain.bridge, parseUnits('100', 6));
    await expect.poll(money, WAIT).toBe('100');
    await client().exchange.withdraw3({ destination: user, amount: '20' }, { confirm: 'executed' });
    const statuses = async () =>
      (await client().info.withdrawals({ user })).map(({ status }) => status);
    await expect.poll(statuses, WAIT).toEqual(['confirmed']);
    await venue.stop();
    expect(venue.faults()).toEqual([]);

    for (const name of readdirSync(venue.data)) {
      if (name === 'chain' || name === 'settlement') continue;
      rmSync(join(venue.data, name), { recursive: true });
    }
    for (const name of readdirSync(join(venue.data, 'settlement'))) {
      if (name !== 'keys.json') rmSync(join(venue.data, 'settlement', name), { recursive: true });
    }
    await venue.startAgain();
    const watch = async () => {
      const response = await fetch(`${venue.operations}/settlement`);
      return ((await response.json()) as { watch: object }).watch;
    };
    const stopped = { state: 'failed', foreign: { withdrawalId: '1' } };
    await expect.poll(watch, WAIT).toMatchObject(stopped);
    const ready = await fetch(`${venue.operations}/readyz`);
    expect(ready.status).toBe(503);
    expect(await ready.json()).toMatchObject({ failing: [{ name: 'bridge' }] });
    const metrics = await (await fetch(`${venue.operations}/metrics`)).text();
    expect(metrics).toMatch(/^oddlot_settlement_state\{state="failed"\} 1$/m);
    expect(venue.faults().join()).toContain('which this venue never issued');

    const after = await chainOf(venue.url);
    const deadline = BigInt(Math.floor(Date.now() / 1_000) + 3_600);
    const permit = await after.wallet(account).permit(parseUnits('7', 6), deadline);
    expect(await post(venue.url, '/info', permit)).toMatchObject({ status: 503, code: 10503 });
    expect(await after.balanceOf(account.address)).toBe(parseUnits('919.9', 6));

    // Test funds create the account. Its withdrawal waits, and the owner can see why.
    await post(venue.url, '/request-fund', { user });
    await client().exchange.withdraw3({ destination: user, amount: '20' }, { confirm: 'executed' });
    const shown = async () => (await client().info.withdrawals({ user }))[0];
    const error =
      'Payouts are stopped: the bridge has made a payout that this venue did not request';
    await expect.poll(shown, WAIT).toMatchObject({ id: 1, status: 'held', error });
    expect(await watch()).toMatchObject(stopped);
    expect(await money()).toBe('980');
  } finally {
    await venue.remove();
  }
});
