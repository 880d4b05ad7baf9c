import type {
  Deleveraged,
  EngineEvent,
  FundSettled,
  LiquidationStep,
  SharesOperated,
  SharesSettled,
  State,
  SubAccount,
  TokenSent,
  TreasurySent,
  WithdrawalChanged,
} from '@oddlot/engine';
import type { LedgerDelta, LedgerUpdate } from '@oddlot/protocol';
import { type Address, formatMoney, type Hash, negUsdc, present, ZERO_USDC } from '@oddlot/units';
import type { AppliedBlock } from '@oddlot/replica/block';
import { instrumentLookup } from './instruments.ts';
import { causeHash } from './event-to-stream.ts';
import { formatPrice, formatSize, type Scale } from './format.ts';
import { findPerp } from './info/info-context.ts';

/** A row in an account's ledger and the sub-account it affects. */
export type LedgerEntry = {
  readonly accountType: SubAccount;
  /** The second sub-account, for a row that affects both. */
  readonly alsoIn?: SubAccount;
  /** Set for a withdrawal, because its status changes later. */
  readonly withdrawalId?: number;
  readonly row: LedgerUpdate;
};

type Entry = Omit<LedgerEntry, 'row'> & { readonly user: Address; readonly delta: LedgerDelta };

/** Returns the ledger rows of an event: none, one, or one for each of two accounts. */
export function ledgerEntries(
  state: State,
  block: AppliedBlock,
  event: EngineEvent,
): readonly { readonly user: Address; readonly entry: LedgerEntry }[] {
  const found = entriesOf(state, event);
  if (found.length === 0) return NONE;
  const hash = ownHash(event) ?? causeHash(block, event.commandIndex);
  return found.map(({ user, delta, ...rest }) => ({
    user,
    entry: { ...rest, row: { time: block.timeMs, hash, delta } },
  }));
}

/**
 * Returns the hash for events not caused by their own block: a resolution, or a settlement chain
 * transaction.
 */
function ownHash(event: EngineEvent): Hash | undefined {
  if (event.type === 'sharesSettled') return event.txHash;
  return event.type === 'depositCredited' ? event.source.txHash : undefined;
}

function entriesOf(state: State, event: EngineEvent): readonly Entry[] {
  switch (event.type) {
    case 'liquidationStep':
      return [{ user: event.account, accountType: 'perp', delta: liquidation(state, event) }];
    case 'deleveraged':
      return [{ user: event.account, accountType: 'perp', delta: deleverage(state, event) }];
    case 'faucetCredited': {
      const { account: user, subAccount: accountType } = event;
      return [{ user, accountType, delta: { type: 'faucet', ...usdc(event.amount) } }];
    }
    case 'depositCredited': {
      const delta = { type: 'deposit', ...usdc(event.amount) } as const;
      return [{ user: event.account, accountType: 'perp', delta }];
    }
    case 'builderRewardsClaimed': {
      const delta = { type: 'builderRewardsClaim', ...usdc(event.amount) } as const;
      return [{ user: event.account, accountType: 'perp', delta }];
    }
    case 'sharesOperated':
      return [{ user: event.account, accountType: 'outcome', delta: operation(state, event) }];
    case 'sharesSettled':
      return [{ user: event.account, accountType: 'outcome', delta: settlement(state, event) }];
    case 'tokenSent':
      return event.account === event.destination ? [ownTransfer(event)] : transfer(event);
    case 'treasurySent':
      return [fromTreasury(event)];
    case 'fundSettled':
      return withFund(event);
    case 'withdrawalChanged':
      return event.status === 'pending' ? [withdrawal(event)] : NONE;
    default:
      return NONE;
  }
}

/** This array is shared by all events without a row, which are most events. */
const NONE: readonly never[] = [];

/** Builds a single row that appears under both sub-accounts. */
function ownTransfer({ account, amount, from, to }: TokenSent): Entry {
  const types = { fromAccountType: from, toAccountType: to };
  const delta = { type: 'accountTransfer', ...usdc(amount), ...types } as const;
  return { user: account, accountType: from, alsoIn: to, delta };
}

/**
 * Builds the rows of both accounts. Only the sender's row includes the fee, so the amounts and fees
 * in each ledger add up to the change in its balance.
 */
function transfer({
  account,
  amount,
  destination,
  fee,
  from,
  to,
}: Omit<TokenSent, 'type' | 'commandIndex'>): readonly Entry[] {
  const parties = { user: account, destination };
  const types = { fromAccountType: from, toAccountType: to };
  const moved = usdc(amount);
  return [
    {
      user: account,
      accountType: from,
      delta: { type: 'send', ...moved, ...parties, fee: formatMoney(fee), ...types },
    },
    {
      user: destination,
      accountType: to,
      delta: { type: 'receive', ...moved, ...parties, fee: '0', ...types },
    },
  ];
}

