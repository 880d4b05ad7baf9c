import { runClusterAdmin as run } from '@oddlot/cluster/admin/run-cluster-admin';
import { readLogConfig } from './config.ts';

type Process = Omit<Parameters<typeof run>[1], 'readConfig'>;

/** Runs one administration command with the venue's settings and returns its exit code. */
export const runClusterAdmin = (args: readonly string[], context: Process): Promise<number> =>
  run(args, { ...context, readConfig: readLogConfig });
