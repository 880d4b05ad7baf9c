import type { CommandResult } from '../messages/block.ts';
import type {
  CreditDepositCommand,
  OfTerm,
  OpenBridgeCommand,
  PublishReservesCommand,
  RegisterPegsCommand,
  SettleWithdrawalCommand,
  WithdrawCommand,
} from '../messages/command.ts';
import {
  type Bridge,
  createBridge,
  type CreditedDeposit,
  depositKey,
  isBehind,
  isCredited,
  NO_PLACE,
  type Reserves,
  type Withdrawal,
} from '../state/bridge.ts';
import { type Execution, parametersOf } from '../state/execution.ts';
import { addUsdc, maxUsdc, microUsdc } from '@oddlot/units';
import { checkDestination, isForBound, releaseAgent, ZERO_ADDRESS } from '../auth/agents.ts';
import { postDeposit } from '../ledger/post.ts';
import { LIMITS } from '../messages/limits.ts';
import type { Reject } from '../messages/reject.ts';
import type { State } from '../state/state.ts';
import { openAccount } from './money.ts';
import { checkFreeMoney } from '../ledger/free-money.ts';
import { holdWithdrawal, ownerOf, payWithdrawal, returnWithdrawal } from '../ledger/withdrawals.ts';
import type { Account } from '../state/account.ts';
import type { WithdrawalChanged } from '../messages/event.ts';

/**
 * From here on money comes from these contracts. What was credited before stays known: the operator
 * may go back to a chain, and its deposits must not count twice (R-deposit).
 */
export function openBridge(execution: Execution, command: OpenBridgeCommand): CommandResult {
  const { commandIndex, events, state } = execution;
  const { bridge: contract, chainId, token } = command;
  const known = state.bridge;
  if (known === undefined) {
    state.bridge = createBridge({ chainId, contract, token });
  } else {
    const isSame = known.chainId === chainId && known.contract === contract;
    if (isSame && known.token === token) return {};
    if (!isSame) {
      // Blocks of another chain, or of another bridge, cannot be compared with these.
      known.cursor = NO_PLACE;
      known.bookedBlock = NO_PLACE.blockNumber;
      known.reserves = undefined;
    }
    known.chainId = chainId;
    known.contract = contract;
    known.token = token;
  }
  state.digest.number(chainId);
  state.digest.text(contract);
  state.digest.text(token);
  events.push({ type: 'bridgeOpened', commandIndex, chainId, bridge: contract, token });
  return {};
}

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

/** Sets money aside for the bridge to pay (R-withdraw). */
export function withdraw(
  execution: Execution,
  account: Account,
  command: WithdrawCommand,
): CommandResult {
  const { state } = execution;
  const reject = checkWithdraw(state, account, command);
  if (reject !== undefined) return { account: account.address, reject };
  const withdrawal = holdWithdrawal(state, account, {
    amount: microUsdc(command.amountMicroUsdc),
    fee: microUsdc(parametersOf(state).withdrawFeeMicroUsdc),
    destination: command.destination,
    nonce: command.authority.nonce,
  });
  emitWithdrawal(execution, withdrawal, 'pending');
  return { account: account.address };
}

/** Judges a withdrawal: where to, the decimals of the amount, its minimum, the free money. Changes nothing. */
export function checkWithdraw(
  state: State,
  account: Account,
  command: WithdrawCommand,
): Reject | undefined {
  const { destination } = command;
  // Paid there, nobody could ever claim it (R-transfer).
  const { bridge } = state;
  const isLost =
    destination === ZERO_ADDRESS ||
    destination === bridge?.contract ||
    destination === bridge?.token;
  if (isLost) return { reason: 'addressInvalid', address: destination };
  const { withdrawFeeMicroUsdc, withdrawMinMicroUsdc } = parametersOf(state);
  const amount = microUsdc(command.amountMicroUsdc);
  if (command.amountInexact === true) return { reason: 'amountInexact', floor: amount };
  // The fee comes out of the amount, so the amount has to hold it.
  const min = maxUsdc(microUsdc(withdrawMinMicroUsdc), microUsdc(withdrawFeeMicroUsdc));
  if (amount < min) return { reason: 'withdrawBelowMin', min };
  return checkFreeMoney(state, account, 'perp', amount);
}

