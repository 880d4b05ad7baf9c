import type {
  AssetPosition,
  ClearinghouseState,
  Fill,
  FundingRow,
  LedgerUpdate,
  Withdrawal,
} from '@oddlot/sdk';
import { type BaseExchange, type Dict, Precise } from 'ccxt';
import { feeOf, given, marketIn, sideOf, timeOf, USDC } from './parts.ts';

/** Returns a sub-account's balance. The equity includes unrealised profits. */
export function balanceOf(exchange: BaseExchange, state: ClearinghouseState): Dict {
  const { marginSummary, time, withdrawable } = state;
  return exchange.safeBalance({
    info: state,
    ...timeOf(exchange, time),
    [USDC]: { total: marginSummary.accountValue, free: withdrawable },
  });
}

/** Returns the outcome sub-account's USDC, without the value of its shares. */
export function freeBalanceOf(exchange: BaseExchange, state: ClearinghouseState): Dict {
  const { marginSummary, time, withdrawable } = state;
  return exchange.safeBalance({
    info: state,
    ...timeOf(exchange, time),
    [USDC]: { total: marginSummary.totalRawUsd, free: withdrawable },
  });
}

/** Returns a perp position in ccxt's format. */
export function positionOf(exchange: BaseExchange, row: AssetPosition): Dict {
  const { position, tpsl, type } = row;
  const { entryPx, leverage, liquidationPx, marginUsed, markPx, positionValue, szi } = position;
  const market = marketIn(exchange, position);
  const number = (text: string | undefined): number | undefined => exchange.parseNumber(text);
  const isIsolated = leverage.type === 'Isolated';
  const [exits] = tpsl;
  const percentage = Precise.stringMul(position.returnOnEquity, '100');
  return exchange.safePosition({
    id: undefined,
    symbol: market?.symbol,
    ...timeOf(exchange, position.updateTime),
    lastUpdateTimestamp: position.updateTime,
    isolated: isIsolated,
    hedged: type === 'Hedge',
    side: Precise.stringGt(szi, '0') ? 'long' : 'short',
    contracts: number(Precise.stringAbs(szi)),
    contractSize: 1,
    entryPrice: number(entryPx),
    markPrice: number(markPx),
    lastPrice: undefined,
    notional: number(positionValue),
    leverage: leverage.value,
    collateral: number(isIsolated ? marginUsed : undefined),
    initialMargin: number(marginUsed),
    initialMarginPercentage: number(Precise.stringDiv('1', String(leverage.value), 6)),
    maintenanceMargin: undefined,
    maintenanceMarginPercentage: undefined,
    unrealizedPnl: number(position.unrealizedPnl),
    realizedPnl: number(position.closedPnl),
    liquidationPrice: number(given(liquidationPx)),
    marginRatio: undefined,
    marginMode: isIsolated ? 'isolated' : 'cross',
    percentage: number(percentage),
    stopLossPrice: number(given(exits?.slTriggerPrice)),
    takeProfitPrice: number(given(exits?.tpTriggerPrice)),
    info: row,
  });
}

/** Returns an account's fill as a ccxt trade. Its fee includes the builder fee. */
export function fillOf(exchange: BaseExchange, row: Fill): Dict {
  const market = marketIn(exchange, row);
  const cost = row.builderFee === undefined ? row.fee : Precise.stringAdd(row.fee, row.builderFee);
  const trade = {
    id: String(row.tid),
    ...timeOf(exchange, row.time),
    symbol: market?.symbol,
    order: row.oid === 0 ? undefined : String(row.oid),
    type: undefined,
    side: sideOf(row.side),
    takerOrMaker: row.crossed === null ? undefined : row.crossed ? 'taker' : 'maker',
    price: row.px,
    amount: row.sz,
    cost: undefined,
    fee: feeOf(exchange, cost),
    info: row,
  };
  return exchange.safeTrade(trade, market);
}

/** Returns a funding payment in ccxt's format; a positive amount was received. */
export function fundingOf(exchange: BaseExchange, row: FundingRow): Dict {
  return {
    symbol: marketIn(exchange, row)?.symbol,
    code: USDC,
    ...timeOf(exchange, row.time),
    id: `${row.time}-${row.coin}`,
    amount: exchange.parseNumber(row.amount),
    rate: exchange.parseNumber(row.fundingRate),
    info: row,
  };
}

/** A ledger row's kind and direction in ccxt. */
type LedgerKind = readonly [type: string, direction: 'in' | 'out'];

