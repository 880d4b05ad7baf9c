/** How a command ended, for scripts. Documented in docs/build/cli.md. */
export const EXIT = {
  done: 0,
  /** A fault of the program. */
  fault: 1,
  /** The command line can't be understood. */
  usage: 2,
  /** The venue said no; nothing has changed. */
  refused: 3,
  /** No answer, or none that says whether it executed. */
  unreachable: 4,
  /** A key is missing or is an agent's where the account's own is needed, its password is wrong, or its file is damaged. */
  key: 5,
  /** The first steps of several are done, and one was not: what is there stays. */
  part: 6,
} as const;

/** Ends a command with a sentence and a code. */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly exitCode: number;
  /** What a program is told beside the sentence. */
  readonly facts: Readonly<Record<string, unknown>>;

  constructor(
    kind: keyof typeof EXIT,
    message: string,
    { facts = {}, ...options }: ErrorOptions & { facts?: CliError['facts'] } = {},
  ) {
    super(message, options);
    this.exitCode = EXIT[kind];
    this.facts = facts;
  }
}
