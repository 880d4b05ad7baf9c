import type { Fill, FundingRow, LedgerUpdate, Trade } from '@oddlot/protocol';
import { formatDecimal, MONEY_DECIMALS, parseExact, present } from '@oddlot/units';
import type { Coins } from '../coins.ts';

/** The hash shown for rows that have no transaction. */
const NO_HASH = `0x${'0'.repeat(64)}`;

function amount(text: string | undefined): bigint {
  if (text === undefined || text === '') return 0n;
  return present(parseExact(text, MONEY_DECIMALS), 'an amount of the venue');
}

/** Converts the fills of perps. */
export function fillsOf(coins: Coins, fills: readonly Fill[]): object[] {
  return fills
    .filter(({ instrumentId }) => coins.has(instrumentId))
    .map((fill) => fillOf(coins, fill));
}

/**
 * Converts a fill. The venue reports profit after fees, Hyperliquid before fees; Hyperliquid's fee
 * includes the builder fee.
 */
export function fillOf(coins: Coins, fill: Fill): object {
  const { builderFee, cloid, hash, instrumentId, oid, px, side, startPosition, sz } = fill;
  const fee = amount(fill.fee) + amount(builderFee);
  const isClosing = fill.entryPrice !== undefined;
  const gross = isClosing ? amount(fill.closedPnl) + fee : 0n;
  return {
    coin: coins.nameOf(instrumentId),
    px,
    sz,
    side,
    time: fill.time,
    startPosition,
    dir: directionOf(fill),
    closedPnl: formatDecimal(gross, MONEY_DECIMALS),
    hash,
    oid,
    crossed: fill.crossed ?? true,
    fee: formatDecimal(fee, MONEY_DECIMALS),
    tid: fill.tid === 0 ? idWithoutTrade(fill) : fill.tid,
    feeToken: fill.feeToken,
    twapId: fill.twapId,
    ...(builderFee === undefined ? {} : { builderFee }),
    ...(cloid === undefined || cloid === null ? {} : { cloid }),
  };
}

/**
 * Returns an id for a position that a liquidation transferred without a trade. Clients tell fills
 * apart by id. The id consists of 40 bits of the hash and 12 bits of the perp's id, and is greater
 * than any trade id.
 */
function idWithoutTrade({ hash, instrumentId }: Fill): number {
  const ofHash = Number.parseInt(hash.slice(2, 12), 16);
  return 2 ** 52 + ofHash * 2 ** 12 + (instrumentId % 2 ** 12);
}

function directionOf({ side, startPosition, sz }: Fill): string {
  const start = amount(startPosition);
  const change = side === 'B' ? amount(sz) : -amount(sz);
  const end = start + change;
  if (start === 0n || start > 0n === change > 0n) return end > 0n ? 'Open Long' : 'Open Short';
  if (end === 0n || end > 0n === start > 0n) return start > 0n ? 'Close Long' : 'Close Short';
  return start > 0n ? 'Long > Short' : 'Short > Long';
}

type FundingDelta = {
  readonly coin: string;
  readonly usdc: string;
  readonly szi: string;
  readonly fundingRate: string;
  readonly nSamples: null;
};

export function fundingDelta(coins: Coins, row: FundingRow): FundingDelta {
  const { coin, fundingRate, szi, usdc } = row;
  return { coin: coins.named(coin)?.name ?? coin, usdc, szi, fundingRate, nSamples: null };
}

export function fundingOf(coins: Coins, row: FundingRow): object {
  const delta = { type: 'funding', ...fundingDelta(coins, row) };
  return { time: row.time, hash: NO_HASH, delta };
}

/** Converts a ledger row, or returns undefined if Hyperliquid's ledger has no row of this kind. */
export function ledgerOf(coins: Coins, { delta, hash, time }: LedgerUpdate): object | undefined {
  const translated = ledgerDelta(coins, delta);
  return translated === undefined ? undefined : { time, hash, delta: translated };
}

function ledgerDelta(coins: Coins, delta: LedgerUpdate['delta']): object | undefined {
  switch (delta.type) {
    case 'deposit':
    case 'faucet':
      return { type: 'deposit', usdc: delta.amount };
    case 'withdraw': {
      const { fee, nonce } = delta;
      const net = formatDecimal(amount(delta.amount) - amount(fee), MONEY_DECIMALS);
      return { type: 'withdraw', usdc: net, nonce, fee };
    }
    case 'send':
    case 'receive': {
      const { destination, fee, user: sender } = delta;
      return { type: 'internalTransfer', usdc: delta.amount, user: sender, destination, fee };
    }
    case 'accountTransfer':
      return {
        type: 'accountClassTransfer',
        usdc: delta.amount,
        toPerp: delta.toAccountType === 'perp',
      };
    case 'liquidation': {
      const { accountValue, leverageType, liquidatedNtlPos } = delta;
      const liquidatedPositions = delta.liquidatedPositions.map(({ coin, szi }) => ({
        coin: coins.named(coin)?.name ?? coin,
        szi,
      }));
      return {
        type: 'liquidation',
        liquidatedNtlPos,
        accountValue,
        leverageType,
        liquidatedPositions,
      };
    }
    case 'builderRewardsClaim':
      return { type: 'rewardsClaim', amount: delta.amount, token: 'USDC' };
    case 'outcomeSplit':
    case 'outcomeMerge':
    case 'outcomeSettlement':
    case 'adl':
      return undefined;
  }
}

/** Converts a trade. `users` is the buyer, followed by the seller. */
export function tradeOf(coins: Coins, trade: Trade): object {
  const { hash, instrumentId, px, side, sz, tid, time, users = [NO_USER, NO_USER] } = trade;
  return { coin: coins.nameOf(instrumentId), side, px, sz, time, hash, tid, users };
}

const NO_USER = `0x${'0'.repeat(40)}`;