const LEDGER_KINDS: Readonly<Record<string, LedgerKind>> = {
  deposit: ['transaction', 'in'],
  faucet: ['transaction', 'in'],
  withdraw: ['transaction', 'out'],
  send: ['transfer', 'out'],
  receive: ['transfer', 'in'],
  builderRewardsClaim: ['rebate', 'in'],
  outcomeSplit: ['trade', 'out'],
  outcomeMerge: ['trade', 'in'],
  outcomeSettlement: ['trade', 'in'],
};

const WITHDRAWAL_STATUSES: Readonly<Record<string, string>> = {
  held: 'pending',
  signed: 'pending',
  sent: 'pending',
  pending: 'pending',
  confirmed: 'ok',
  completed: 'ok',
  returned: 'failed',
  failed: 'failed',
};

type Delta = LedgerUpdate['delta'] & {
  readonly amount?: string;
  readonly closedPnl?: string;
  readonly fee?: string;
  readonly status?: string;
  readonly fromAccountType?: string;
  readonly toAccountType?: string;
  readonly user?: string;
  readonly destination?: string;
};

/**
 * Returns one sub-account's ledger row in ccxt's format. Liquidation steps do not themselves change
 * the balance, so they are omitted.
 */
export function ledgerEntryOf(
  exchange: BaseExchange,
  row: LedgerUpdate,
  account: string,
): Dict | undefined {
  const delta = row.delta as Delta;
  const kind = kindOf(delta, account);
  const amount = delta.amount ?? delta.closedPnl;
  if (kind === undefined || amount === undefined) return undefined;
  const [type, direction] = kind;
  return exchange.safeLedgerEntry(
    {
      id: `${row.hash}-${delta.type}`,
      ...timeOf(exchange, row.time),
      direction,
      account,
      referenceId: row.hash,
      referenceAccount: direction === 'out' ? delta.destination : delta.user,
      type,
      currency: USDC,
      amount: Precise.stringAbs(amount),
      status: WITHDRAWAL_STATUSES[delta.status ?? 'completed'],
      fee: delta.fee === undefined ? undefined : feeOf(exchange, delta.fee),
      info: row,
    },
    exchange.currency(USDC),
  );
}

function kindOf(delta: Delta, account: string): LedgerKind | undefined {
  if (delta.type === 'accountTransfer') {
    return ['transfer', delta.fromAccountType === account ? 'out' : 'in'];
  }
  if (delta.type === 'adl') {
    return ['trade', Precise.stringLt(delta.closedPnl ?? '0', '0') ? 'out' : 'in'];
  }
  return LEDGER_KINDS[delta.type];
}

/** Returns a ledger row as a ccxt transfer; undefined for other rows. */
export function transferOf(exchange: BaseExchange, row: LedgerUpdate): Dict | undefined {
  const { amount, destination, fromAccountType, toAccountType, type, user } = row.delta as Delta;
  if (!['accountTransfer', 'send', 'receive'].includes(type)) return undefined;
  const isOwn = type === 'accountTransfer';
  return {
    id: row.hash,
    ...timeOf(exchange, row.time),
    currency: USDC,
    amount: exchange.parseNumber(amount),
    fromAccount: isOwn || type === 'send' ? fromAccountType : user,
    toAccount: isOwn || type === 'receive' ? toAccountType : destination,
    status: 'ok',
    info: row,
  };
}

/** The fields of a transaction that the venue does not have. */
const NO_TAGS = {
  tag: undefined,
  tagFrom: undefined,
  tagTo: undefined,
  comment: undefined,
  network: undefined,
};

/** Returns a deposit or a grant of test funds as a ccxt transaction. */
export function depositOf(exchange: BaseExchange, row: LedgerUpdate, user: string): Dict {
  const { amount, type } = row.delta as Delta;
  return {
    id: row.hash,
    txid: row.hash,
    ...timeOf(exchange, row.time),
    ...NO_TAGS,
    address: user,
    addressFrom: undefined,
    addressTo: user,
    type: 'deposit',
    amount: exchange.parseNumber(amount),
    currency: USDC,
    status: 'ok',
    updated: row.time,
    internal: type === 'faucet',
    fee: undefined,
    info: row,
  };
}

/** Returns a withdrawal as a ccxt transaction. The amount includes the fee. */
export function withdrawalOf(exchange: BaseExchange, row: Withdrawal): Dict {
  return {
    id: String(row.id),
    txid: given(row.txHash),
    ...timeOf(exchange, row.time),
    ...NO_TAGS,
    address: row.destination,
    addressFrom: undefined,
    addressTo: row.destination,
    type: 'withdrawal',
    amount: exchange.parseNumber(row.amount),
    currency: USDC,
    status: WITHDRAWAL_STATUSES[row.status],
    updated: row.updateTime,
    internal: false,
    fee: { cost: exchange.parseNumber(row.fee), currency: USDC },
    info: row,
  };
}
