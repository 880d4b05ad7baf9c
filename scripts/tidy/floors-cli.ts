/** Of `packages/cli/src`: what a command prints and asks below the commands. */
export const CLI_FLOORS: readonly {
  readonly name: string;
  readonly paths: readonly string[];
  readonly what: string;
}[] = [
  { name: 'program', paths: ['main.ts'], what: 'the program' },
  { name: 'run', paths: ['run-cli.ts'], what: 'parses arguments, sets the exit code' },
  { name: 'commands', paths: ['commands/'], what: 'one file per command' },
  { name: 'events', paths: ['event/'], what: 'event files for outcome markets' },
  { name: 'replies', paths: ['tell-reply.ts'], what: 'results of actions' },
  {
    name: 'around',
    paths: ['surroundings.ts', 'verify/'],
    what: 'keys, venue and profile of a command, kept between commands; independent verification',
  },
  {
    name: 'parts',
    paths: ['keystore.ts', 'arguments.ts'],
    what: 'keystore; hidden input; numbers, names and files of arguments',
  },
  {
    name: 'ground',
    paths: ['cli-error.ts', 'print.ts', 'example-makers.ts'],
    what: 'errors and exit codes; tables, JSON, progress; market makers of the development venue',
  },
];
