import type { Leg } from './order-answers.ts';
import { bytesToHex, utf8 } from '../bytes.ts';
import { nobleKeccak } from '../signing/hasher.ts';

/**
 * The trading status of a market or an event. An event is enabled or accepting orders if any of its
 * markets is, halted if all are, and has the longest delay.
 */
export type OutcomeTrading = {
  enabled: boolean;
  accepting_orders: boolean;
  halted: boolean;
  order_delay_ms: number;
};

type ResolutionStatus = 'prepared' | 'resolved';

/**
 * The status of a series market's start price: not known yet, known, or impossible to determine.
 */
export type StrikeStatus = 'pending' | 'fixed' | 'missing';

/** The source that decides a market's result: its series or the operator. */
export type DecidedBy = 'series' | 'operator';

/** An outcome market in discovery, with names in snake case as in the API. */
export type OutcomeMarketMeta = {
  instrument_id: number;
  market_id: string;
  slug: string;
  question: string;
  /** The name of the market within an event that has several markets. */
  group_title: string | null;
  description: string;
  resolution_source: string;
  /** The names of the outcomes YES and NO. */
  outcomes: [string, string];
  event_slug: string;
  start_time: number;
  end_time: number;
  phase: 'upcoming' | 'open' | 'halted' | 'closed' | 'resolved';
  price_tick: string;
  /** The number of decimals in the price tick, for display. */
  price_decimals: number;
  size_decimals: number;
  min_order_size: string;
  max_order_size: string;
  taker_fee_rate: string;
  maker_fee_rate: string;
  /** The exponent of p(1 − p) in the taker fee. */
  fee_exponent: number;
  trading: OutcomeTrading;
  pricing: {
    yes_price: string;
    no_price: string;
    best_bid: string | null;
    best_ask: string | null;
    last_price: string | null;
    change_24h: string;
  };
  volume: { total: string; day: string };
  open_interest: string;
  underlying: {
    symbol: string;
    source: 'spot' | 'oracle' | 'twap';
    price_to_beat: string | null;
    /** The status of the strike; present only for a market in a series. */
    strike_status?: StrikeStatus;
  } | null;
  settlement: {
    resolution_status: ResolutionStatus;
    winning_outcome: Leg | null;
    /** The payout of a YES share. */
    settlement_fraction: string | null;
    /**
     * The party that decides the result; present only for a market in a series, once it is known. A
     * market without enough prices is left to the operator.
     */
    decided_by?: DecidedBy;
    /** The provider's statement, for information only. */
    oracle_outcome: string | null;
    resolved_time: number | null;
  };
};

/** An event with its markets. */
export type OutcomeEventMeta = {
  event_id: number;
  slug: string;
  title: string;
  description: string;
  category: string;
  tags: string[];
  image: string | null;
  icon: string | null;
  series_slug: string | null;
  exchange_id: 1;
  /** True if exactly one of the event's markets resolves to YES. */
  mutually_exclusive: boolean;
  start_time: number;
  end_time: number;
  created_time: number;
  status: 'upcoming' | 'open' | 'closed' | 'resolved';
  trading: OutcomeTrading;
  volume: { total: string; day: string; week: string };
  /** The notional of all resting orders in USDC. */
  liquidity: string;
  open_interest: string;
  settlement: { resolution_status: ResolutionStatus; resolved_time: number | null };
  markets: OutcomeMarketMeta[];
};

/** A page of events. The cursor is null on the last page. */
export type OutcomeEventPage = { events: OutcomeEventMeta[]; next_cursor: string | null };

/** The market data of an outcome market; all prices are YES prices. */
export type OutcomeAssetCtx = {
  instrumentId: number;
  coin: string;
  markPx: string;
  midPx: string | null;
  bestBid: string | null;
  bestAsk: string | null;
  lastPx: string | null;
  prevDayPx: string | null;
  dayNtlVlm: string;
  dayBaseVlm: string;
  totalNtlVlm: string;
  /** The number of pairs of YES and NO shares. */
  openInterest: string;
  spread: string | null;
  time: number;
};

