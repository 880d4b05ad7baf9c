import type { Hex } from 'viem';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { RelayRig, USER_USDC, USERS } from '@oddlot/testing/relay/relay-rig';
import { endTransfers } from './relay.ts';
import { relayStatus } from '../port/relay-status.ts';
import { sumOf } from '../book/relay-book.ts';

/** Money sent to a peg is paid out once, and never more than the peg holds. */

const [alice, bob, carol] = USERS as [Hex, Hex, Hex];
const OUT = { srcChain: 'oddlot', dstChain: 'base', asset: 'USDC' };
const FEE = 100_000n;
const USDC = 1_000_000n;
const CHAIN_TX: Hex = `0x${'c1'.repeat(32)}`;

let rig: RelayRig;
beforeEach(() => {
  rig = new RelayRig();
});
afterEach(() => rig.close());

async function pegOf(dstAddr: Hex): Promise<Hex> {
  const answer = await rig.service.pegAddress({ ...OUT, dstAddr });
  if (!answer.ok) throw new Error(answer.error.message);
  return answer.data.pegAddress as Hex;
}

/** Returns the amount a receiver has been paid on the other chain. */
const paid = (receiver: Hex): bigint => rig.chains.base.usdcOf(receiver) - USER_USDC;
const arrivals = () =>
  rig.book
    .addresses('peg')
    .flatMap(({ id }) => rig.book.transfersOf(id).flatMap((each) => each.arrivals));

test('each row of a peg is paid once, even if rows arrive while its pages are being read', async () => {
  const peg = await pegOf(bob);
  const sent: bigint[] = [];
  const send = (): void => {
    // The amount is so small that it takes many of them to make one payment.
    const amount = USDC / 50n + BigInt(sent.length);
    sent.push(amount);
    rig.venue.send(alice, peg, amount);
  };
  for (let count = 0; count < 410; count++) send();
  rig.venue.onLedgerQuestion = () => {
    if (sent.length < 415) send();
  };
  await rig.settle();
  expect(arrivals().map(({ amountMicro }) => BigInt(amountMicro))).toEqual(sent);
  const transfers = rig.book.transfersOf('peg-1').filter(({ state }) => state === 'completed');
  const handedOn = transfers.reduce((sum, each) => sum + sumOf(each), 0n);
  expect(paid(bob)).toBe(handedOn - FEE * BigInt(transfers.length));
  expect(handedOn + rig.venue.balanceOf(peg)).toBe(sent.reduce((sum, amount) => sum + amount));
});

test('each of several deposits in one chain transaction counts, even after a restart', async () => {
  const peg = await pegOf(bob);
  const deposit = (): void => rig.venue.deposit(peg, CHAIN_TX, 7n * USDC);
  deposit();
  deposit();
  await rig.settle();
  expect(paid(bob)).toBe(2n * (7n * USDC - FEE));
  // After this many other rows, the first two rows are on another page.
  for (let count = 0; count < 200; count++) rig.venue.send(alice, peg, USDC / 100n);
  await rig.settle();
  rig.start();
  deposit();
  await rig.settle();
  rig.start();
  await rig.settle();
  expect(paid(bob)).toBe(3n * (7n * USDC - FEE) + 2n * USDC - FEE);
  expect(rig.venue.balanceOf(peg)).toBe(0n);
});

test('deposits that a former release recorded by transaction only are not recorded again', async () => {
  const peg = await pegOf(bob);
  for (let count = 0; count < 3; count++) rig.venue.deposit(peg, CHAIN_TX, 7n * USDC);
  const [given] = rig.book.addresses('peg');
  const coming = { txHash: CHAIN_TX, amountMicro: String(7n * USDC), user: bob } as const;
  const kinds = { cameTo: 'perp', cameFrom: 'perp' } as const;
  for (const key of [CHAIN_TX, `${CHAIN_TX}:1`]) {
    rig.book.arrive(given!, { ...coming, ...kinds, key }, rig.nowMs);
  }
  await rig.settle();
  expect(arrivals()).toHaveLength(3);
  expect(paid(bob)).toBe(3n * (7n * USDC - FEE));
});

test('a peg that holds less than recorded pays nothing, reports the shortfall, and does not delay other pegs', async () => {
  const [short, whole] = [await pegOf(bob), await pegOf(carol)];
  rig.venue.send(alice, short, 50n * USDC);
  rig.venue.send(alice, whole, 30n * USDC);
  const [given] = rig.book.addresses('peg');
  const kinds = { cameTo: 'perp', cameFrom: 'perp' } as const;
  const phantom = { key: 'phantom', txHash: CHAIN_TX, amountMicro: '40000000' } as const;
  rig.book.arrive(given!, { ...phantom, user: alice, ...kinds }, rig.nowMs);
  await rig.settle();
  expect([paid(bob), paid(carol)]).toEqual([0n, 30n * USDC - FEE]);
  expect(rig.venue.balanceOf(short)).toBe(50n * USDC);
  const { troubled } = await relayStatus(rig.parts);
  const detail = `peg-1 (${short}) holds only 50 of the 90 USDC that it received; nothing is paid out until the operator has checked the address`;
  expect(troubled).toEqual([
    { id: 'peg-1', what: 'peg', detail },
    { id: 'peg-1-2', what: 'peg', detail },
  ]);
  const end = (id: string): void => endTransfers([id], rig.parts);
  expect(() => end('peg-9')).toThrow(
    'end: peg-9 is not the id of a transfer from a relay withdrawal address',
  );
  const shown = rig.service.transfers([['user', alice]]);
  expect(shown).toMatchObject({
    data: {
      items: [
        { status: 'completed' },
        {
          trouble:
            'The balance of the relay withdrawal address is too low; the operator of the relay must check it',
        },
        { status: 'relaying' },
      ],
    },
  });
  // The operator finds that one of the amounts never arrived.
  const never = rig.book.transfersOf('peg-1').find((each) => sumOf(each) === 40n * USDC);
  end(never!.id);
  await rig.settle();
  expect([paid(bob), rig.venue.balanceOf(short)]).toEqual([50n * USDC - FEE, 0n]);
});

test("an amount below the minimum is returned only from the peg's own balance", async () => {
  const peg = await pegOf(bob);
  rig.venue.send(alice, peg, USDC);
  rig.venue.send(carol, peg, USDC / 2n);
  await rig.settle();
  const [given] = rig.book.addresses('peg');
  const kinds = { cameTo: 'perp', cameFrom: 'perp' } as const;
  const phantom = { key: 'phantom', txHash: CHAIN_TX, amountMicro: '1000000' } as const;
  rig.book.arrive(given!, { ...phantom, user: bob, ...kinds }, rig.nowMs);
  rig.nowMs += 2 * 86_400_000;
  await rig.settle();
  expect(rig.venue.balanceOf(peg)).toBe(USDC + USDC / 2n);
  expect(rig.book.open().map(({ state, trouble }) => [state, trouble?.what])).toEqual(
    [1, 2, 3].map(() => ['refunding', 'peg']),
  );
  expect(rig.book.open().map(sumOf)).toEqual([USDC, USDC / 2n, USDC]);
});
