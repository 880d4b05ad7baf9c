import type {
  FeeTierInfo,
  FundingHistoryRow,
  L2Book,
  Liquidation,
  OpenInterestRow,
  PerpMeta,
  PerpMetaDetail,
  Settings,
  Ticker,
  Trade,
} from '@oddlot/sdk';
import { type BaseExchange, type Dict, type Market, Precise } from 'ccxt';
import { given, marketIn, sideOf, timeOf, USDC } from './parts.ts';

const HOUR_MS = 3_600_000;

/** Returns a perp as a ccxt market. The fee rates are the lowest tier's. */
export function perpMarket(exchange: BaseExchange, perp: PerpMeta, fees: FeeTierInfo): Dict {
  const { baseCurrency: base, basePrecision, index, maxLeverage, priceTick } = perp;
  const [tier] = fees.tiers;
  const number = (text: string | undefined): number | undefined => exchange.parseNumber(text);
  const lot = number(basePrecision);
  return exchange.safeMarketStructure({
    id: String(index),
    symbol: `${base}/${USDC}:${USDC}`,
    base,
    quote: USDC,
    settle: USDC,
    baseId: base,
    quoteId: USDC,
    settleId: USDC,
    type: 'swap',
    spot: false,
    margin: false,
    swap: true,
    future: false,
    option: false,
    active: !perp.haltTrading && !perp.delisted,
    contract: true,
    linear: true,
    inverse: false,
    subType: 'linear',
    taker: number(tier?.perpTakerFeeRate),
    maker: number(tier?.perpMakerFeeRate),
    contractSize: 1,
    precision: { amount: lot, price: number(priceTick) },
    limits: {
      leverage: { min: 1, max: maxLeverage },
      amount: { min: lot, max: perp.maxLimitOrderSize },
      price: { min: number(priceTick), max: undefined },
      cost: { min: undefined, max: undefined },
    },
    marginModes: { cross: !perp.onlyIsolated, isolated: true },
    info: perp,
  });
}

/** Returns USDC and the base assets of perps as ccxt currencies. */
export function currenciesOf(
  exchange: BaseExchange,
  perps: readonly PerpMeta[],
  settings: Settings,
): Dict {
  const bases = perps.map(({ baseCurrency: id, basePrecision }) =>
    exchange.safeCurrencyStructure({
      id,
      code: id,
      name: id,
      type: 'crypto',
      active: true,
      deposit: false,
      withdraw: false,
      precision: exchange.parseNumber(basePrecision),
      info: { id },
    }),
  );
  const all = [...bases, usdcOf(exchange, settings)];
  return Object.fromEntries(all.map((currency) => [String(currency['code']), currency]));
}

/** The scale of `min_deposit`, which is in micro-USDC. */
const MICRO = '1000000';

function usdcOf(exchange: BaseExchange, settings: Settings): Dict {
  const number = (text: string): number | undefined => exchange.parseNumber(text);
  const hasBridge = !/^0x0*$/.test(settings.bridge2_contract_address);
  const limits = {
    deposit: { min: number(Precise.stringDiv(settings.min_deposit, MICRO)), max: undefined },
    withdraw: { min: number(settings.min_withdraw), max: undefined },
  };
  const network = {
    id: String(settings.settlement_chain_id),
    network: String(settings.settlement_chain_id),
    active: hasBridge,
    deposit: hasBridge,
    withdraw: hasBridge,
    fee: number(settings.withdraw_fee),
    precision: number('0.000001'),
    limits,
    info: settings,
  };
  return exchange.safeCurrencyStructure({
    id: USDC,
    code: USDC,
    name: 'USD Coin',
    type: 'crypto',
    active: true,
    deposit: hasBridge,
    withdraw: hasBridge,
    fee: number(settings.withdraw_fee),
    precision: number('0.000001'),
    limits: { ...limits, amount: { min: undefined, max: undefined } },
    networks: { [network.network]: network },
    info: settings,
  });
}

/** Returns a row from the tickers stream as a ccxt ticker. */
export function tickerOf(exchange: BaseExchange, row: Ticker, book?: L2Book): Dict {
  const market = marketIn(exchange, row);
  const [bid, ask] = [book?.levels[0][0], book?.levels[1][0]];
  const ticker = {
    symbol: market?.symbol,
    ...timeOf(exchange, row.time),
    high: given(row.high24h),
    low: given(row.low24h),
    bid: bid?.px,
    bidVolume: bid?.sz,
    ask: ask?.px,
    askVolume: ask?.sz,
    open: given(row.prevDayPx),
    last: given(row.lastPx),
    close: given(row.lastPx),
    previousClose: undefined,
    baseVolume: row.dayBaseVlm,
    quoteVolume: row.dayNtlVlm,
    markPrice: given(row.markPx),
    indexPrice: given(row.oraclePx),
    info: row,
  };
  return exchange.safeTicker(ticker, market);
}

