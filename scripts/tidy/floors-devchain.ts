/** Of `packages/devchain/src`: the chain below what is asked of it. */
export const DEVCHAIN_FLOORS: readonly {
  readonly name: string;
  readonly paths: readonly string[];
  readonly what: string;
}[] = [
  { name: 'door', paths: ['index.ts'], what: 'what other packages see' },
  { name: 'worker', paths: ['chain-worker.ts'], what: 'the thread of the chain' },
  { name: 'thread', paths: ['start-chain-thread.ts'], what: 'starts it, and asks it by messages' },
  { name: 'chain', paths: ['local-chain.ts'], what: 'the chain, and its port for others' },
  { name: 'rpc', paths: ['rpc/'], what: 'methods, what they are given and answer, and the port' },
  {
    name: 'core',
    paths: ['core/'],
    what: 'blocks, the machine that executes them, what waits, and the file that keeps them',
  },
];
