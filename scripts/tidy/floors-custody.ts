/** Of `packages/custody/src`: what is signed and sent, below the programs that do it. */
export const CUSTODY_FLOORS: readonly {
  readonly name: string;
  readonly paths: readonly string[];
  readonly what: string;
}[] = [
  { name: 'testing', paths: ['testing/'], what: 'chains and bridges for tests' },
  { name: 'places', paths: ['bridge-program.ts'], what: 'where the program of the bridge is' },
  {
    name: 'programs',
    paths: ['validator/', 'bridge/'],
    what: 'the process that signs payouts; commands of the bridge',
  },
  {
    name: 'contract and sending',
    paths: ['bridge-contract/', 'send/'],
    what: 'what the contract of the bridge is asked and its logs say; transactions that are sent until a block has them',
  },
  {
    name: 'ground',
    paths: ['chain/', 'key-files/', 'signing/', 'peg-message.ts'],
    what: 'a chain as its endpoints tell it; where keys lie; who signs for the bridge; what a relay signs',
  },
];
