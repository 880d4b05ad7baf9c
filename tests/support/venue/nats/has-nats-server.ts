import {
  findNatsServer,
  NATS_SERVER_REQUIRED,
} from '../../../../packages/cluster/src/servers/find-nats-server.ts';

const server = await findNatsServer();

/** True if cluster tests can run on this machine. If not, the missing requirement is printed. */
export const hasNatsServer = 'program' in server;
if ('why' in server) process.stderr.write(`skipped: ${NATS_SERVER_REQUIRED} (${server.why})\n`);
