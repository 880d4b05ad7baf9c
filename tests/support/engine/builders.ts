import type { Address } from '@oddlot/units';
import type { BlockResult, CommandResult } from '../../../packages/engine/src/messages/block.ts';
import type { OrderRequest } from '../../../packages/engine/src/messages/command.ts';
import type { TradeSide } from '../../../packages/engine/src/messages/event.ts';
import { actor, order, type OrderShape, PARAMETERS, type Scenario } from './scenario.ts';
import { act } from './waiting.ts';

/** A builder that charges fees but does not trade. */
export const builder = actor(0xb111d);

/** Approves a builder fee. The rate is in tenths of a basis point. */
export function approve(
  scenario: Scenario,
  signer: Address,
  tenthsBp: number,
  address = builder,
): CommandResult {
  const maxFeeText = `${tenthsBp / 1_000}%`;
  return outcome(
    act(scenario, signer, {
      type: 'approveBuilder',
      builder: address,
      maxFeeE8: tenthsBp * 1_000,
      maxFeeText,
    }),
  );
}

export function revoke(scenario: Scenario, signer: Address, address = builder): CommandResult {
  return outcome(act(scenario, signer, { type: 'revokeBuilder', builder: address }));
}

export function through(
  scenario: Scenario,
  signer: Address,
  feeTenthsBp: number,
  orders: readonly OrderRequest[],
  address = builder,
): BlockResult {
  const terms = { address, feeTenthsBp };
  return act(scenario, signer, { type: 'placeOrders', orders, builder: terms });
}

export function oneThrough(
  scenario: Scenario,
  signer: Address,
  feeTenthsBp: number,
  shape: OrderShape,
): BlockResult {
  return through(scenario, signer, feeTenthsBp, [order(shape)]);
}

/**
 * Returns the builder fees that the taker and the maker pay for each fill in a block. 0 means no
 * fee.
 */
export function charges({ events }: BlockResult): [taker: bigint, maker: bigint][] {
  const amount = ({ builderFee }: TradeSide): bigint => builderFee?.amount ?? 0n;
  return events.flatMap((event): [bigint, bigint][] =>
    event.type === 'tradeExecuted' ? [[amount(event.taker), amount(event.maker)]] : [],
  );
}

export function earned(scenario: Scenario, address = builder): bigint {
  return scenario.state.builderRewards.get(address)?.earned ?? 0n;
}

/** Sets the perp balance of an account. The faucet tops it up, or a transfer removes the excess. */
export function setBalance(scenario: Scenario, address: Address, amount: number): void {
  const missing = amount - Number(scenario.balance(address));
  if (missing >= 0) scenario.fund(address, missing);
  else send(scenario, address, -missing);
}

export function send(scenario: Scenario, signer: Address, amountMicroUsdc: number): void {
  const type = 'sendToken';
  const destination = PARAMETERS.insuranceFundAddress;
  const move = { destination, token: 0, amountMicroUsdc, from: 'perp', to: 'perp' } as const;
  const { reject } = outcome(act(scenario, signer, { type, ...move }));
  if (reject !== undefined) throw new Error(`refused: ${reject.reason}`);
}

function outcome({ outcomes }: BlockResult): CommandResult {
  return outcomes[0] ?? {};
}
