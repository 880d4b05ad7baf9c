import { findNatsServer, NATS_SERVER_WANTED } from '../../local-cluster/find-nats-server.ts';

/** Whether tests of a cluster can run here; where they can't, it is said what they need. */
export const hasNatsServer = (await findNatsServer()) !== undefined;
if (!hasNatsServer) process.stderr.write(`skipped: ${NATS_SERVER_WANTED}\n`);
