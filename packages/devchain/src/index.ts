/** The entry point of the local chain, which runs on its own thread. */
export { type ChainThreadOptions, startChainThread } from './start-chain-thread.ts';
export { ChainDamagedError } from './core/chain-lines.ts';
