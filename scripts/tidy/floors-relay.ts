/** Of `packages/relay/src`: what is on record below what moves money, and that below who asks. */
export const RELAY_FLOORS: readonly {
  readonly name: string;
  readonly paths: readonly string[];
  readonly what: string;
}[] = [
  {
    name: 'testing',
    paths: ['testing/'],
    what: 'model chains, a model venue and a relay in between',
  },
  { name: 'program', paths: ['main.ts', 'index.ts'], what: 'the program, and the door for others' },
  { name: 'relay', paths: ['open-relay.ts'], what: 'joins the parts, starts and stops them' },
  { name: 'port', paths: ['port/'], what: 'what users ask for, and what operators see' },
  {
    name: 'transfers',
    paths: ['transfers/'],
    what: 'looks for what arrived, hands it on, and pays out; the account at the venue',
  },
  {
    name: 'elsewhere',
    paths: ['chains/', 'venue-api.ts'],
    what: 'the chains that it joins, one of its own among them; the public doors of the venue',
  },
  {
    name: 'ground',
    paths: ['book/', 'relay-keys.ts', 'relay-settings.ts', 'relay-program.ts'],
    what: 'what arrived and what became of it; keys; settings; where the program is',
  },
];
