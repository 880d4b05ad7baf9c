/** Of `packages/devchain/src`: the chain below what is asked of it. */
export const DEVCHAIN_FLOORS: readonly {
  readonly name: string;
  readonly paths: readonly string[];
  readonly what: string;
}[] = [
  { name: 'entry point', paths: ['index.ts'], what: 'entry point' },
  { name: 'worker', paths: ['chain-worker.ts'], what: 'the thread of the chain' },
  {
    name: 'thread',
    paths: ['start-chain-thread.ts'],
    what: 'starts the thread and calls it by messages',
  },
  { name: 'chain', paths: ['local-chain.ts'], what: 'the chain, and its port' },
  {
    name: 'rpc',
    paths: ['rpc/'],
    what: 'JSON-RPC methods, their parameters and answers, the port',
  },
  {
    name: 'core',
    paths: ['core/'],
    what: 'blocks, EVM, pending transactions, the file that stores them',
  },
];
