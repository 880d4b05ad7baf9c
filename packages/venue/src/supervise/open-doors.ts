import type { Server } from 'node:http';
import { type Config, operationsPortOf } from '../config.ts';
import type { HttpEdge } from '../edge/http/server.ts';
import { hostText, listen } from '../operate/listen.ts';

export type Doors = { readonly url: string; readonly operationsUrl: string };

/** Opens the public port and the operator's, says where they are, and starts who comes through them. */
export async function openDoors(
  config: Config,
  { http, operations }: { readonly http: HttpEdge; readonly operations: Server },
  visitor: { start(doors: Doors): Promise<void> },
): Promise<Doors> {
  const port = await http.listen(config.port, config.host);
  const operationsPort = await listen(operations, operationsPortOf(config), config.opsHost);
  const doors = {
    url: `http://${hostText(config.host)}:${port}`,
    operationsUrl: `http://${hostText(config.opsHost)}:${operationsPort}`,
  };
  await visitor.start(doors);
  return doors;
}
