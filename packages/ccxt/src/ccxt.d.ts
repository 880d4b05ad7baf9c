/**
 * The declarations of the part of ccxt that this package uses. ccxt is too large to be a dependency
 * of the repository, so the sources are compiled against these declarations, and the client tests
 * run them with the real package. The published declarations refer to ccxt's own.
 */
declare module 'ccxt' {
  /** An object of unknown shape, for which ccxt uses `any`. */
  export type Dict = Record<string, unknown>;

  export type Market = {
    readonly id: string;
    readonly symbol: string;
    readonly base: string;
    readonly precision: { readonly amount: number; readonly price: number };
    readonly info: unknown;
    readonly outcomes?: readonly Outcome[];
  };

  /** One side of an outcome market. */
  export type Outcome = {
    readonly outcome: string;
    readonly outcomeId: string;
    readonly market: string;
    readonly label: string;
    readonly event: string;
    readonly info: unknown;
  };

  export type Client = {
    readonly url: string;
    readonly subscriptions: Record<string, unknown>;
    readonly futures: Record<string, unknown>;
    error: unknown;
    lastPong: number;
    resolve(value: unknown, messageHash: string): void;
    reject(error: unknown, messageHash?: string): void;
    send(message: unknown): Promise<unknown>;
    close(): unknown;
  };

  export type LiveBook = {
    reset(snapshot: unknown): void;
    limit(): LiveBook;
  };

  export class BaseExchange {
    constructor(config?: object);
    id: string;
    url: string;
    network: unknown;
    has: Record<string, boolean | string | undefined>;
    urls: Record<string, unknown>;
    options: Dict;
    timeframes: Record<string, string>;
    markets: Record<string, Market> | undefined;
    clients: Record<string, Client>;
    orderbooks: Record<string, LiveBook>;
    walletAddress: string | undefined;
    privateKey: string | undefined;
    isSandboxModeEnabled: boolean;
    describe(): Dict;
    afterConstruct(): void;
    setSandboxMode(enabled: boolean): void;
    deepExtend(...parts: unknown[]): Dict;
    extend(...parts: unknown[]): Dict;
    omit(from: unknown, keys: string | readonly string[]): Dict;
    safeString(from: unknown, key: string | number, fallback?: string): string | undefined;
    safeStringLower(from: unknown, key: string, fallback?: string): string | undefined;
    safeStringUpper(from: unknown, key: string, fallback?: string): string | undefined;
    safeInteger(from: unknown, key: string, fallback?: number): number | undefined;
    safeBool(from: unknown, key: string, fallback?: boolean): boolean | undefined;
    safeValue(from: unknown, key: string): unknown;
    safeDict(from: unknown, key: string): Dict | undefined;
    parseNumber(text: string | undefined): number | undefined;
    numberToString(value: unknown): string | undefined;
    iso8601(ms: number | undefined): string | undefined;
    milliseconds(): number;
    sortBy<Row>(rows: readonly Row[], key: string): Row[];
    filterBySinceLimit<Row>(
      rows: readonly Row[],
      since?: number,
      limit?: number,
      key?: string | number,
      tail?: boolean,
    ): Row[];
    loadMarkets(reload?: boolean, params?: object): Promise<Record<string, Market>>;
    market(symbol: string): Market;
    marketSymbols(symbols: readonly string[] | undefined): string[] | undefined;
    safeMarketStructure(market: object): Dict;
    safeCurrencyStructure(currency: object): Dict;
    safeBalance(balance: object): Dict;
    safeOrder(order: object, market?: object): Dict;
    safeTrade(trade: object, market?: object): Dict;
    safeTicker(ticker: object, market?: object): Dict;
    safePosition(position: object): Dict;
    safeLedgerEntry(entry: object, currency?: object): Dict;
    currency(code: string): Dict;
    parseOrderBook(
      book: unknown,
      symbol: string,
      timestamp?: number,
      bids?: string,
      asks?: string,
      price?: string,
      amount?: string,
    ): Dict;
    parseTimeframe(timeframe: string): number;
    amountToPrecision(symbol: string, amount: unknown): string;
    priceToPrecision(symbol: string, price: unknown): string;
    orderBook(snapshot?: object): LiveBook;
    request(
      path: string,
      api: string,
      method: string,
      params?: unknown,
      headers?: object,
      body?: string,
      config?: object,
    ): Promise<unknown>;
    sign(
      path: string,
      api?: string,
      method?: string,
      params?: Dict,
      headers?: object,
      body?: string,
    ): { url: string; method: string; body: string | undefined; headers: object };
    handleErrors(
      status: number,
      reason: string,
      url: string,
      method: string,
      headers: unknown,
      text: string,
      body: unknown,
      requestHeaders?: unknown,
      requestBody?: unknown,
    ): boolean | undefined;
    handleRestResponse(
      response: unknown,
      url: string,
      method?: string,
      headers?: unknown,
      body?: unknown,
    ): unknown;
    client(url: string): Client;
    watch(
      url: string,
      messageHash: string,
      message?: unknown,
      subscribeHash?: string,
      subscription?: unknown,
    ): Promise<unknown>;
    cleanUnsubscription(client: Client, subscribeHash: string, messageHash: string): void;
    handleMessage(client: Client, message: unknown): void;
    ping(client: Client): unknown;
    onClose(client: Client, error: unknown): void;
    loadHttpProxyAgent(): Promise<unknown>;
    close(cleanInstanceCache?: boolean): Promise<void>;
  }