/**
 * Ends a withdrawal: paid and gone, or returned to the account (R-withdraw). A bridge may tell the
 * same twice, after a crash for example: of what is settled nothing is settled again.
 */
export function settleWithdrawal(
  execution: Execution,
  { blockNumber, error, paid, txHash, withdrawalId }: SettleWithdrawalCommand,
): CommandResult {
  const { state } = execution;
  const withdrawal = state.withdrawals.get(withdrawalId);
  if (withdrawal === undefined) return {};
  if (paid) payWithdrawal(state, withdrawal);
  else returnWithdrawal(state, withdrawal);
  const { bridge } = state;
  if (bridge !== undefined && blockNumber !== undefined) {
    bridge.bookedBlock = Math.max(bridge.bookedBlock, blockNumber);
  }
  emitWithdrawal(execution, withdrawal, paid ? 'completed' : 'failed', { txHash, error });
  return { account: ownerOf(state, withdrawal).address };
}

/** Tells how far a withdrawal is. */
function emitWithdrawal(
  { commandIndex, events, state }: Execution,
  withdrawal: Withdrawal,
  status: WithdrawalChanged['status'],
  { error, txHash }: End = {},
): void {
  const { amount, destination, fee, nonce, withdrawalId } = withdrawal;
  events.push({
    type: 'withdrawalChanged',
    commandIndex,
    account: ownerOf(state, withdrawal).address,
    withdrawalId,
    status,
    amount,
    fee,
    destination,
    nonce,
    ...(txHash === undefined ? {} : { txHash }),
    ...(error === undefined ? {} : { error }),
  });
}

type End = { readonly [Key in 'txHash' | 'error']?: WithdrawalChanged[Key] | undefined };

/**
 * R-limits-of-state: opening the account of a relay's address costs nothing, and nobody makes it an
 * agent before (R-agents). An address that has an account needs no note; of those without, the ones
 * that were named last are kept.
 */
export function registerPegs(
  { state }: Execution,
  { addresses }: RegisterPegsCommand,
): CommandResult {
  const { accountIndex, bridge, digest } = state;
  if (bridge === undefined) return { reject: NO_BRIDGE };
  for (const address of addresses.slice(0, LIMITS.pegsPerCommand)) {
    if (accountIndex.has(address)) continue;
    bridge.pegs.delete(address);
    bridge.pegs.set(address, true);
    digest.text(address);
    const [oldest] = bridge.pegs.keys();
    if (bridge.pegs.size > LIMITS.pegsKept && oldest !== undefined) bridge.pegs.delete(oldest);
  }
  return {};
}

/** What needs a bridge and finds none. */
const NO_BRIDGE: Reject = {
  reason: 'definitionInvalid',
  field: 'bridge',
  why: 'no bridge is open',
};

/** Records what is owed and what is held in the log. A publication never goes back (R-terms). */
export function publishReserves(
  { commandIndex, events, state }: Execution,
  command: PublishReservesCommand & OfTerm,
): CommandResult {
  const { bridge, digest, timeMs } = state;
  if (bridge === undefined) return { reject: NO_BRIDGE };
  const reject = checkOrder(command, bridge.reserves);
  if (reject !== undefined) return { reject };
  const { term: _, type: __, ...published } = command;
  bridge.reserves = { ...published, publishedMs: timeMs };
  digest.text(published.root);
  for (const value of [
    published.height,
    published.leaves,
    published.liabilitiesMicroUsdc,
    published.shortfallMicroUsdc,
    published.blockNumber,
    published.assetsMicroUsdc,
    published.keptAsideMicroUsdc,
    published.unsettledMicroUsdc,
    published.unbackedMicroUsdc,
  ]) {
    digest.number(value);
  }
  events.push({ type: 'reservesPublished', commandIndex, ...published });
  return {};
}

/** The settlement chain may rest between two publications, so an equal block number is accepted. */
function checkOrder(
  { blockNumber, height }: PublishReservesCommand,
  last: Reserves | undefined,
): Reject | undefined {
  if (last === undefined) return undefined;
  if (height <= last.height) {
    const why = `reserves of height ${last.height} are published already`;
    return { reason: 'definitionInvalid', field: 'height', why };
  }
  if (blockNumber >= last.blockNumber) return undefined;
  const why = `reserves of chain block ${last.blockNumber} are published already`;
  return { reason: 'definitionInvalid', field: 'blockNumber', why };
}
