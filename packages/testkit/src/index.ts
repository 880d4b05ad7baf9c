/** The entry point of the testkit, which runs a venue inside a test. */
export { startVenue } from './start-venue.ts';
export type { StartVenueOptions } from './start-venue-options.ts';
export type { Money, TestAccount, TestVenue } from './test-venue.ts';
export type { TestChain } from './test-chain.ts';
export type { TestMarket, MarketInput } from './outcome-listing.ts';
export type { BookShape } from './ladder.ts';
export type { Duration } from './duration.ts';
export type { Faults, FaultScope } from './faults.ts';
export type { PriceScript } from './prices.ts';
export type { Snapshot } from './controlled-venue.ts';
export { replayMarket } from './backtest/replay-market.ts';
export type * from './backtest/replay-options.ts';
export { backtestPage } from './backtest/backtest-page.ts';
export type * from './backtest/backtest-report.ts';
export type * from './backtest/recorded-row.ts';
export { type Recording, RecordingError } from './backtest/recording.ts';
export type { QuotedBook } from './backtest/recorded-market.ts';
export { serveControls, type Controls, type ControlsOptions } from './controls/serve-controls.ts';
