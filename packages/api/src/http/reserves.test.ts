import { address, hash } from '@oddlot/units';
import { expect, test } from 'vitest';
import { TestReplica } from '@oddlot/testing/venue/http/test-replica';
import { reserves, reservesProof, type ReservesSource } from './reserves.ts';

const USER = address(`0x${'ab'.repeat(20)}`);
const ROOT = hash(`0x${'12'.repeat(32)}`);
const CONTRACTS = {
  bridge: address(`0x${'b1'.repeat(20)}`),
  token: address(`0x${'c0'.repeat(20)}`),
};
const CURRENT = {
  height: 9,
  timeMs: 1_800_000_000_000,
  owed: 10_000_000n,
  blockNumber: 4,
  balance: 9_500_000n,
  keptAside: 1_000_000n,
  unsettled: 500_000n,
  unbacked: 900_000n,
};

function published(): TestReplica {
  const replica = new TestReplica();
  replica.apply({ type: 'openBridge', chainId: 5, ...CONTRACTS });
  replica.apply({
    type: 'publishReserves',
    height: 3,
    root: ROOT,
    leaves: 3,
    liabilitiesMicroUsdc: 12_500_000,
    shortfallMicroUsdc: 2_500_000,
    blockNumber: 4,
    assetsMicroUsdc: 8_600_000,
    keptAsideMicroUsdc: 1_000_000,
    unsettledMicroUsdc: 500_000,
    unbackedMicroUsdc: 900_000,
  });
  return replica;
}

test('without a settlement chain, the venue returns neither figures nor proofs', async () => {
  const source = { replica: new TestReplica() };
  const nothing = { chain: null, published: null, current: null };
  expect(reserves(source)).toEqual({ ok: true, data: nothing });
  expect(await reservesProof(source, USER)).toEqual({ ok: true, data: null });
});

test('reserves returns the published and current figures in USDC, each with its difference', () => {
  const source: ReservesSource = {
    replica: published(),
    reserves: { current: CURRENT, proof: async () => undefined },
  };
  const figures = {
    owed: '10',
    blockNumber: 4,
    keptAside: '1',
    unsettled: '0.5',
    unbacked: '0.9',
  };
  expect(reserves(source)).toEqual({
    ok: true,
    data: {
      chain: { chainId: 5, ...CONTRACTS },
      published: {
        ...figures,
        height: 3,
        time: 1_800_000_000_000,
        balance: '9.6',
        assets: '8.6',
        difference: '0',
        root: ROOT,
        leaves: 3,
        liabilities: '12.5',
        shortfall: '2.5',
      },
      current: {
        ...figures,
        height: 9,
        time: 1_800_000_000_000,
        balance: '9.5',
        assets: '8.5',
        difference: '-0.1',
      },
    },
  });
});

test('a proof includes the leaf, its parts and its siblings; it is null for unknown addresses', async () => {
  const replica = published();
  const proof = {
    height: 3,
    root: ROOT,
    leaves: 3,
    liabilities: 12_500_000n,
    index: 1,
    salt: `0x${'34'.repeat(32)}`,
    parts: [1_000_000n, 20n, 300n, 4_000n],
    siblings: [{ hash: `0x${'56'.repeat(32)}`, sum: 7_000_000n }],
  };
  const source = { replica, reserves: { current: CURRENT, proof: async () => proof } };
  expect(await reservesProof(source, USER)).toMatchObject({
    ok: true,
    data: {
      user: USER,
      amount: '1.00432',
      parts: { perp: '1', outcome: '0.00002', withdrawHold: '0.0003', rewards: '0.004' },
      salt: proof.salt,
      index: 1,
      siblings: [{ hash: `0x${'56'.repeat(32)}`, sum: '7' }],
      published: { root: ROOT, height: 3 },
      chain: { chainId: 5 },
    },
  });
  const withoutAccount = { replica, reserves: { current: CURRENT, proof: async () => undefined } };
  expect(await reservesProof(withoutAccount, USER)).toEqual({ ok: true, data: null });
  const lost = { replica, reserves: { current: CURRENT, proof: async () => 'missing' as const } };
  expect(await reservesProof(lost, USER)).toMatchObject({
    ok: false,
    error: { httpStatus: 503, message: 'Service unavailable' },
  });
});
