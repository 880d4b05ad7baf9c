import {
  type Address,
  addUsdc,
  maxUsdc,
  type MicroUsdc,
  microUsdc,
  timeMs,
  ZERO_USDC,
} from '@oddlot/units';
import { checkDestination, isForBound, releaseAgent, ZERO_ADDRESS } from '../auth/agents.ts';
import { checkFreeMoney } from '../ledger/free-money.ts';
import { postDeposit, postFromTreasury, postOpeningFee, postTransfer } from '../ledger/post.ts';
import { holdWithdrawal, ownerOf, payWithdrawal, returnWithdrawal } from '../ledger/withdrawals.ts';
import type { PublishReservesCommand } from '../messages/command.ts';
import type { WithdrawalChanged } from '../messages/event.ts';
import { LIMITS } from '../messages/limits.ts';
import type { Reject } from '../messages/reject.ts';
import { insuranceFund, insuranceTarget } from '../perp/insurance-fund.ts';
import { accountValue } from '../perp/margin.ts';
import { type Account, createAccount } from '../state/account.ts';
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
import { accountAt, type State } from '../state/state.ts';
import { BY_OWN_KEY, checkedAtExecution, type CommandTable } from './command-row.ts';

export const MONEY_COMMANDS = {
  /**
   * Moves free money between an account's sub-accounts or to another account (R-transfer). If the
   * recipient has no account, it is opened for a fee in addition to the amount (R-account,
   * R-limits-of-state).
   */
  sendToken: {
    ...BY_OWN_KEY,
    check(state, account, command) {
      const { destination, from, to, token } = command;
      if (token !== USDC_TOKEN) return { reason: 'tokenUnknown', token };
      const unreachable = checkDestination(state, destination);
      if (unreachable !== undefined) return unreachable;
      const amount = microUsdc(command.amountMicroUsdc);
      if (command.amountInexact === true) return { reason: 'amountInexact', floor: amount };
      const min = leastAmount(state, destination);
      if (amount < min) return { reason: 'transferBelowMin', min };
      if (destination === account.address && from === to) return { reason: 'sameSubAccount' };
      const required = addUsdc(amount, openingFee(state, destination));
      return checkFreeMoney(state, account, from, required);
    },
    execute(execution, account, command) {
      const { commandIndex, events, state } = execution;
      const { destination, from, to } = command;
      const amount = microUsdc(command.amountMicroUsdc);
      const fee = openingFee(state, destination);
      const receiver = openAccount(execution, destination);
      const source = { account, subAccount: from };
      postTransfer(state, source, { account: receiver, subAccount: to }, amount);
      postOpeningFee(state, source, fee);
      events.push({
        type: 'tokenSent',
        commandIndex,
        account: account.address,
        destination,
        amount,
        fee,
        from,
        to,
      });
    },
  },

  /** Holds money until the bridge pays it (R-withdraw). */
  withdraw: {
    ...BY_OWN_KEY,
    check(state, account, command) {
      const { destination } = command;
      // Money paid to these addresses is lost (R-transfer).
      const { bridge } = state;
      const isLost =
        destination === ZERO_ADDRESS ||
        destination === bridge?.contract ||
        destination === bridge?.token;
      if (isLost) return { reason: 'addressInvalid', address: destination };
      const { withdrawFeeMicroUsdc, withdrawMinMicroUsdc } = parametersOf(state);
      const amount = microUsdc(command.amountMicroUsdc);
      if (command.amountInexact === true) return { reason: 'amountInexact', floor: amount };
      // The fee is deducted from the amount, so the amount must be at least as high.
      const min = maxUsdc(microUsdc(withdrawMinMicroUsdc), microUsdc(withdrawFeeMicroUsdc));
      if (amount < min) return { reason: 'withdrawBelowMin', min };
      return checkFreeMoney(state, account, 'perp', amount);
    },
    execute(execution, account, command) {
      const { state } = execution;
      const withdrawal = holdWithdrawal(state, account, {
        amount: microUsdc(command.amountMicroUsdc),
        fee: microUsdc(parametersOf(state).withdrawFeeMicroUsdc),
        destination: command.destination,
        nonce: command.authority.nonce,
      });
      emitWithdrawal(execution, withdrawal, 'pending');
    },
  },

  /**
   * Pays collected fees to the perp balance of an account and opens the account if it is new
   * (R-treasury).
   */
  treasurySend: {
    signedBy: 'admins',
    check(state, command) {
      const unreachable = checkDestination(state, command.destination);
      if (unreachable !== undefined) return unreachable;
      const required = microUsdc(command.amountMicroUsdc);
      if (command.amountInexact === true) return { reason: 'amountInexact', floor: required };
      if (required <= 0n) return { reason: 'transferBelowMin', min: microUsdc(1) };
      if (accountValue(state, insuranceFund(state)) < insuranceTarget(state)) {
        return { reason: 'insuranceBelowTarget' };
      }
      const available = state.treasury;
      if (required <= available) return undefined;
      return { reason: 'balanceInsufficient', required, available };
    },
    execute(execution, command) {
      const { commandIndex, events, state } = execution;
      const amount = microUsdc(command.amountMicroUsdc);
      const receiver = openAccount(execution, command.destination);
      postFromTreasury(state, receiver, amount);
      events.push({ type: 'treasurySent', commandIndex, account: receiver.address, amount });
    },
  },

  /** Pays out test funds; the first payment opens the account (R-account). */
  creditFaucet: {
    signedBy: 'nobody',
    check(state, { account }) {
      return checkDestination(state, account);
    },
    execute(execution, command) {
      const { commandIndex, events, state } = execution;
      const account = openAccount(execution, command.account);
      const amount = microUsdc(command.amountMicroUsdc);
      postDeposit(state, account, command.subAccount, amount);
      events.push({
        type: 'faucetCredited',
        commandIndex,
        account: command.account,
        subAccount: command.subAccount,
        amount,
      });
      return { account: command.account };
    },
  },

  /**
   * Credits a deposit to the perp balance, once per position on the chain (R-deposit); a repeated
   * report has no effect and is not an error. The first deposit opens the account (R-account). A
   * deposit from the address itself ends an agent binding that it has never used (R-agents). If the
   * address stays bound, the deposit is held and is credited when it is reported again after the
   * binding ended.
   */
  creditDeposit: {
    signedBy: 'nobody',
    check(state, command) {
      const { account, amountMicroUsdc, source } = command;
      const { bridge } = state;
      if (bridge?.chainId !== source.chainId) {
        const why =
          bridge === undefined ? 'no bridge is open' : `the bridge is of ${bridge.chainId}`;
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
    },
    execute(execution, command) {
      const { commandIndex, events, state } = execution;
      const { account: address, isOwn, source } = command;
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
    },
  },

  /**
   * Ends a withdrawal as paid, or returns it to the account (R-withdraw). A bridge can report the
   * same withdrawal twice, for example after a crash; the second report has no effect.
   */
  settleWithdrawal: {
    signedBy: 'nobody',
    check: checkedAtExecution,
    execute(execution, { blockNumber, error, paid, txHash, withdrawalId }) {
      const { state } = execution;
      const withdrawal = state.withdrawals.get(withdrawalId);
      if (withdrawal === undefined) return;
      if (paid) payWithdrawal(state, withdrawal);
      else returnWithdrawal(state, withdrawal);
      const { bridge } = state;
      if (bridge !== undefined && blockNumber !== undefined) {
        bridge.bookedBlock = Math.max(bridge.bookedBlock, blockNumber);
      }
      emitWithdrawal(execution, withdrawal, paid ? 'completed' : 'failed', { txHash, error });
      return { account: ownerOf(state, withdrawal).address };
    },
  },

  /**
   * Sets the contracts that receive deposits. Credited deposits of an earlier chain remain
   * recorded, because the operator can return to that chain and its deposits must not be credited
   * twice (R-deposit).
   */
  openBridge: {
    signedBy: 'nobody',
    check: checkedAtExecution,
    execute(execution, command) {
      const { commandIndex, events, state } = execution;
      const { bridge: contract, chainId, token } = command;
      const known = state.bridge;
      if (known === undefined) {
        state.bridge = createBridge({ chainId, contract, token });
      } else {
        const isSame = known.chainId === chainId && known.contract === contract;
        if (isSame && known.token === token) return;
        if (!isSame) {
          // Blocks of another chain or bridge cannot be compared with those of the previous one.
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
    },
  },

  /**
   * Registers relay withdrawal addresses. Opening the account of such an address is free
   * (R-limits-of-state), and it cannot become an agent (R-agents). Addresses that have an account
   * are ignored, and only the newest of the others are kept.
   */
  registerPegs: {
    signedBy: 'nobody',
    check: checkedAtExecution,
    execute({ state }, { addresses }) {
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
      return undefined;
    },
  },

  /**
   * Records liabilities and assets in the log. The height must increase with each publication, and
   * the block must not decrease (R-terms).
   */
  publishReserves: {
    signedBy: 'nobody',
    check: checkedAtExecution,
    execute({ commandIndex, events, state }, command) {
      const { bridge, digest } = state;
      if (bridge === undefined) return { reject: NO_BRIDGE };
      const reject = checkOrder(command, bridge.reserves);
      if (reject !== undefined) return { reject };
      const { term: _, type: __, ...published } = command;
      bridge.reserves = { ...published, publishedMs: state.timeMs };
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
      return undefined;
    },
  },
} satisfies Partial<CommandTable>;

const USDC_TOKEN = 0;

function leastAmount(state: State, destination: Address): MicroUsdc {
  const isKnown = state.accountIndex.has(destination);
  return microUsdc(isKnown ? 1 : Math.max(1, parametersOf(state).openingMinMicroUsdc));
}

function openingFee(state: State, destination: Address): MicroUsdc {
  const isFree =
    state.accountIndex.has(destination) || state.bridge?.pegs.has(destination) === true;
  if (isFree) return ZERO_USDC;
  return microUsdc(parametersOf(state).openingFeeMicroUsdc);
}

/** Returns the account of an address and opens it if it is new. */
export function openAccount(execution: Execution, address: Address): Account {
  const { commandIndex, events, state } = execution;
  const known = accountAt(state, address);
  if (known !== undefined) return known;
  const account = createAccount(state.accounts.length, address, timeMs(state.timeMs));
  state.accounts.push(account);
  state.accountIndex.set(address, account.index);
  state.keyChanges += 1;
  state.bridge?.pegs.delete(address);
  state.digest.text(address);
  events.push({ type: 'accountCreated', commandIndex, account: address });
  return account;
}

/**
 * Records a credited deposit. Only the newest deposits are kept individually (R-limits-of-state).
 * For removed deposits, only the highest position is kept; all deposits up to it count as credited.
 */
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

const NO_BRIDGE: Reject = {
  reason: 'definitionInvalid',
  field: 'bridge',
  why: 'no bridge is open',
};

/**
 * Rejects reserves older than the published ones. An equal block number is accepted, because the
 * settlement chain can be idle between two publications.
 */
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
