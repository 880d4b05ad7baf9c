/** Of `packages/cli/src`: what a command prints and asks below the commands. */
export const CLI_FLOORS: readonly {
  readonly name: string;
  readonly paths: readonly string[];
  readonly what: string;
}[] = [
  { name: 'program', paths: ['main.ts'], what: 'the program' },
  { name: 'run', paths: ['run-cli.ts'], what: 'reads what was asked for, and ends with its code' },
  { name: 'commands', paths: ['commands/'], what: 'one file a command' },
  { name: 'events', paths: ['event/'], what: 'events to trade on, as files describe them' },
  { name: 'replies', paths: ['tell-reply.ts'], what: 'what became of an action' },
  {
    name: 'around',
    paths: ['surroundings.ts', 'verify/'],
    what: 'keys, venue and profile of a call; checks that believe no venue',
  },
  { name: 'profile', paths: ['profile.ts'], what: 'choices kept between commands' },
  {
    name: 'parts',
    paths: [
      'keystore.ts',
      'read-secret.ts',
      'decimal-text.ts',
      'whole-number.ts',
      'find-instrument.ts',
      'run-rebuild-history.ts',
      'read-json-file.ts',
    ],
    what: 'keys that rest under a password; what is typed unseen; numbers, names and files as they are given',
  },
  {
    name: 'ground',
    paths: [
      'cli-error.ts',
      'print.ts',
      'end-as-json.ts',
      'progress-bar.ts',
      'example-makers.ts',
      'named-fields.ts',
    ],
    what: 'errors with their exit codes; tables, JSON and progress; quotes for a venue to play with',
  },
];
