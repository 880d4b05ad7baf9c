import type { Server } from 'node:http';
import { type Config, operationsPortOf } from '../config.ts';
import type { HttpEdge } from '../edge/http/server.ts';
import { hostText, listen } from '../operate/listen.ts';

/** Opens the public port and the operator's, and says where they are. */
export async function openDoors(
  config: Config,
  { http, operations }: { readonly http: HttpEdge; readonly operations: Server },
): Promise<{ readonly url: string; readonly operationsUrl: string }> {
  const port = await http.listen(config.port, config.host);
  const operationsPort = await listen(operations, operationsPortOf(config), config.opsHost);
  return {
    url: `http://${hostText(config.host)}:${port}`,
    operationsUrl: `http://${hostText(config.opsHost)}:${operationsPort}`,
  };
}