/** Returns a public trade in ccxt's format. */
export function tradeOf(exchange: BaseExchange, row: Trade): Dict {
  const market = marketIn(exchange, row);
  const trade = {
    id: String(row.tid),
    ...timeOf(exchange, row.time),
    symbol: market?.symbol,
    order: undefined,
    type: undefined,
    side: sideOf(row.side),
    takerOrMaker: undefined,
    price: row.px,
    amount: row.sz,
    cost: undefined,
    fee: undefined,
    info: row,
  };
  return exchange.safeTrade(trade, market);
}

/** Returns the projected funding rate for the current hour in ccxt's format. */
export function fundingRateOf(exchange: BaseExchange, row: Ticker): Dict {
  const fundingTimestamp = (Math.floor(row.time / HOUR_MS) + 1) * HOUR_MS;
  return {
    symbol: marketIn(exchange, row)?.symbol,
    ...timeOf(exchange, row.time),
    markPrice: exchange.parseNumber(given(row.markPx)),
    indexPrice: exchange.parseNumber(given(row.oraclePx)),
    interestRate: undefined,
    estimatedSettlePrice: undefined,
    fundingRate: exchange.parseNumber(row.funding),
    fundingTimestamp,
    fundingDatetime: exchange.iso8601(fundingTimestamp),
    nextFundingRate: undefined,
    nextFundingTimestamp: undefined,
    nextFundingDatetime: undefined,
    previousFundingRate: undefined,
    previousFundingTimestamp: undefined,
    previousFundingDatetime: undefined,
    interval: '1h',
    info: row,
  };
}

export function fundingRateHistoryOf(
  exchange: BaseExchange,
  row: FundingHistoryRow,
  market: Market,
): Dict {
  return {
    symbol: market.symbol,
    fundingRate: exchange.parseNumber(row.fundingRate),
    ...timeOf(exchange, row.time),
    info: row,
  };
}

type InterestRow = Pick<OpenInterestRow, 'markPx' | 'openInterest' | 'time'>;

/** Returns the open interest, valued at the mark. */
export function openInterestOf(exchange: BaseExchange, row: InterestRow, market?: Market): Dict {
  const mark = given(row.markPx);
  const value = mark === undefined ? undefined : Precise.stringMul(row.openInterest, mark);
  return {
    symbol: market?.symbol,
    baseVolume: undefined,
    quoteVolume: undefined,
    openInterestAmount: exchange.parseNumber(row.openInterest),
    openInterestValue: exchange.parseNumber(value),
    ...timeOf(exchange, row.time),
    info: row,
  };
}

type Instrument = PerpMetaDetail['instruments'][number];

/** Returns a perp's margin tiers in ccxt's format. */
export function leverageTiersOf(exchange: BaseExchange, { marginTable }: Instrument): Dict[] {
  const market = marketIn(exchange, marginTable);
  return marginTable.tiers.map((tier) => ({
    tier: tier.tier,
    symbol: market?.symbol,
    currency: market?.base,
    minNotional: exchange.parseNumber(tier.minSize),
    maxNotional: exchange.parseNumber(tier.maxSize),
    maintenanceMarginRate: exchange.parseNumber(tier.mmr),
    maxLeverage: tier.maxLeverage,
    info: tier,
  }));
}

type Rates = { readonly perpMakerFeeRate: string; readonly perpTakerFeeRate: string };

/** Returns an account's fee rates on a perp: the lower of the tier rate and the perp rate. */
export function tradingFeeOf(exchange: BaseExchange, { perp }: Instrument, rates: Rates): Dict {
  const lower = (a: string, b: string): string => (Precise.stringLt(a, b) ? a : b);
  return {
    symbol: marketIn(exchange, { instrumentId: perp.instrumentId })?.symbol,
    maker: exchange.parseNumber(lower(perp.makerFeeRate, rates.perpMakerFeeRate)),
    taker: exchange.parseNumber(lower(perp.takerFeeRate, rates.perpTakerFeeRate)),
    percentage: true,
    tierBased: true,
    info: { perp, rates },
  };
}

export function liquidationOf(exchange: BaseExchange, row: Liquidation): Dict {
  return {
    symbol: marketIn(exchange, row)?.symbol,
    contracts: exchange.parseNumber(row.sz),
    contractSize: 1,
    price: exchange.parseNumber(row.px),
    side: sideOf(row.side),
    baseValue: exchange.parseNumber(row.sz),
    quoteValue: exchange.parseNumber(row.ntl),
    ...timeOf(exchange, row.time),
    info: row,
  };
}
