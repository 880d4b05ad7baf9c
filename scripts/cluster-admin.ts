import { runClusterAdmin } from '@oddlot/venue';

/**
 * Runs a maintenance command on a cluster's log. `npm run cluster-admin -- --help` lists the
 * commands.
 */

const { env: environment, stdout, stderr } = process;
process.exitCode = await runClusterAdmin(process.argv.slice(2), { environment, stdout, stderr });
