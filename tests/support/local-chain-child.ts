import { openChain } from './local-chain.ts';

/**
 * Runs a local chain in its own process, so that a test can kill it. `node local-chain-child.ts
 * <directory>` prints the chain's URL.
 */
const chain = await openChain(process.argv[2] ?? '');
const { url } = await chain.listen({ port: 0 });
process.stdout.write(`${url}\n`);
