import type { Leg } from './order-answers.ts';
import { bytesToHex, utf8 } from '../bytes.ts';
import { nobleKeccak } from '../signing/hasher.ts';

/** The answers to queries on outcome markets and reference prices. */

/** The live trading gates of a market, or of an event: any, any, all, the longest. */
export type OutcomeTrading = {
  enabled: boolean;
  accepting_orders: boolean;
  halted: boolean;
  order_delay_ms: number;
};

type ResolutionStatus = 'prepared' | 'resolved';

/** For a market of a series: the strike is unknown yet, known, or cannot be determined. */
export type StrikeStatus = 'pending' | 'fixed' | 'missing';

/** How a market is resolved: by its series or by the operator. */
export type DecidedBy = 'series' | 'operator';

/** A market in discovery; snake case on the wire. */
export type OutcomeMarketMeta = {
  instrument_id: number;
  market_id: string;
  slug: string;
  question: string;
  /** Its name within an event of several markets. */
  group_title: string | null;
  description: string;
  resolution_source: string;
  /** The names of YES and NO. */
  outcomes: [string, string];
  event_slug: string;
  start_time: number;
  end_time: number;
  phase: 'upcoming' | 'open' | 'halted' | 'closed' | 'resolved';
  price_tick: string;
  /** Decimals of the tick, for display. */
  price_decimals: number;
  size_decimals: number;
  min_order_size: string;
  max_order_size: string;
  taker_fee_rate: string;
  maker_fee_rate: string;
  /** The power of p(1 − p) in the taker fee. */
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
    /** Only for a market of a series. */
    strike_status?: StrikeStatus;
  } | null;
  settlement: {
    resolution_status: ResolutionStatus;
    winning_outcome: Leg | null;
    /** The payout of a YES share. */
    settlement_fraction: string | null;
    /** Only for a market of a series, once it is known: one without sufficient prices is left to the operator. */
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
  /** Exactly one of its markets resolves YES. */
  mutually_exclusive: boolean;
  start_time: number;
  end_time: number;
  created_time: number;
  status: 'upcoming' | 'open' | 'closed' | 'resolved';
  trading: OutcomeTrading;
  volume: { total: string; day: string; week: string };
  /** Notional of all resting orders. */
  liquidity: string;
  open_interest: string;
  settlement: { resolution_status: ResolutionStatus; resolved_time: number | null };
  markets: OutcomeMarketMeta[];
};

/** A page of events; the cursor is null on the last one. */
export type OutcomeEventPage = { events: OutcomeEventMeta[]; next_cursor: string | null };

/** The current prices of an outcome market, in YES prices. */
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
  /** Complete pairs. */
  openInterest: string;
  spread: string | null;
  time: number;
};

/** YES probabilities over time, oldest first. */
export type OutcomeProbability = {
  series: { instrumentId: number; current: string; points: { t: number; p: string }[] }[];
};

/** A market of a series. */
export type OutcomeTimelineItem = {
  eventSlug: string;
  marketSlug: string;
  instrumentId: number;
  startTime: number;
  endTime: number;
  /** The strike. */
  openPrice: string | null;
  /** The settle value. */
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
  /** The averaging window of the reference price before a start and an end. */
  windowMs: number;
  current: OutcomeTimelineItem | null;
  items: OutcomeTimelineItem[];
  hasMore: boolean;
};

/** The resolution record of a market, from which the result can be recomputed. Its keys have this order. */
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
  /** Keccak-256 of the JSON text of all previous fields; null before the resolution. */
  receiptHash: string | null;
};

/** The inputs of a series resolution. */
export type OutcomeResolutionInputs = {
  symbol: string;
  source: string;
  windowMs: number;
  /** Averages, rounded half up; they are compared unrounded. */
  strike: string;
  settle: string;
  strikeSamples: { t: number; px: string }[];
  settleSamples: { t: number; px: string }[];
  formula: string;
};

/** The price to beat and the final price. */
export type CryptoPrice = {
  symbol: string;
  source: string;
  openPrice: string | null;
  /** At the end, or the latest price before it. */
  closePrice: string | null;
  timestamp: number;
  completed: boolean;
  /** Samples are missing in the window. */
  incomplete: boolean;
  cached: boolean;
};

/** Reference prices of a period, oldest first. */
export type CryptoPriceHistory = {
  symbol: string;
  source: string;
  data: { timestamp: number; value: string }[];
};

/**
 * The hash of a resolution record: keccak-256 of its JSON text without spaces and without the hash
 * itself, in the key order of the API for any order of the given object.
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
