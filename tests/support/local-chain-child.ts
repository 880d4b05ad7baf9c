import { openChain } from './local-chain.ts';

/** A chain in a process of its own, to be killed: `node local-chain-child.ts <directory>` says its address. */
const chain = await openChain(process.argv[2] ?? '');
const { url } = await chain.listen({ port: 0 });
process.stdout.write(`${url}\n`);
