/** Of `packages/protocol/src`: texts and numbers of the wire below requests, and those below what is asked and told. */
export const PROTOCOL_FLOORS: readonly {
  readonly name: string;
  readonly paths: readonly string[];
  readonly what: string;
}[] = [
  { name: 'entry point', paths: ['index.ts'], what: 'entry point' },
  {
    name: 'around',
    paths: ['explain/', 'streams/'],
    what: 'explanations of wrong signatures; channels and their frames',
  },
  { name: 'info', paths: ['info/'], what: 'queries and their answers' },
  {
    name: 'requests',
    paths: ['unknown-fields.ts', 'plain/'],
    what: 'unknown fields; fast path for plain orders',
  },
  {
    name: 'signing',
    paths: ['signing/', 'check-binding.ts', 'parse.ts'],
    what: 'hashing, signing, recovery; vaults; text to a request',
  },
  {
    name: 'actions',
    paths: ['actions/', 'shapes/', 'to-wire-error.ts'],
    what: 'signed actions; execution results; refusals on the wire',
  },
  {
    name: 'parts',
    paths: ['primitives.ts', 'json/'],
    what: 'addresses, decimals, times, signatures; JSON and MessagePack in one pass',
  },
  { name: 'refusals', paths: ['refusal.ts'], what: 'a refusal with its text and details' },
  {
    name: 'texts',
    paths: ['message-groups.ts', 'limits.ts'],
    what: 'error texts; limits',
  },
  {
    name: 'ground',
    paths: ['bytes.ts', 'errors.ts', 'client-limits.ts', 'network.ts', 'nearest-name.ts'],
    what: 'byte strings; error table; limits that clients know; networks and names',
  },
];
