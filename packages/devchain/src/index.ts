/** The door of the local chain, which runs on a thread of its own. */
export { type ChainThreadOptions, startChainThread } from './start-chain-thread.ts';
export { ChainDamagedError } from './core/chain-lines.ts';
