import { NETWORKS } from '@oddlot/protocol';
import { expect, test } from 'vitest';
import { ModelVenue } from '../testing/model-venue.ts';
import { KEYS, USERS } from '../testing/relay-rig.ts';
import { VenueAccount } from './venue-account.ts';
import { VenueApi } from '../venue-api.ts';

/** A transfer inside of the venue is executed once, whatever is known of it in between. */

/** The model refuses in its block what has a nonce of 3 modulo 7. */
const START_MS = 7 * 257_142_857_142;
const DAY_MS = 86_400_000;

function rig(startMs = START_MS) {
  const venue = new ModelVenue();
  let [isLost, nowMs] = [false, startMs];
  const api = new VenueApi(async (path, body) => {
    const answer = await venue.post(path, body);
    if (isLost && path === '/exchange') throw new Error('no answer in time');
    return answer;
  });
  const now = (): number => nowMs;
  const account = new VenueAccount({ key: KEYS.key('peg'), api, network: NETWORKS.testnet, now });
  const sign = () =>
    account.sign({ destination: USERS[0]!, amountMicro: 5n, from: 'perp', to: 'outcome' });
  return {
    venue,
    account,
    sign,
    lose: (loses: boolean) => void (isLost = loses),
    wait: (ms: number) => void (nowMs += ms),
    got: () => venue.balanceOf(USERS[0]!, 'outcome'),
  };
}

test('one that the venue cannot execute yet stays open, and the same bytes are executed later', async () => {
  const { account, got, sign, venue } = rig();
  const send = await sign();
  expect(await account.deliver(send)).toEqual({ is: 'open', why: 'Insufficient balance' });
  venue.give(account.address, 9n);
  expect(await account.deliver(send)).toEqual({ is: 'executed' });
  expect(await account.deliver(send)).toEqual({ is: 'executed' });
  expect([got(), venue.balanceOf(account.address)]).toEqual([5n, 4n]);
});

test('one whose answer was lost is found to be executed', async () => {
  const { account, got, lose, sign, venue } = rig();
  venue.give(account.address, 9n);
  const send = await sign();
  lose(true);
  await expect(account.deliver(send)).rejects.toThrow('no answer');
  lose(false);
  expect(await account.deliver(send)).toEqual({ is: 'executed' });
  expect(got()).toBe(5n);
});

test('one that was refused in its block is void, and so is one too old to be taken', async () => {
  const refused = rig(START_MS + 3);
  refused.venue.give(refused.account.address, 9n);
  const why = 'Trading is halted';
  expect(await refused.account.deliver(await refused.sign())).toEqual({ is: 'void', why });
  const { account, sign, wait } = rig();
  const send = await sign();
  wait(2 * DAY_MS);
  expect(await account.deliver(send)).toMatchObject({ is: 'open' });
  wait(DAY_MS);
  expect(await account.deliver(send)).toMatchObject({ is: 'void' });
  expect((await sign()).nonce).toBeGreaterThan(send.nonce);
});
