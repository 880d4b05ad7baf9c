import {
  findNatsServer,
  NATS_SERVER_WANTED,
} from '../../../../packages/cluster/src/servers/find-nats-server.ts';

const server = await findNatsServer();

/** Whether tests of a cluster can run here; otherwise prints their requirements. */
export const hasNatsServer = 'program' in server;
if ('why' in server) process.stderr.write(`skipped: ${NATS_SERVER_WANTED} (${server.why})\n`);
