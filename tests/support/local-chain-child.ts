import { openChain } from './local-chain.ts';

/**
 * A chain in a separate process, which tests can kill: `node local-chain-child.ts <directory>`
 * prints its URL.
 */
const chain = await openChain(process.argv[2] ?? '');
const { url } = await chain.listen({ port: 0 });
process.stdout.write(`${url}\n`);
