import { hash } from '@oddlot/units';
import { describe, expect, test } from 'vitest';
import type { PublishReservesCommand } from '../messages/command.ts';
import {
  BRIDGE_CONTRACT,
  CHAIN_ID,
  deposited,
  openTestBridge,
  TOKEN_CONTRACT,
} from '@oddlot/testing/engine/bridge';
import { actor, alice, carol, Scenario } from '@oddlot/testing/engine/scenario';
import { sign } from '@oddlot/testing/engine/waiting';
import { bridgeView } from '../read/read-bridge.ts';

function reserves(height: number, blockNumber: number): PublishReservesCommand {
  return {
    type: 'publishReserves',
    height,
    root: hash(`0x${'ab'.repeat(32)}`),
    leaves: 1,
    liabilitiesMicroUsdc: 12,
    shortfallMicroUsdc: 0,
    blockNumber,
    assetsMicroUsdc: 12,
    keptAsideMicroUsdc: 0,
    unsettledMicroUsdc: 0,
    unbackedMicroUsdc: 0,
  };
}

function opened(): Scenario {
  const venue = Scenario.open({ accounts: [alice] });
  openTestBridge(venue);
  venue.block(reserves(1335, 19));
  return venue;
}

describe('R-conservation: reserves are published in order and only once', () => {
  test.each([
    { height: 1159, blockNumber: 11, field: 'height' },
    { height: 1335, blockNumber: 20, field: 'height' },
    { height: 1336, blockNumber: 18, field: 'blockNumber' },
    { height: 1336, blockNumber: 19, field: undefined },
    { height: 1336, blockNumber: 20, field: undefined },
  ])(
    'reserves are rejected if older than the published ones: height $height, chain block $blockNumber',
    ({ blockNumber, field, height }) => {
      const venue = opened();
      const { events, outcomes } = venue.block(reserves(height, blockNumber));
      expect(outcomes[0]?.reject).toEqual(
        field && expect.objectContaining({ reason: 'definitionInvalid', field }),
      );
      const last =
        field === undefined ? { height, blockNumber } : { height: 1335, blockNumber: 19 };
      expect(bridgeView(venue.state)?.reserves).toMatchObject(last);
      expect(events.length).toBe(field === undefined ? 1 : 0);
    },
  );

  test('the published reserves do not include the publishing process’s term', () => {
    const venue = opened();
    const term = { lease: 'settlement', number: 1, holder: 'a' };
    const { events } = venue.block({ ...reserves(1336, 19), term });
    expect(events[0]).not.toHaveProperty('term');
    expect(bridgeView(venue.state)?.reserves).not.toHaveProperty('term');
  });

  test('a former bridge’s reserves do not affect those of the next one', () => {
    const venue = opened();
    const bridge = actor(0xb1d9f);
    venue.block({ type: 'openBridge', chainId: CHAIN_ID, bridge, token: TOKEN_CONTRACT });
    expect(bridgeView(venue.state)).toMatchObject({ reserves: undefined, bookedBlock: -1 });
    venue.block(reserves(1336, 2));
    expect(bridgeView(venue.state)?.reserves).toMatchObject({ blockNumber: 2 });
    venue.block({ type: 'openBridge', chainId: CHAIN_ID, bridge, token: BRIDGE_CONTRACT });
    expect(bridgeView(venue.state)?.reserves).toMatchObject({ blockNumber: 2 });
  });
});

describe('R-conservation: the chain block of the balances never decreases', () => {
  test('deposits and settled withdrawals raise the chain block of the balances, which never decreases', () => {
    const venue = Scenario.open({ accounts: [alice] });
    openTestBridge(venue);
    const booked = (): number | undefined => bridgeView(venue.state)?.bookedBlock;
    expect(booked()).toBe(-1);
    venue.block(deposited(carol, 7));
    venue.block(deposited(carol, 3));
    expect(booked()).toBe(107);
    const ask = { type: 'withdraw', destination: carol, amountMicroUsdc: 5_000_000 } as const;
    venue.block(sign(venue, alice, ask), sign(venue, alice, ask));
    const [first, second] = [...venue.state.withdrawals.keys()] as [number, number];
    venue.block({ type: 'settleWithdrawal', withdrawalId: first, paid: true, blockNumber: 130 });
    expect(booked()).toBe(130);
    venue.block({ type: 'settleWithdrawal', withdrawalId: first, paid: true, blockNumber: 140 });
    venue.block({ type: 'settleWithdrawal', withdrawalId: second, paid: false });
    expect(booked()).toBe(130);
  });
});
