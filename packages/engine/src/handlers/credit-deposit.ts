import { addUsdc, microUsdc } from '@oddlot/units';
import { releaseAgent, ZERO_ADDRESS } from '../auth/agents.ts';
import { checkDestination, isForBound } from '../auth/destination.ts';
import { postDeposit } from '../ledger/post.ts';
import type { CommandResult } from '../messages/block.ts';
import type { CreditDepositCommand } from '../messages/command.ts';
import { LIMITS } from '../messages/limits.ts';
import type { Reject } from '../messages/reject.ts';
import {
  type Bridge,
  type CreditedDeposit,
  depositKey,
  isBehind,
  isCredited,
  NO_PLACE,
} from '../state/bridge.ts';
import type { Execution } from '../state/execution.ts';
import type { State } from '../state/state.ts';
import { openAccount } from './credit-faucet.ts';

/**
 * Credits a deposit to the perp balance, once for its place on the chain (R-deposit); told again it
 * changes nothing and is no fault. The first one opens the account (R-account). One's own ends a
 * binding that the address has never made use of (R-agents); what comes for an address that stays bound
 * is kept: told again once the binding has ended it is credited, however late that is.
 */
export function creditDeposit(execution: Execution, command: CreditDepositCommand): CommandResult {
  const { commandIndex, events, state } = execution;
  const { account: address, isOwn, source } = command;
  const reject = checkCreditDeposit(state, command);
  if (reject !== undefined) return { reject };
  const { bridge } = state;
  if (bridge === undefined || isCredited(bridge, source)) return { account: address };
  const key = depositKey(source);
  if (isForBound(state, command)) {
    if (!bridge.kept.has(key)) state.digest.text(`kept ${key}`);
    bridge.kept.set(key, source);
    return { account: address, isKept: true };
  }
  if (isOwn && bridge.unusedAgents.has(address)) releaseAgent(execution, address);
  const account = openAccount(execution, address);
  const amount = microUsdc(command.amountMicroUsdc);
  postDeposit(state, account, 'perp', amount);
  bridge.creditedTotal = addUsdc(bridge.creditedTotal, amount);
  bridge.kept.delete(key);
  remember(bridge, { ...source, account: address, amount });
  state.digest.text(key);
  events.push({ type: 'depositCredited', commandIndex, account: address, amount, source });
  return { account: address };
}

/** Judges a deposit: the chain that it is of, and whom it goes to. Changes nothing. */
export function checkCreditDeposit(
  state: State,
  command: CreditDepositCommand,
): Reject | undefined {
  const { account, amountMicroUsdc, source } = command;
  const { bridge } = state;
  if (bridge?.chainId !== source.chainId) {
    const why = bridge === undefined ? 'no bridge is open' : `the bridge is of ${bridge.chainId}`;
    return { reason: 'definitionInvalid', field: 'source.chainId', why };
  }
  if (!Number.isSafeInteger(amountMicroUsdc) || amountMicroUsdc <= 0) {
    return {
      reason: 'definitionInvalid',
      field: 'amountMicroUsdc',
      why: 'a deposit is of something',
    };
  }
  if (isCredited(bridge, source)) return undefined;
  const { kept } = bridge;
  const isFull = kept.size >= LIMITS.depositsAsideKept && !kept.has(depositKey(source));
  const isRefused = account === ZERO_ADDRESS || (isFull && isForBound(state, command));
  return isRefused ? checkDestination(state, account) : undefined;
}

/** R-limits-of-state: only the newest deposits are kept one by one. Of those forgotten the last place stays: all up to it count as credited. */
function remember(bridge: Bridge, source: CreditedDeposit): void {
  const { credited, floors } = bridge;
  credited.set(depositKey(source), source);
  const { blockNumber, logIndex } = source;
  if (isBehind(source, bridge.cursor)) bridge.cursor = { blockNumber, logIndex };
  bridge.bookedBlock = Math.max(bridge.bookedBlock, blockNumber);
  if (credited.size <= LIMITS.depositsKept) return;
  const [oldest] = credited;
  if (oldest === undefined) return;
  const [key, place] = oldest;
  credited.delete(key);
  if (!isBehind(place, floors.get(place.chainId) ?? NO_PLACE)) return;
  floors.set(place.chainId, { blockNumber: place.blockNumber, logIndex: place.logIndex });
}
