/** The frames of /ws-rtds, which follow a convention of their own. */

/** The topics, with what their prices are; an alias is served under the name that was asked for. */
export const RTDS_TOPICS = {
  crypto_prices: 'spot',
  crypto_prices_oracle: 'oracle',
  crypto_prices_chainlink: 'oracle',
  crypto_prices_twap_thirty: 'twap30',
  crypto_prices_twap_sixty: 'twap60',
} as const;

/** The name of a topic. */
export type RtdsTopic = keyof typeof RTDS_TOPICS;

/** What a topic carries: one source's prices as they come, or their averages over so many seconds. */
export type RtdsSeries = (typeof RTDS_TOPICS)[RtdsTopic];

/** One entry of a subscribe or unsubscribe frame. */
export type RtdsSubscription = {
  topic: RtdsTopic;
  type: 'update' | '*';
  /** JSON text, `{"symbol":"btc/usd"}`; empty or absent means all symbols. */
  filters?: string;
};

/** What a client sends, besides the bare word PING. */
export type RtdsClientFrame = {
  action: 'subscribe' | 'unsubscribe';
  subscriptions: RtdsSubscription[];
};

/** A price. */
export type RtdsUpdateFrame = {
  topic: RtdsTopic;
  type: 'update';
  /** When it was sent. */
  timestamp: number;
  payload: {
    symbol: string;
    /** When it was observed. */
    timestamp: number;
    value: number;
    /** The value × 10^18, an integer as text. */
    full_accuracy_value: string;
  };
  connection_id: string;
};

/** The last minute of one symbol, for those who subscribed to it alone. */
export type RtdsDumpFrame = {
  topic: RtdsTopic;
  type: 'subscribe';
  timestamp: number;
  payload: { symbol: string; data: { timestamp: number; value: number }[] };
  connection_id: string;
};

/** Why a frame or one of its entries was not served. */
export type RtdsErrorFrame = {
  topic: string;
  type: 'error';
  payload: { message: string; code?: string };
};
