/** Of `packages/custody/src`: what is signed and sent, below the programs that do it. */
export const CUSTODY_FLOORS: readonly {
  readonly name: string;
  readonly paths: readonly string[];
  readonly what: string;
}[] = [
  { name: 'testing', paths: ['testing/'], what: 'chains and bridges for tests' },
  { name: 'places', paths: ['bridge-program.ts'], what: 'path of the bridge program' },
  {
    name: 'programs',
    paths: ['validator/', 'bridge/'],
    what: 'the validator process; commands of the bridge',
  },
  {
    name: 'contract and sending',
    paths: ['bridge-contract/', 'send/'],
    what: 'calls and events of the bridge contract; transactions until they are in a block',
  },
  {
    name: 'ground',
    paths: ['chain/', 'key-files/', 'signing/', 'peg-message.ts'],
    what: 'chain endpoints; key files; signatures of validators and relays',
  },
];