/**
 * Builds the rows for a payment between an account and the insurance fund, which receives the
 * surplus of a liquidation and pays a deficit.
 */
function withFund({ account, amount, fund }: FundSettled): readonly Entry[] {
  const perp = { fee: ZERO_USDC, from: 'perp', to: 'perp' } as const;
  return amount < 0n
    ? transfer({ account, destination: fund, amount: negUsdc(amount), ...perp })
    : transfer({ account: fund, destination: account, amount, ...perp });
}

/** The treasury has no address, so it is shown as the zero address. */
const TREASURY = `0x${'0'.repeat(40)}`;

function fromTreasury({ account, amount }: TreasurySent): Entry {
  const delta = {
    type: 'receive',
    ...usdc(amount),
    user: TREASURY,
    destination: account,
    fee: '0',
    fromAccountType: 'perp',
    toAccountType: 'perp',
  } as const;
  return { user: account, accountType: 'perp', delta };
}

function withdrawal(event: WithdrawalChanged): Entry {
  const { account, amount, destination, fee, nonce, status, withdrawalId } = event;
  const delta = {
    type: 'withdraw',
    ...usdc(amount),
    fee: formatMoney(fee),
    nonce,
    destination,
    status,
  } as const;
  return { user: account, accountType: 'perp', withdrawalId, delta };
}

/** Returns a withdrawal's row with its new status; its position in the ledger does not change. */
export function settledEntry(
  entry: LedgerEntry,
  { status }: Pick<WithdrawalChanged, 'status'>,
): LedgerEntry {
  const { delta } = entry.row;
  if (delta.type !== 'withdraw') return entry;
  return { ...entry, row: { ...entry.row, delta: { ...delta, status } } };
}

function usdc(amount: bigint): { readonly amount: string; readonly token: 'USDC' } {
  return { amount: formatMoney(amount), token: 'USDC' };
}

/**
 * Builds the row for a liquidation step, with the positions from before the step and the mark of
 * the first position.
 */
function liquidation(state: State, event: LiquidationStep): LedgerDelta {
  const first = event.positions[0]?.instrumentId;
  const perp = first === undefined ? undefined : findPerp(state, first);
  return {
    type: 'liquidation',
    liquidatedNtlPos: formatMoney(event.notional),
    accountValue: formatMoney(event.equity),
    leverageType: event.marginMode === 'isolated' ? 'Isolated' : 'Cross',
    liquidatedPositions: event.positions.map(({ instrumentId, size }) => {
      const { coin, scale } = shown(state, instrumentId);
      return { coin, szi: formatSize(scale, size) };
    }),
    step: event.step,
    markPx: perp === undefined ? '' : formatPrice(perp, event.mark),
    maintenanceMargin: formatMoney(event.maintenance),
  };
}

function deleverage(state: State, event: Deleveraged): LedgerDelta {
  const { coin, scale } = shown(state, event.instrumentId);
  return {
    type: 'adl',
    instrumentId: event.instrumentId,
    coin,
    sz: formatSize(scale, event.size),
    px: formatPrice(scale, event.price),
    closedPnl: formatMoney(event.realised),
  };
}

/** Builds the row for a split or merge, with the amount it locked or returned (R-split-merge). */
function operation(state: State, event: SharesOperated): LedgerDelta {
  const { amount, instrumentId, kind, size } = event;
  return {
    type: kind === 'split' ? 'outcomeSplit' : 'outcomeMerge',
    amount: formatMoney(amount),
    instrumentId,
    sz: formatSize(marketScale(state, instrumentId), size),
  };
}

/** Builds the row for the payout on one outcome (R-settlement). */
function settlement(state: State, event: SharesSettled): LedgerDelta {
  const { amount, fraction, instrumentId, leg, size } = event;
  const scale = marketScale(state, instrumentId);
  return {
    type: 'outcomeSettlement',
    amount: formatMoney(amount),
    instrumentId,
    outcome: leg === 'yes' ? 'Yes' : 'No',
    sz: formatSize(scale, size),
    settlementFraction: formatPrice(scale, fraction),
  };
}

function marketScale(state: State, instrumentId: number): Scale {
  return present(instrumentLookup(() => state)(instrumentId), 'a market that shares are of');
}

function shown(state: State, instrumentId: number) {
  const perp = findPerp(state, instrumentId);
  return { coin: perp?.name ?? String(instrumentId), scale: perp ?? { szDecimals: 0 } };
}
