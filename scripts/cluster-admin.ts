import { runClusterAdmin } from '@oddlot/venue';

/** What operators do with the log of a cluster; `npm run cluster-admin -- --help` lists it. */

const { env: environment, stdout, stderr } = process;
process.exitCode = await runClusterAdmin(process.argv.slice(2), { environment, stdout, stderr });
