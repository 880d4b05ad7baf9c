import { freePorts } from '@oddlot/testing/host';
import {
  type NatsServers,
  type NatsServersOptions,
  PORTS_PER_SERVER,
  runNatsServers,
} from '../../../../packages/cluster/src/servers/nats-servers.ts';

export type { NatsServers };

export async function startNatsServers(
  options: Omit<NatsServersOptions, 'port'> = {},
): Promise<NatsServers> {
  return runNatsServers({
    ...options,
    port: await freePorts(PORTS_PER_SERVER * (options.count ?? 1)),
  });
}