/** The probabilities of YES over time, oldest first. */
export type OutcomeProbability = {
  series: { instrumentId: number; current: string; points: { t: number; p: string }[] }[];
};

/** A market in a series. */
export type OutcomeTimelineItem = {
  eventSlug: string;
  marketSlug: string;
  instrumentId: number;
  startTime: number;
  endTime: number;
  /** The start price of the market, also called the strike. */
  openPrice: string | null;
  /** The average price at the end, used to settle the market. */
  closePrice: string | null;
  strikeStatus: StrikeStatus;
  resolutionStatus: ResolutionStatus;
  decidedBy: DecidedBy;
  winningOutcome: Leg | null;
  probability: string | null;
};

/** A series and its markets, newest start first. */
export type OutcomeSeriesTimeline = {
  seriesSlug: string;
  title: string;
  underlying: string;
  recurrence: '15m' | '1h' | '4h' | '1d';
  /** The length of the window before a start or end over which the reference price is averaged. */
  windowMs: number;
  current: OutcomeTimelineItem | null;
  items: OutcomeTimelineItem[];
  hasMore: boolean;
};

/**
 * A market's resolution record, from which clients can recompute the result. The keys are in this
 * order.
 */
export type OutcomeResolution = {
  instrumentId: number;
  resolutionStatus: ResolutionStatus;
  settlementFraction: string | null;
  winningOutcome: Leg | null;
  resolvedTime: number | null;
  block: number | null;
  by: 'series' | 'operator' | null;
  txHash: string | null;
  oracleOutcome: string | null;
  evidence: string | null;
  inputs: OutcomeResolutionInputs | null;
  /** The Keccak-256 hash of the JSON text of all previous fields; null before the resolution. */
  receiptHash: string | null;
};

/** The inputs used by a series to resolve a market. */
export type OutcomeResolutionInputs = {
  symbol: string;
  source: string;
  windowMs: number;
  /** The averages, rounded half up for display. The result is based on the exact values. */
  strike: string;
  settle: string;
  strikeSamples: { t: number; px: string }[];
  settleSamples: { t: number; px: string }[];
  formula: string;
};

/** The price to beat and the final price of a window. */
export type CryptoPrice = {
  symbol: string;
  source: string;
  openPrice: string | null;
  /** The price at the end of the window, or the latest price before that. */
  closePrice: string | null;
  timestamp: number;
  completed: boolean;
  /** True if samples are missing from the window. */
  incomplete: boolean;
  cached: boolean;
};

/** The reference prices in a period, oldest first. */
export type CryptoPriceHistory = {
  symbol: string;
  source: string;
  data: { timestamp: number; value: string }[];
};

/**
 * Computes the hash of a resolution record: keccak-256 of its JSON text without spaces and without
 * the hash itself. The keys are first put in API order.
 */
export function receiptHash(receipt: Omit<OutcomeResolution, 'receiptHash'>): string {
  const text = JSON.stringify({
    instrumentId: receipt.instrumentId,
    resolutionStatus: receipt.resolutionStatus,
    settlementFraction: receipt.settlementFraction,
    winningOutcome: receipt.winningOutcome,
    resolvedTime: receipt.resolvedTime,
    block: receipt.block,
    by: receipt.by,
    txHash: receipt.txHash,
    oracleOutcome: receipt.oracleOutcome,
    evidence: receipt.evidence,
    inputs: receipt.inputs === null ? null : inOrder(receipt.inputs),
  });
  return bytesToHex(nobleKeccak(utf8(text)));
}

function inOrder(inputs: OutcomeResolutionInputs): OutcomeResolutionInputs {
  const { formula, settle, settleSamples, source, strike, strikeSamples, symbol, windowMs } =
    inputs;
  return {
    symbol,
    source,
    windowMs,
    strike,
    settle,
    strikeSamples: strikeSamples.map(({ t, px }) => ({ t, px })),
    settleSamples: settleSamples.map(({ t, px }) => ({ t, px })),
    formula,
  };
}
