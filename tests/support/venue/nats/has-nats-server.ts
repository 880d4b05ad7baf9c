import {
  findNatsServer,
  NATS_SERVER_WANTED,
} from '../../../../packages/cluster/src/servers/find-nats-server.ts';

const server = await findNatsServer();

/** True if tests of a cluster can run on this machine; otherwise their requirements are printed. */
export const hasNatsServer = 'program' in server;
if ('why' in server) process.stderr.write(`skipped: ${NATS_SERVER_WANTED} (${server.why})\n`);
