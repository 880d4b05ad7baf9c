import type { Command } from 'commander';
import { CliError } from '../cli-error.ts';
import { print } from '../print.ts';
import type { GlobalOptions } from '../surroundings.ts';

const OPERATIONS_DEFAULT = 'http://127.0.0.1:8692';
/** A large venue takes a while to write one. */
const ANSWER_MS_MAX = 600_000;

/** Has a running venue write a snapshot. */
export function addSnapshot(program: Command): void {
  program
    .command('snapshot')
    .summary('Write a snapshot of a running venue now, to shorten its next start')
    .description(
      'Writes a snapshot immediately, for example before an upgrade or before you copy the ' +
        'data folder. The venue also writes snapshots regularly and when it stops. The ' +
        'request is sent to the operations port.',
    )
    .option('--operations <url>', "URL of the venue's operations port", OPERATIONS_DEFAULT)
    .action(async (_: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions & { operations: string }>();
      const { height } = await snapshotOf(options.operations);
      const lines = [`Newest snapshot: block ${height}`];
      print({ json: { height }, lines }, options.json);
    });
}

async function snapshotOf(operations: string): Promise<{ readonly height: number }> {
  if (!URL.canParse(operations))
    throw new CliError('usage', `Invalid --operations "${operations}". Use a URL.`);
  const response = await fetch(new URL('/snapshot', operations), {
    method: 'POST',
    signal: AbortSignal.timeout(ANSWER_MS_MAX),
  }).catch((error: unknown) => {
    const { cause, message } = error as Error;
    const why = cause instanceof Error ? cause.message || message : message;
    throw new CliError('unreachable', `No answer from ${operations}: ${why}`, { cause: error });
  });
  const body = await response.json().catch(() => ({}));
  const { height, message } = body as { readonly height?: number; readonly message?: string };
  if (response.status === 200 && height !== undefined) return { height };
  const why = message ?? `HTTP ${response.status}`;
  throw new CliError('refused', `No snapshot was written: ${why}`);
}
