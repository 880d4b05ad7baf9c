/** The door of the testkit: a venue inside of a test. */
export { startVenue } from './start-venue.ts';
export type { StartVenueOptions } from './start-venue-options.ts';
export type { TestVenue } from './test-venue.ts';
export type { TestAccount, Money } from './test-account.ts';
export type { TestChain } from './test-chain.ts';
export type { TestMarket, MarketInput } from './outcome-listing.ts';
export type { BookShape } from './ladder.ts';
export type { Duration } from './duration.ts';
export type { Faults, FaultScope } from './faults.ts';
export type { PriceScript } from './prices.ts';
export type { Snapshot } from './venue-in-hand.ts';
export {
  replayMarket,
  type Bot,
  type BotMoment,
  type BotStart,
  type BotTurn,
  type OutcomeInput,
  type ReplayOptions,
} from './backtest/replay-market.ts';
export { backtestPage } from './backtest/backtest-page.ts';
export type * from './backtest/backtest-report.ts';
export type * from './backtest/recorded-row.ts';
export type { Recording } from './backtest/merge-rows.ts';
export type { QuotedBook } from './backtest/recorded-market.ts';
export { RecordingError } from './backtest/recording-error.ts';
export { serveControls, type Controls, type ControlsOptions } from './controls/serve-controls.ts';
