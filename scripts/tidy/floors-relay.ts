/** Of `packages/relay/src`: what is on record below what moves money, and that below who asks. */
export const RELAY_FLOORS: readonly {
  readonly name: string;
  readonly paths: readonly string[];
  readonly what: string;
}[] = [
  {
    name: 'testing',
    paths: ['testing/'],
    what: 'model chains, a model venue and a relay between them',
  },
  { name: 'program', paths: ['main.ts', 'index.ts'], what: 'the program; entry point' },
  { name: 'relay', paths: ['open-relay.ts'], what: 'composes the parts, starts and stops them' },
  { name: 'port', paths: ['port/'], what: 'user requests and operator status' },
  {
    name: 'transfers',
    paths: ['transfers/'],
    what: "detects deposits, forwards them, pays out; the relay's account at the venue",
  },
  {
    name: 'elsewhere',
    paths: ['chains/', 'venue-api.ts'],
    what: 'the chains, including a local one; the public API of the venue',
  },
  {
    name: 'ground',
    paths: ['book/', 'relay-keys.ts', 'relay-settings.ts', 'relay-program.ts'],
    what: 'journal; keys; settings; path of the program',
  },
];
