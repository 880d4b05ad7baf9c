import { NETWORKS } from '@oddlot/protocol';
import { expect, test } from 'vitest';
import { ModelVenue } from '@oddlot/testing/relay/model-venue';
import { KEYS, USERS } from '@oddlot/testing/relay/relay-rig';
import { VenueAccount } from './venue-account.ts';
import { venueBy } from '@oddlot/testing/relay/venue-by';

/**
 * A transfer inside the venue is executed once, even if the relay loses track of it along the way.
 */

/** When creating blocks, the model venue rejects any request whose nonce is 3 modulo 7. */
const START_MS = 7 * 257_142_857_142;
const DAY_MS = 86_400_000;

function rig(startMs = START_MS) {
  const venue = new ModelVenue();
  let [isLost, nowMs] = [false, startMs];
  const api = venueBy(async (path, body) => {
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

test('a request that the venue cannot execute yet stays open, and the same bytes are executed later', async () => {
  const { account, got, sign, venue } = rig();
  const send = await sign();
  expect(await account.deliver(send)).toEqual({ is: 'open', why: 'Insufficient balance' });
  venue.give(account.address, 9n);
  expect(await account.deliver(send)).toEqual({ is: 'executed' });
  expect(await account.deliver(send)).toEqual({ is: 'executed' });
  expect([got(), venue.balanceOf(account.address)]).toEqual([5n, 4n]);
});

test('a request whose response was lost is found to have been executed', async () => {
  const { account, got, lose, sign, venue } = rig();
  venue.give(account.address, 9n);
  const send = await sign();
  lose(true);
  await expect(account.deliver(send)).rejects.toThrow('no response');
  lose(false);
  expect(await account.deliver(send)).toEqual({ is: 'executed' });
  expect(got()).toBe(5n);
});

test('a request that was rejected in its block, or whose nonce has expired, is void', async () => {
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

test('the signed bytes equal those of earlier releases, and the venue accepts both', async () => {
  const { account } = rig(1_800_000_000_000.7);
  const destination = `0x${'d1'.repeat(20)}` as const;
  const transfer = { destination, amountMicro: 5n, from: 'perp', to: 'outcome' } as const;
  expect(await account.sign(transfer)).toEqual({
    body: '{"action":{"type":"tokenSend","serviceNetwork":"Oddlot-Testnet","chainId":2511,"apiVersion":1,"destination":"0xd1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1","token":0,"amount":"0.000005","fromAccountType":"perp","toAccountType":"outcome","nonce":1800000000000},"signature":{"r":"0x6fd49bb8a071f387229e6b6577a931ceec4ebcda941f7d27a91adb5cc1d59d6e","s":"0x447795cc58b395bb1e58e7c969b6ff4448eac38f5505e0eb52c9b2791f8d7b47","v":28},"nonce":1800000000000,"confirm":"executed"}',
    txHash: '0x0013db4827beedd6fb7cdf266515ff7600cac1a21558e41c3633e9cddf2f2ca7',
    nonce: 1_800_000_000_000,
  });
  expect(await account.signRelease()).toEqual({
    body: '{"action":{"type":"approveAgent","serviceNetwork":"Oddlot-Testnet","chainId":2511,"apiVersion":1,"agentAddress":"0x0000000000000000000000000000000000000000","nonce":1800000000001},"signature":{"r":"0xabe28c302ba7c0881aa274d8723043074ca9072d772241fc8e647d8a659c5025","s":"0x7e5e54b1019e779bb3c74182bc06e425ea17387b7f20f51947f9b13c29131cdb","v":28},"nonce":1800000000001,"confirm":"executed"}',
    txHash: '0x4c9ef3e1915c341df31f328f11fcebf13ddb6dea935467b92abc0e590fbdc382',
    nonce: 1_800_000_000_001,
  });
});