  export class Exchange extends BaseExchange {}

  export class PredictionExchange extends BaseExchange {
    outcome(symbol: string): Outcome;
    hasOutcome(symbol: string): boolean;
    loadOutcome(symbol: string): Promise<Outcome>;
    loadOutcomes(outcomes?: readonly string[]): Promise<unknown>;
    fetchOutcome(symbol: string): Promise<Outcome>;
    outcomes: Record<string, Outcome> | undefined;
    outcomes_by_id: Record<string, Outcome> | undefined;
    amountToPredictionPrecision(outcome: string, amount: unknown): string;
    priceToPredictionPrecision(outcome: string, price: unknown): string;
    slugToMarketSymbol(eventSlug: string, marketSlug: string): string;
    slugToOutcomeSymbol(eventSlug: string, marketSlug: string, outcome: string): string;
    parseSearchQueries(params: object): string[];
    requireEventQuery(params: object): void;
    applyEventFetchParams(
      events: readonly Dict[],
      params: object,
      queries: readonly string[],
    ): Dict[];
    indexEventOutcomes(event: object): void;
    safePredictionOrder(order: object, outcome?: Outcome): Dict;
    safePredictionTrade(trade: object, outcome?: Outcome): Dict;
    safePredictionTicker(ticker: object, outcome?: Outcome): Dict;
    safePredictionPosition(position: object): Dict;
    safePredictionOrderBook(book: object, outcome?: Outcome): Dict;
  }

  export const Precise: {
    readonly stringMul: (a: string, b: string) => string;
    readonly stringDiv: (a: string, b: string, precision?: number) => string;
    readonly stringAdd: (a: string, b: string) => string;
    readonly stringSub: (a: string, b: string) => string;
    readonly stringAbs: (a: string) => string;
    readonly stringGt: (a: string, b: string) => boolean;
    readonly stringLt: (a: string, b: string) => boolean;
    readonly stringEquals: (a: string, b: string) => boolean;
  };

  export class BaseError extends Error {}
  export class ExchangeError extends BaseError {}
  export class AccountNotEnabled extends ExchangeError {}
  export class ArgumentsRequired extends ExchangeError {}
  export class AuthenticationError extends ExchangeError {}
  export class BadRequest extends ExchangeError {}
  export class BadSymbol extends ExchangeError {}
  export class DuplicateOrderId extends ExchangeError {}
  export class ExchangeClosedByUser extends ExchangeError {}
  export class InsufficientFunds extends ExchangeError {}
  export class InvalidAddress extends ExchangeError {}
  export class InvalidOrder extends ExchangeError {}
  export class MarketClosed extends ExchangeError {}
  export class NotSupported extends ExchangeError {}
  export class OperationRejected extends ExchangeError {}
  export class OrderImmediatelyFillable extends ExchangeError {}
  export class OrderNotFound extends ExchangeError {}
  export class PermissionDenied extends ExchangeError {}
  export class NetworkError extends BaseError {}
  export class BadResponse extends BaseError {}
  export class ExchangeNotAvailable extends NetworkError {}
  export class InvalidNonce extends NetworkError {}
  export class RateLimitExceeded extends NetworkError {}
  export class RequestTimeout extends NetworkError {}
}
