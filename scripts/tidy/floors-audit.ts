/** Of `packages/audit/src`: what a command rests on below who follows a log, and that below the programs. */
export const AUDIT_FLOORS: readonly {
  readonly name: string;
  readonly paths: readonly string[];
  readonly what: string;
}[] = [
  { name: 'entry point', paths: ['programs.ts'], what: 'paths of the programs' },
  {
    name: 'programs',
    paths: ['validator/', 'verify/'],
    what: 'the validator and its own ledger; verification of a data folder',
  },
  { name: 'follow', paths: ['follow/'], what: 'reads and follows a log' },
  {
    name: 'replica',
    paths: ['replica/'],
    what: 'verifies blocks before it applies them',
  },
  { name: 'chain', paths: ['chain/'], what: 'compares a log with the settlement chain' },
  {
    name: 'checks',
    paths: ['checks/'],
    what: 'what each command is based on; how it follows from signed requests',
  },
];
