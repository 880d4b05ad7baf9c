/** Of `packages/audit/src`: what a command rests on below who follows a log, and that below the programs. */
export const AUDIT_FLOORS: readonly {
  readonly name: string;
  readonly paths: readonly string[];
  readonly what: string;
}[] = [
  { name: 'door', paths: ['programs.ts'], what: 'where the programs are' },
  {
    name: 'programs',
    paths: ['validator/', 'verify/'],
    what: 'the validator, and what it signs by when it asks no venue; the check of a data folder',
  },
  { name: 'follow', paths: ['follow/'], what: 'where a log is read, and how it is followed' },
  {
    name: 'replica',
    paths: ['replica/'],
    what: 'blocks that are judged before they are applied',
  },
  { name: 'chain', paths: ['chain/'], what: 'what the settlement chain says to a log' },
  {
    name: 'checks',
    paths: ['checks/'],
    what: 'what each command rests on, and how it follows from what was signed',
  },
];
